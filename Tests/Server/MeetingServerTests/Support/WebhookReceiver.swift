import Basics
import Foundation
import Synchronization
import Transport
import TestSupport

@testable import MeetingServer

/// A receiver of webhooks: a real HTTP server on loopback that notes its requests and answers as set.
final class WebhookReceiver: Sendable {
  /// A request that it got.
  struct Post: Sendable {
    var headers: HTTPHeaders
    var body: [UInt8]
    var type: String { fields["type"] as? String ?? "" }
    var event: String { fields["id"] as? String ?? "" }
    var fields: [String: Any] {
      (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:]
    }
    var meeting: String { (fields["meeting"] as? [String: Any])?["id"] as? String ?? "" }
    var signature: String { headers["parley-signature"] ?? "" }
  }

  private struct State {
    var posts: [Post] = []
    var answer: @Sendable (Int) -> HTTPResponse = { _ in HTTPResponse(status: 204) }
  }

  private final class Notes: Sendable {
    let state = Mutex(State())
  }

  private let server: HTTPServer
  private let notes = Notes()
  let port: UInt16
  var url: String { "http://localhost:\(port)/hook" }

  init(port: UInt16 = 0) throws {
    let notes = notes
    server = try HTTPServer(name: "receiver") { request in
      let (count, answer) = notes.state.withLock { state in
        state.posts.append(Post(headers: request.headers, body: request.body))
        return (state.posts.count, state.answer)
      }
      return answer(count)
    }
    self.port = try server.listen(on: TransportAddress(ip: IPAddress(v4: 0x7F00_0001), port: port)).port
  }

  /// A test that failed has not stopped it.
  deinit { Task { [server] in await server.shutdown(grace: .zero) } }

  /// Everything it was sent so far.
  var posts: [Post] { notes.state.withLock(\.posts) }

  /// Decides what is answered; the closure gets the number of the post, from 1.
  func answers(_ answer: @escaping @Sendable (Int) -> HTTPResponse) {
    notes.state.withLock { $0.answer = answer }
  }

  /// Waits until `condition` holds for what it was sent.
  func waits(_ what: String, _ condition: ([Post]) -> Bool) async throws {
    try await eventually { condition(posts) ? nil : "\(what); it was sent \(posts.map(\.type))" }
  }

  func stop() async { await server.shutdown(grace: .zero) }
}
