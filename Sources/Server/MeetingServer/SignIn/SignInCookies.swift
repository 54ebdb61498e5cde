import Basics
import FoundationEssentials
import Meetings
import Transport

/// The cookies of signing in. All are sealed, for this host only, out of reach of scripts, and not sent with requests
/// of other sites other than following a link (threat 28).
struct SignInCookies: Sendable {
  let base: WebOrigin

  /// Over HTTPS no other host of the same domain can set a cookie of such a name (RFC 6265bis section 4.1.3.2).
  private var prefix: String { base.scheme == "https" ? "__Host-" : "" }
  private var sessionName: String { prefix + "parley-session" }

  /// The name for an attempt. A few can run at once in several tabs, but never so many that requests grow too large.
  private func attemptName(_ state: String) -> String {
    "\(prefix)parley-signin-\((state.utf8.first ?? 0) % 4)"
  }

  func session(_ request: HTTPRequest) -> Secret<String>? { value(sessionName, request) }
  func attempt(_ state: String, _ request: HTTPRequest) -> Secret<String>? { value(attemptName(state), request) }

  func setSession(_ sealed: String, seconds: Int) -> String { cookie(sessionName, sealed, seconds) }
  func setAttempt(_ state: String, _ sealed: String, seconds: Int) -> String {
    cookie(attemptName(state), sealed, seconds)
  }
  var clearSession: String { cookie(sessionName, "", 0) }
  func clearAttempt(_ state: String) -> String { cookie(attemptName(state), "", 0) }

  private func cookie(_ name: String, _ value: String, _ seconds: Int) -> String {
    "\(name)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Lax"
      + (base.scheme == "https" ? "; Secure" : "")
  }

  private func value(_ name: String, _ request: HTTPRequest) -> Secret<String>? {
    guard let header = request.headers["cookie"] else { return nil }
    for part in header.split(whereSeparator: { $0 == ";" || $0 == "," }).prefix(100) {
      let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2, pair[0] == name { return Secret(String(pair[1])) }
    }
    return nil
  }
}
