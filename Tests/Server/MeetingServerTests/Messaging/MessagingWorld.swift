import Basics
import Crypto
import Foundation
import Meetings
import Messaging
import TestSupport
import Testing
import Transport

@testable import MeetingServer

/// Another message of the service than the one waited for.
struct UnexpectedMessage: Error, CustomStringConvertible {
  let description: String
  init(_ message: ServiceMessage?) { description = "unexpected: \(message.map { "\($0)" } ?? "the socket was closed")" }
}

extension TestServer {
  /// A sandbox domain without authentication, made as the command line makes it.
  func makeDomain(
    _ name: String = "app",
    _ settings: MessagingDomain.Settings = .init(environment: .sandbox, authentication: .disabled)
  ) async throws -> DomainID {
    let folder = try await DataFolder.open(self.folder + "/data")
    let entry = AuditEntry(time: Date(), actor: "cli test", tenant: name, action: "domain.create", target: name)
    let domain = try await folder.createDomain(name, settings, entry)
    await folder.close()
    return domain.id
  }

  /// A socket of the messaging service that has said nothing yet.
  func messagingSocket() async throws -> MessagingTestClient {
    MessagingTestClient(
      try await WebSocketClient.connect("ws://localhost:\(server.port)\(MessagingLimits.path)", headers: HTTPHeaders()))
  }

  /// A new endpoint of a user, and its welcome.
  func endpoint(
    _ user: String, in domain: DomainID, isPersistent: Bool = true
  ) async throws -> (MessagingTestClient, ServiceMessage.Welcome) {
    let client = try await messagingSocket()
    try client.send(.hello(Self.hello(user, domain, isPersistent: isPersistent)))
    return (client, try await client.welcome())
  }

  static func hello(_ user: String, _ domain: DomainID, isPersistent: Bool = true) -> EndpointMessage.Hello {
    .init(domain: domain, token: unsigned(user), userId: user, isPersistent: isPersistent)
  }

  /// The token of an app without an identity provider.
  static func unsigned(_ user: String) -> String {
    let end = Int(Date().timeIntervalSince1970) + 3_600
    let parts = [#"{"alg":"none"}"#, #"{"jti":"x","sub":"\#(user)","iat":\#(end - 3_600),"exp":\#(end)}"#]
    return parts.map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".") + "."
  }
}

/// An endpoint that speaks the messaging protocol over a real WebSocket.
final class MessagingTestClient {
  let socket: WebSocketConnection
  private var nextID = 1
  /// Messages that came before an awaited answer.
  private var waiting: [ServiceMessage] = []

  init(_ socket: WebSocketConnection) { self.socket = socket }

  func send(_ message: EndpointMessage) throws { socket.send(text: try MessagingCoder().encode(message)) }

  private func receive() async throws -> ServiceMessage? {
    let socket = socket
    guard case .text(let text) = try await bounded({ await socket.receive() }) else { return nil }
    return try MessagingCoder().serviceMessage(from: Array(text.utf8))
  }

  /// The next message; nil when the socket was closed.
  func next() async throws -> ServiceMessage? {
    waiting.isEmpty ? try await receive() : waiting.removeFirst()
  }

  func welcome() async throws -> ServiceMessage.Welcome {
    let message = try await next()
    guard case .welcome(let welcome) = message else { throw UnexpectedMessage(message) }
    return welcome
  }

  /// Why the socket is closed.
  func refused() async throws -> MessagingFailure {
    while let message = try await next() {
      if case .refused(let failure) = message { return failure }
    }
    throw UnexpectedMessage(nil)
  }

  /// The answer to a request. Earlier messages wait for ``next()``.
  @discardableResult
  func ask(_ request: MessagingRequest) async throws -> MessagingAnswer {
    let id = nextID
    nextID += 1
    try send(.request(id: id, request))
    while let message = try await receive() {
      switch message {
      case .answer(id, let answer): return answer
      case .failed(id, let failure): throw failure
      default: waiting.append(message)
      }
    }
    throw UnexpectedMessage(nil)
  }

  /// The code of a refusal; nil when there was none.
  func refusal(_ request: MessagingRequest) async throws -> MessagingFailure.Code? {
    do {
      try await ask(request)
      return nil
    } catch let failure as MessagingFailure {
      return failure.code
    }
  }

  /// The next event that `match` takes, those before it dropped.
  func event<Value>(_ match: (MessagingEvent) -> Value?) async throws -> (number: EventNumber, Value) {
    while let message = try await next() {
      if case .event(let number, _, let event) = message, let value = match(event) { return (number, value) }
    }
    throw UnexpectedMessage(nil)
  }

  /// The next passing event that `match` takes.
  func passing<Value>(_ match: (PassingEvent) -> Value?) async throws -> Value {
    while let message = try await next() {
      if case .passing(let event) = message, let value = match(event) { return value }
    }
    throw UnexpectedMessage(nil)
  }

  /// The next message of a chat.
  func message() async throws -> (number: EventNumber, StoredMessage) {
    try await event { if case .message(_, let message) = $0 { message } else { nil } }
  }

  /// Makes a one-to-one chat.
  func chat(with other: RegID, cookie: String = "c") async throws -> ChatID {
    let answer = try await ask(
      .chatStart(cookie: cookie, invitees: [other], isOneToOne: true, invitePolicy: .participantsOnly, keys: []))
    guard case .chat(let chat) = answer else { throw UnexpectedMessage(nil) }
    return chat.chatId
  }

  func close() async {
    socket.close()
    _ = await socket.closed()
  }
}
