import Basics
import Transport

/// Waits on this computer's own address for the browser to come back from signing in (RFC 8252 section 7.3).
///
/// Anybody on the computer can knock here, and any page can send the browser here. So a code is only believed when the
/// server takes it with the secret of PKCE; until then every further one is tried as well.
final class RedirectListener: Sendable {
  /// The outcome that the browser brings.
  enum Answer: Sendable {
    /// To be exchanged for a join token.
    case code(Secret<String>)
    /// Why there is none, in the server's word.
    case problem(String)
  }

  /// The address that the browser is sent back to: `http://127.0.0.1:PORT`.
  let origin: String
  private let server: HTTPServer

  /// Listens on a free port. `take` says whether the answer was the end of it, which the page in the browser then says.
  ///
  /// With a `state`, only an answer that has it counts (RFC 6749 section 10.12): other pages don't know it, and can't
  /// end the sign-in. A Parley server's page brings none, so a page that guesses the port can end that sign-in, though
  /// it can't get anybody signed in.
  init(state: String? = nil, _ take: @escaping @Sendable (Answer) async -> Bool) async throws(JoinError) {
    var settings = HTTPServer.Configuration()
    settings.connectionLimit = 16
    settings.bodyLimit = 0
    let server: HTTPServer
    do throws(TransportError) {
      server = try HTTPServer(settings, name: "signin") { await Self.answer(to: $0, state, take) }
    } catch { throw Self.failure(error) }
    self.server = server
    do throws(TransportError) {
      let address = try server.listen(on: TransportAddress(ip: IPAddress(v4: 0x7F00_0001), port: 0))
      origin = "http://127.0.0.1:\(address.port)"
    } catch {
      await server.shutdown(grace: .zero)
      throw Self.failure(error)
    }
  }

  deinit {
    // Nobody waits here any more, and the thread must not stay.
    Task { [server] in await server.shutdown(grace: .zero) }
  }

  /// Listens no more; the page that is being sent still arrives.
  func close() async { await server.shutdown(grace: .milliseconds(500)) }

  private static func failure(_ error: TransportError) -> JoinError {
    .unreachable("This computer gives no port on which the browser could say that you have signed in: \(error)")
  }

  private static func answer(
    to request: HTTPRequest, _ state: String?, _ take: @Sendable (Answer) async -> Bool
  ) async -> HTTPResponse {
    // Otherwise a page whose name leads to this computer could speak with us (DNS rebinding), or fetch this address
    // unseen.
    guard request.headers["host"] == "127.0.0.1:\(request.local.port)",
      ["navigate", nil].contains(request.headers["sec-fetch-mode"])
    else { return page("This address is for signing in only.", status: 403) }
    guard request.method == "GET", request.path == "/", let answer = Self.answer(in: request.query ?? "", state) else {
      return page("There is nothing here. Go back to the page on which you sign in.", status: 404)
    }
    guard await take(answer) else {
      return page(
        "That did not work: the sign-in is over, or was begun elsewhere. Begin again in the app.", status: 400)
    }
    if case .problem = answer { return page("You are not signed in. The app says more; you can close this page.") }
    return page("You are signed in. Go back to the app; you can close this page.")
  }

  /// The one answer in a query; nil when there is none, it is longer than any, or belongs to another sign-in.
  private static func answer(in query: String, _ state: String?) -> Answer? {
    let fields = MeetingAddress.pairs(Substring(query), valueIfNone: nil)
    if let state {
      guard fields.filter({ $0.0 == "state" }).map({ $0.1 }) == [state] else { return nil }
    }
    let codes = fields.filter { $0.0 == "code" && (1...8_192).contains($0.1.utf8.count) }
    let problems = fields.filter { $0.0 == "error" && (1...64).contains($0.1.utf8.count) }
    switch (codes.count, problems.count) {
    case (1, 0): return .code(Secret(codes[0].1))
    case (0, 1): return .problem(problems[0].1)
    default: return nil
    }
  }

  private static func page(_ text: String, status: Int = 200) -> HTTPResponse {
    var response = HTTPResponse.text(
      """
      <!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Parley</title><style>:root{color-scheme:light dark}body{font:1.1rem system-ui,sans-serif;margin:20vh auto;max-width:28rem;padding:0 1rem}
      </style></head><body><h1>Parley</h1><p>\(text)</p></body></html>
      """, status: status, contentType: "text/html; charset=utf-8")
    response.headers["Cache-Control"] = "no-store"
    response.headers["Content-Security-Policy"] =
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
    // The address has the code in it.
    response.headers["Referrer-Policy"] = "no-referrer"
    return response
  }
}
