import Foundation
import Messaging
import Synchronization
import Transport

/// A domain of the messaging service that was used for a while: identities `user-0` and so on, and 1,000 chats of two
/// with all of the messages.
enum FullMailboxes {
  static let domain = DomainID("5e5ba4d0-0000-4000-8000-00000000be4c")
  static let chats = 1_000

  /// The statements that fill the tables.
  static func sql(tenant: String, identities: Int, messages: Int, now: Int) -> String {
    let perChat = max(messages / chats, 1)
    func numbers(_ count: Int) -> String {
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(count))"
    }
    let settings = #"{"environment":"sandbox","authentication":{"disabled":{}},"hasKeyManagement":false}"#
    let body = String(repeating: "QUFB", count: 50)
    return """
      INSERT INTO messaging_domains (id, tenant, settings, created) VALUES ('\(domain)', '\(tenant)', '\(settings)', \(now));
      \(numbers(identities)) INSERT INTO messaging_identities (id, domain, user, pin, created)
        SELECT i + 1, '\(domain)', 'user-' || i, printf('%08x', i), \(now) FROM n;
      \(numbers(chats)) INSERT INTO mailbox_chats (id, domain, creator, cookie, policy, last_message)
        SELECT 'chat-' || i, '\(domain)', 2 * i + 1, 'c', 'adminsOnly', \(perChat) FROM n;
      \(numbers(2 * chats)) INSERT INTO mailbox_participants
        (chat, identity, state, admin, delivered, read, first_message)
        SELECT 'chat-' || (i / 2), i + 1, 'active', 1, 0, 0, 1 FROM n;
      \(numbers(perChat * chats)) INSERT INTO mailbox_messages
        (chat, number, sender, endpoint, cookie, time, body, attachments)
        SELECT 'chat-' || (i / \(perChat)), i % \(perChat) + 1, 2 * (i / \(perChat)) + 1, 'e', 'm' || (i % \(perChat)),
          \(now), '\(body)', '' FROM n;
      """
  }
}

/// An endpoint of `user-0`, over one WebSocket.
final class MailboxClient: Sendable {
  private let socket: WebSocketConnection
  private let identities: Int
  private let perChat: Int
  private let next = Atomic(1)

  /// Registers the endpoint at a server.
  init(_ url: String, identities: Int, messages: Int) async throws {
    self.identities = identities
    perChat = max(messages / FullMailboxes.chats, 1)
    socket = try await WebSocketClient.connect("ws://\(url)\(MessagingLimits.path)")
    let end = Int(Date().timeIntervalSince1970) + 3_600
    let token = [#"{"alg":"none"}"#, #"{"sub":"user-0","exp":\#(end)}"#].map { part in
      Data(part.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
    }.joined(separator: ".")
    let hello = EndpointMessage.Hello(
      domain: FullMailboxes.domain, token: token + ".", userId: "user-0", isPersistent: false)
    socket.send(text: try MessagingCoder().encode(EndpointMessage.hello(hello)))
    guard case .text(let text) = await socket.receive(), text.contains("\"welcome\"") else {
      throw BenchFailure("hello was not answered with welcome")
    }
  }

  /// Looks 50 identities up by their user ids.
  func lookUp(_ round: Int) async throws -> Double {
    let users = (0..<50).map { "user-\((round &* 7_919 &+ $0 &* 1_013) % identities)" }
    return try await ask(.identitiesGet(appUserIds: users))
  }

  /// Sends a message, which is on the disk when it is answered.
  func send(_ round: Int) async throws -> Double {
    try await ask(.messageSend(chatId: ChatID("chat-0"), cookie: "new-\(UUID())", body: Sealed("QUFBQUFB")))
  }

  /// Fetches 50 messages from any place of a chat.
  func fetch(_ round: Int) async throws -> Double {
    let first = UInt64(round &* 7_919 % perChat + 1)
    return try await ask(
      .history(chatId: ChatID("chat-0"), from: MessageNumber(first), through: MessageNumber(first + 49)))
  }

  private func ask(_ request: MessagingRequest) async throws -> Double {
    let id = next.add(1, ordering: .relaxed).newValue
    let text = try MessagingCoder().encode(EndpointMessage.request(id: id, request))
    let start = ContinuousClock.now
    socket.send(text: text)
    while case .text(let answer) = await socket.receive() {
      let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
      switch try MessagingCoder().serviceMessage(from: Array(answer.utf8)) {
      case .answer(id, _): return milliseconds
      case .failed(id, let failure): throw BenchFailure("\(request): \(failure.message)")
      default: continue
      }
    }
    throw BenchFailure("the messaging service closed the socket")
  }
}
