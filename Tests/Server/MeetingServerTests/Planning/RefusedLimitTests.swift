import Foundation
import Meetings
import Signaling
import TestSupport
import Testing
import Transport

@testable import MeetingServer

@Suite("Limits that nothing sets, and that each has its test", .serialized)
struct RefusedLimitTests {
  /// The test that is refused by a limit, by its file and its function. A limit that is added does not compile here
  /// before it has one.
  private static func test(of limit: LimitReached.Limit) -> (file: String, function: String) {
    switch limit {
    case .addressRate: ("Planning/LimitTests", "doors")
    case .addressWriteRate: ("Planning/LimitTests", "writes")
    case .tokenRate: ("Planning/LimitTests", "tokens")
    case .maximumRequests: ("Planning/LimitTests", "requests")
    case .maximumMeetings, .maximumParticipants, .capacity: ("Planning/LimitTests", "counted")
    case .maximumStoredMeetings: ("Planning/LimitTests", "storedMeetings")
    case .auditBacklog: ("Admin/EventJournalTests", "noRightIsDropped")
    case .adminAttempts: ("Admin/AdminAPITests", "guesses")
    case .addressConnections: ("Planning/LimitTests", "connections")
    case .connections: ("Planning/RefusedLimitTests", "connections")
    case .maximumChatBytes, .chatMeetingLimit, .chatFileLimit: ("Chat/ChatFileTests", "refusals")
    case .chatUploads: ("Chat/ChatFileTests", "uploads")
    case .senderRate, .meetingRate: ("Chat/FloodTests", "meeting")
    case .meetingDataRate: ("Chat/FloodTests", "data")
    case .keyRate: ("Rooms/KeyRelayTests", "flood")
    case .keyReceiverRate: ("Rooms/KeyRelayTests", "receiver")
    case .chatFileRate: ("Planning/RefusedLimitTests", "files")
    case .lobbyPlaces: ("Planning/RefusedLimitTests", "lobby")
    case .passcodeAttempts: ("Planning/RefusedLimitTests", "guesses")
    case .passcodeQueue: ("Planning/RefusedLimitTests", "queue")
    case .messageRate: ("Planning/RefusedLimitTests", "messages")
    case .webhooks: ("Planning/RefusedLimitTests", "webhooks")
    case .secrets: ("Admin/AdminAPITests", "tenants")
    }
  }

