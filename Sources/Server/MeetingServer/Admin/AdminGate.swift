import Basics
import Crypto
import Meetings
import Transport

/// Admits callers to the admin interface: those on this machine, or with the token. Pages of other sites and requests
/// of our own webhooks are never admitted.
struct AdminGate: Sendable {
  /// The token that the operator has set, as it is now.
  let token: @Sendable () -> Secret<String>?
  /// Whether the port listens on loopback only.
  let isLoopback: Bool
  /// The name that the operator has given the server.
  let publicOrigin: WebOrigin?
  /// Whether this is the socket for commands, which state their user themselves. A caller that can open that socket
  /// could write into the audit log as well.
  var isForCommands = false
  /// Slows down guessing of the token; nil where it can't be guessed.
  var attempts: AdminAttempts?

  /// The header in which commands name their user.
  static let actorHeader = "Parley-Actor"

  /// Admits a request and returns its actor for the audit log; throws the reason for a refusal.
  func admit(_ request: HTTPRequest) throws(Refusal) -> String {
    if request.headers["parley-signature"] != nil {
      throw Refusal(403, "isWebhook", "A webhook cannot be sent to the administration.")
    }
    try checkSite(request)
    if isForCommands {
      let actor = request.headers[Self.actorHeader] ?? ""
      return actor.hasPrefix("cli ") ? String(actor.prefix(100)) : "cli"
    }
    try checkToken(request)
    return "admin at \(request.remote.ip.text)"
  }

  /// Admits a reader of the metrics: a program of this machine that uses a name of ours, or one that has the token.
  func admitReader(_ request: HTTPRequest) throws(Refusal) {
    // A page whose name was pointed here has no token, so under a token any name will do (a container's, for a
    // scraper).
    if isLoopback { try checkHost(request) } else { try checkToken(request) }
  }

  private func checkToken(_ request: HTTPRequest) throws(Refusal) {
    guard let token = token() else {
      if isLoopback { return }
      throw Refusal(
        403, "adminTokenNeeded",
        "The admin port is open beyond this machine and has no token: start the server with --admin-token.")
    }
    try attempts?.check(request.remote.ip, now: MonotonicClock.now)
    let given = request.bearerToken
    guard let given, ConstantTime.areEqual(given, token.value) else {
      // A request without a token isn't a guess, so it isn't counted.
      if given != nil { attempts?.failed(request.remote.ip, now: MonotonicClock.now) }
      throw Refusal(401, "badAdminToken", "The header Authorization: Bearer with the admin token is needed.")
    }
  }

  /// The request must be for a name of ours and come from no other site's page.
  func checkSite(_ request: HTTPRequest) throws(Refusal) {
    let own = try checkHost(request)
    if let origin = request.headers["origin"] {
      // A proxy before us may speak HTTPS, so the scheme does not count.
      guard let origin = WebOrigin(origin), origin.host == own.host, origin.port == own.port else {
        throw Refusal(403, "foreignOrigin", "Pages of other sites may not use the administration.")
      }
    }
    if let site = request.headers["sec-fetch-site"], site != "same-origin", site != "none" {
      throw Refusal(403, "foreignOrigin", "Pages of other sites may not use the administration.")
    }
  }

  /// Returns the origin that the request names; throws when it is a stranger's name that was pointed here (DNS
  /// rebinding).
  @discardableResult func checkHost(_ request: HTTPRequest) throws(Refusal) -> WebOrigin {
    let host = request.headers["host"] ?? request.local.text
    guard let own = WebOrigin("http://" + host), !host.contains("/"),
      OwnHostName.accepts(own.host) || own.host == publicOrigin?.host
    else {
      throw Refusal(
        421, "unknownHost", "The admin port does not know itself by that name: use its address, or localhost.")
    }
    return own
  }
}
