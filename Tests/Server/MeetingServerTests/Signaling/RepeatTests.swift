import Foundation
import Meetings
import Signaling
import Testing

@testable import MeetingServer

@Suite("Messages that are said again after a lost connection", .serialized)
struct RepeatTests {
  /// Takes the place of a client back whose socket is gone, whatever was still on its way to it.
  private func again(
    _ server: TestServer, _ lost: TestClient, _ hello: ServerMessage.Welcome
  ) async throws -> TestClient {
    await lost.close()
    let client = try await server.connect()
    try client.send(.resume(token: hello.resumeToken))
    _ = try await client.first { if case .resumed = $0 { true } else { nil } }
    _ = try await client.drain()
    return client
  }

  /// The chat, signals and answers among these messages.
  private func said(_ messages: [ServerMessage]) -> [ServerMessage] {
    messages.filter {
      switch $0 {
      case .chat, .signal, .room(.done), .error: true
      default: false
      }
    }
  }

  @Test("a repeated chat message is passed on once, and answered with its state of now")
  func chat() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann")
      let (bob, _) = try await server.join("daily", "Bob")
      let message = ClientMessage.chat(text: "once", to: nil, id: 5)
      try ann.send(message)
      let entry = try await bob.first { if case .chat(let entry) = $0 { entry } else { nil } }
      let back = try await again(server, ann, hello)
      try back.send(message)
      #expect(said(try await back.drain()) == [.room(.done(id: 5)), .chat(entry)])
      // Changed in between, it doesn't come back as it was.
      try await back.ask(.chat(.edit(entry.id, text: "changed")))
      _ = try await back.drain()
      try back.send(message)
      let answer = said(try await back.drain())
      #expect(answer.first == .room(.done(id: 5)))
      guard case .chat(let changed)? = answer.last else { throw Unexpected(text: "\(answer)") }
      #expect(changed.id == entry.id && changed.text == "changed")
      #expect(said(try await bob.drain()).isEmpty)
      // Another message, another number.
      try back.send(.chat(text: "once", to: nil, id: 6))
      let next = try await bob.first { if case .chat(let entry) = $0 { entry } else { nil } }
      #expect(next.text == "once" && next.id > entry.id)
      #expect(try await server.look("daily").chat.map(\.text) == ["changed", "once"])
    }
  }

  @Test("without a kept chat a repeated message is passed on once, and answered by done")
  func unkept() async throws {
    try await TestServer.run { server in
      try await server.setPolicy { $0.chat = ChatPolicy(maximumMessages: 0) }
      let (ann, hello) = try await server.join("daily", "Ann")
      let (bob, _) = try await server.join("daily", "Bob")
      try ann.send(.chat(text: "once", to: nil, id: 5))
      _ = try await bob.first { if case .chat(let entry) = $0 { entry } else { nil } }
      let back = try await again(server, ann, hello)
      try back.send(.chat(text: "once", to: nil, id: 5))
      #expect(said(try await back.drain()) == [.room(.done(id: 5))])
      #expect(said(try await bob.drain()).isEmpty)
    }
  }

  @Test("a repeated signal is passed on once, and a refused one is refused again")
  func signals() async throws {
    try await TestServer.run { server in
      let (mod, _) = try await server.host("daily", "Mod")
      let (ann, hello) = try await server.join("daily", "Ann")
      let names = hello.permissions ?? []
      let signal = ClientMessage.signal(Signal(type: "a"), to: nil, id: 1)
      let chat = ClientMessage.chat(text: "may I?", to: nil, id: 2)
      try ann.send(signal)
      _ = try await mod.first { if case .signal = $0 { true } else { nil } }
      try await mod.ask(.setPermissions(hello.participant, permissions: names.filter { $0 != "chat" }))
      try ann.send(chat)
      let refusal = try await ann.refusal()
      #expect(refusal.code == .notAllowed && refusal.id == 2)
      try await mod.ask(.setPermissions(hello.participant, permissions: names))
      let back = try await again(server, ann, hello)
      try back.send(signal)
      try back.send(chat)
      #expect(
        said(try await back.drain())
          == [.room(.done(id: 1)), .error(code: .notAllowed, message: refusal.text, fatal: false, id: 2)])
      #expect(said(try await mod.drain()).isEmpty)
      // Asked again it passes.
      try back.send(.chat(text: "may I?", to: nil, id: 3))
      _ = try await mod.first { if case .chat(let entry) = $0 { entry } else { nil } }
    }
  }

  @Test("without a number all is passed on, as is another message under a used number")
  func others() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann")
      let (bob, _) = try await server.join("daily", "Bob")
      for id in [nil, nil, 7, 7] as [Int?] { try ann.send(.chat(text: "same", to: nil, id: id)) }
      try ann.send(.chat(text: "other", to: nil, id: 7))
      try ann.send(.signal(Signal(data: "same"), to: nil, id: 7))
      var texts: [String] = []
      // A signal is written nowhere, and may be sooner.
      while !texts.contains("other") || !texts.contains("signal") {
        texts.append(
          try await bob.first {
            switch $0 {
            case .chat(let entry): entry.text
            case .signal: "signal"
            default: nil
            }
          })
      }
      #expect(texts.filter { $0 != "signal" } == ["same", "same", "same", "other"])
    }
  }

  @Test("of each participant the last 256 numbers are remembered, each with its answer")
  func bound() {
    var answered = AnsweredMessages()
    func message(_ id: Int) -> ClientMessage { .signal(Signal(data: "\(id)"), to: nil, id: id) }
    for id in 0..<1_000 {
      #expect(answered.take(id, message(id)) == .new)
      #expect(answered.take(id, message(id)) == .underWay)
      answered.note(id.isMultiple(of: 2) ? .done : .said(id), to: id)
    }
    for id in 744..<1_000 {
      #expect(answered.take(id, message(id)) == .answered(id.isMultiple(of: 2) ? .done : .said(id)))
    }
    #expect(answered.take(743, message(743)) == .new)
    #expect(answered.take(744, message(744)) == .new, "it was the oldest, and made room")
    // A request that isn't known any more isn't remembered by its answer.
    answered.note(.done, to: 500)
    #expect(answered.take(500, message(500)) == .new)
  }
}
