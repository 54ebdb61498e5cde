import Foundation
import Messaging
import Synchronization
import Transport

/// Endpoints of the first identities, each over a WebSocket of its own. Requests go over one after the other, so that
/// none reaches the limit of frames.
final class MailboxClients: Sendable {
  private let full: FullMailboxes
  private let endpoints: [MailboxClient]

  /// Registers one endpoint for each of the first `count` identities, 50 at a time.
  init(_ url: String, _ full: FullMailboxes, count: Int) async throws {
    self.full = full
    var made: [MailboxClient] = []
    for first in stride(from: 0, to: count, by: 50) {
      let batch: [MailboxClient] = try await withThrowingTaskGroup(of: MailboxClient.self) { group in
        for index in first..<min(first + 50, count) { group.addTask { try await MailboxClient(url, index) } }
        var registered: [MailboxClient] = []
        for try await client in group { registered.append(client) }
        return registered
      }
      made += batch
    }
    endpoints = made
  }

  /// Looks 50 identities up by their user ids.
  func lookUp(_ round: Int) async throws -> Double {
    let users = (0..<50).map { FullMailboxes.user((round &* 7_919 &+ $0 &* 1_013) % full.identities) }
    return try await endpoint(round).ask(.identitiesGet(appUserIds: users))
  }

  /// Sends a message, which is on the disk when it is answered.
  func send(_ round: Int) async throws -> Double {
    let endpoint = endpoint(round)
    return try await endpoint.ask(
      .messageSend(chatId: chat(of: endpoint), cookie: "new-\(UUID())", body: Sealed("QUFBQUFB")))
  }

  /// Fetches 50 messages from any place of a chat.
  func fetch(_ round: Int) async throws -> Double {
    let endpoint = endpoint(round)
    let first = UInt64(round &* 7_919 % full.perChat + 1)
    return try await endpoint.ask(
      .history(chatId: chat(of: endpoint), from: MessageNumber(first), through: MessageNumber(first + 49)))
  }

  private func endpoint(_ round: Int) -> MailboxClient { endpoints[round % endpoints.count] }

  private func chat(of endpoint: MailboxClient) -> ChatID { full.chats[endpoint.user / 2] }
}

/// An endpoint of one identity.
final class MailboxClient: Sendable {
  let user: Int
  private let socket: WebSocketConnection
  private let next = Atomic(1)

  /// Registers it at a server.
  init(_ url: String, _ user: Int) async throws {
    self.user = user
    socket = try await WebSocketClient.connect("ws://\(url)\(MessagingLimits.path)")
    let name = FullMailboxes.user(user)
    let end = Int(Date().timeIntervalSince1970) + 3_600
    let token = [#"{"alg":"none"}"#, #"{"sub":"\#(name)","exp":\#(end)}"#].map { part in
      Data(part.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
    }.joined(separator: ".")
    let hello = EndpointMessage.Hello(
      domain: FullMailboxes.domain, token: token + ".", userId: name, isPersistent: false)
    socket.send(text: try MessagingCoder().encode(EndpointMessage.hello(hello)))
    guard case .text(let text) = await socket.receive(), text.contains("\"welcome\"") else {
      throw BenchFailure("hello of \(name) was not answered with welcome")
    }
  }

  /// Milliseconds until the request is answered.
  func ask(_ request: MessagingRequest) async throws -> Double {
    let id = next.add(1, ordering: .relaxed).newValue
    let text = try MessagingCoder().encode(EndpointMessage.request(id: id, request))
    let start = ContinuousClock.now
    socket.send(text: text)
    while case .text(let answer) = await socket.receive() {
      let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
      switch try MessagingCoder().serviceMessage(from: Array(answer.utf8)) {
      case .answer(id, _): return milliseconds
      case .failed(id, let failure): throw BenchFailure("\(request): \(failure.message)")
      case .refused(let failure): throw BenchFailure("\(request): \(failure.message)")
      default: continue
      }
    }
    throw BenchFailure("the messaging service closed the socket")
  }
}