  @Test("each limit has a test that is refused by it")
  func everyLimit() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    for limit in LimitReached.Limit.allCases {
      let (file, function) = Self.test(of: limit)
      let text = try String(contentsOf: folder.appendingPathComponent("\(file).swift"), encoding: .utf8)
      let parts = text.components(separatedBy: "\n  @Test(")
      let body = try #require(
        parts.first { $0.contains("  func \(function)() ") }, "\(file).swift has no test \(function), for \(limit)")
      #expect(
        body.contains("\"\(limit.rawValue)\""), "\(function) of \(file).swift does not speak of \(limit.rawValue)")
    }
  }

  /// How often the server says that a limit has refused somebody.
  private func count(_ limit: String, _ server: TestServer) async throws -> Int {
    let line = try await server.metrics().split(separator: "\n")
      .first { $0.hasPrefix("parley_limited_total{limit=\"\(limit)\"} ") }
    return try #require(line.flatMap { Int($0.split(separator: " ").last ?? "") }, "\(limit) is not in /metrics")
  }

  @Test("a tenant has ten webhooks, and one more is refused by the limit's name")
  func webhooks() async throws {
    try await TestServer.run { server in
      let address = "http://127.0.0.1:\(try #require(server.server.adminPort))/api/v1/webhooks"
      func make() async throws -> TestAnswer {
        try await TestServer.request(
          "POST", address, ["Content-Type": "application/json"], Array(#"{"url":"http://127.0.0.1:1/"}"#.utf8))
      }
      var made = ""
      for _ in 0..<10 {
        let answer = try await make()
        #expect(answer.status == 201, "\(answer.text)")
        made = answer["id"] as? String ?? ""
      }
      let refused = try await make()
      #expect(refused.status == 409 && refused["code"] as? String == "tooManyWebhooks", "\(refused.text)")
      #expect(refused["limit"] as? String == "webhooks" && refused["setting"] as? String == "fixed", "\(refused.text)")
      #expect(try await count("webhooks", server) == 1)
      #expect(try await TestServer.request("DELETE", "\(address)/\(made)").status == 204)
      #expect(try await make().status == 201)
    }
  }

  @Test("only the sender of files without a pause is refused, by the limit's name")
  func files() async throws {
    try await TestServer.run { server in
      let (_, ann) = try await server.join("daily", "Ann")
      let (_, ben) = try await server.join("daily", "Ben")
      func send(_ token: String) async throws -> TestAnswer {
        try await TestServer.request("POST", server.url + "/api/chat/files", ["Authorization": "Bearer \(token)"], [1])
      }
      // Ten at once; time goes on during the loop, so a few more may pass.
      var (sent, refused): (Int, TestAnswer?) = (0, nil)
      for _ in 0..<100 where refused == nil {
        let answer = try await send(ann.resumeToken)
        if answer.status == 201 { sent += 1 } else { refused = answer }
      }
      let answer = try #require(refused)
      #expect(sent >= 10 && answer.status == 429 && answer["code"] as? String == "tooFast", "\(sent): \(answer.text)")
      #expect(answer["limit"] as? String == "chatFileRate" && answer["setting"] as? String == "fixed", "\(answer.text)")
      #expect(answer.headers["retry-after"] == "1")
      #expect(try await count("chatFileRate", server) == 1)
      #expect(try await send(ben.resumeToken).status == 201)
    }
  }

  @Test("more people than may wait for a host's word are refused by the limit's name")
  func lobby() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board", .locked)
      let token = try #require(try await server.discover("board").token)
      var waiting: [TestClient] = []
      for _ in 0..<LobbyInfo.maximumWaiting {
        let (client, answer) = try await server.knock("board", "Guest", token: token)
        guard case .waiting(.lobby, _) = answer else { throw Unexpected(answer) }
        waiting.append(client)
      }
      let (_, message) = try await server.knock("board", "Eve", token: token)
      guard case .error(.lobbyFull, let text, true, _) = message else { throw Unexpected(message) }
      #expect(text.contains("lobbyPlaces"))
      #expect(try await count("lobbyPlaces", server) == 1)
      for client in waiting { await client.close() }
    }
  }

  @Test("after ten wrong passcodes the limit's name refuses, and each is counted")
  func guesses() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board", passcode: "1234")
      let token = try #require(try await server.discover("board").token)
      for _ in 0..<10 {
        let (_, message) = try await server.knock("board", "Eve", token: token, passcode: "4321")
        guard case .error(.wrongPasscode, _, true, _) = message else { throw Unexpected(message) }
      }
      for passcode in ["4321", "1234"] {
        let (_, message) = try await server.knock("board", "Eve", token: token, passcode: passcode)
        guard case .error(.passcodeBlocked, let text, true, _) = message else { throw Unexpected(message) }
        #expect(text.contains("passcodeAttempts"))
      }
      #expect(try await count("passcodeAttempts", server) == 2)
    }
  }

  @Test("more passcodes at once than the queue holds are refused by the limit's name")
  func queue() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board", passcode: "1234")
      let token = try #require(try await server.discover("board").token)
      // Twice as many as may wait: hashing one takes longer than hearing of the next.
      var clients: [TestClient] = []
      for _ in 0..<128 { clients.append(try await server.connect()) }
      for client in clients {
        try client.send(.join(.init(token: token, name: "N", offer: "", tracks: [], passcode: "1234")))
      }
      var (entered, refused) = (0, 0)
      for client in clients {
        switch try await client.next() {
        case .welcome: entered += 1
        case .error(.tooFast, let text, true, _):
          #expect(text.contains("passcodeQueue"))
          refused += 1
        case let message: throw Unexpected(message)
        }
      }
      #expect(entered >= 64 && refused > 0, "\(entered) are in, \(refused) were refused")
      #expect(try await count("passcodeQueue", server) == refused)
      for client in clients { await client.close() }
    }
  }

  @Test("a sender of messages without a pause is refused by the limit's name")
  func messages() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann")
      for _ in 0..<1_000 { try ann.send(.ping(time: nil)) }
      let text = try await ann.first { message -> String? in
        guard case .error(.tooFast, let text, true, _) = message else { return nil }
        return text
      }
      #expect(text.contains("messageRate"))
      #expect(try await count("messageRate", server) == 1)
    }
  }

  @Test(
    "threat 38: participants' sockets leave no room for others, and the lost get in"
  )
  func connections() async throws {
    try await TestServer.run({ $0.connections = 16 }) { server in
      var held: [(TestClient, ServerMessage.Welcome)] = []
      for number in 0..<15 { held.append(try await server.join("daily", "P\(number)")) }
      // Silent ones come and give way, without end.
      let silent = try (0..<40).map { _ in try RawHTTP.connection(to: server.server.port) }
      defer { for each in silent { close(each) } }
      let refused = try await RawHTTP.send(
        Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8), to: server.server.port)
      let answer = try #require(refused)
      let fields = (try? JSONSerialization.jsonObject(with: Data(answer.body.utf8))) as? [String: String] ?? [:]
      #expect(answer.status == 503 && fields["code"] == "tooManyConnections", "\(answer)")
      #expect(fields["limit"] == "connections" && fields["setting"] == "--connections", "\(answer)")
      #expect(try await count("connections", server) >= 1)
      // A new client is refused; a returning one has the place of the socket that was lost.
      let new = try await server.connect()
      try new.send(.resume(token: "of nobody"))
      #expect(try await new.error().code == .resumeExpired)
      for (_, welcome) in held {
        // The one before may not be gone yet.
        var client = try? await server.connect()
        try await eventually {
          if client == nil { client = try? await server.connect() }
          return client == nil ? "no place for who comes back" : nil
        }
        let back = try #require(client)
        try back.send(.resume(token: welcome.resumeToken))
        _ = try await back.first { if case .resumed = $0 { true } else { nil } }
        await back.close()
      }
      for (client, _) in held { await client.close() }
    }
  }
}
