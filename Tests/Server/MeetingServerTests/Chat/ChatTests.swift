import Basics
import Foundation
import Meetings
import Signaling
import TestSupport
import Testing
import Transport

@testable import MeetingServer

@Suite("Chat: typing, changing, deleting, keeping, export", .serialized)
struct ChatTests {
  private func said(_ client: TestClient, _ text: String) async throws -> ChatEntry {
    try await client.first { if case .chat(let entry) = $0, entry.text == text { entry } else { nil } }
  }

  private func say(_ text: String, _ client: TestClient, to: String? = nil) async throws -> ChatEntry {
    try client.send(.chat(text: text, to: to))
    return try await said(client, text)
  }

  private func changed(_ client: TestClient) async throws -> ChatEntry {
    try await client.notice { if case .chat(.changed(let entry)) = $0 { entry } else { nil } }
  }

  @Test("an author can change and delete a message; later participants see it too")
  func changing() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann")
      let (bob, _) = try await server.join("daily", "Bob")
      let first = try await say("helo", ann)
      let second = try await say("oops", ann)
      try await ann.ask(.chat(.edit(first.id, text: "hello")))
      var entry = try await changed(bob)
      #expect(entry.id == first.id && entry.text == "hello" && entry.edited != nil)
      try await ann.ask(.chat(.delete(second.id)))
      entry = try await changed(bob)
      #expect(entry.id == second.id && entry.text.isEmpty && entry.deleted == .author)
      // Somebody else's is nobody's to change.
      try bob.send(.room(.chat(.edit(first.id, text: "forged")), id: 7))
      #expect(try await bob.refusal().code == .notAllowed)
      try bob.send(.room(.chat(.delete(first.id)), id: 8))
      #expect(try await bob.refusal().code == .notAllowed)
      try ann.send(.room(.chat(.edit(first.id, text: "")), id: 9))
      #expect(try await ann.refusal().code == .badMessage)
      let chat = try await server.look("daily").chat
      #expect(chat.map(\.text) == ["hello", ""])
      #expect(chat.map { $0.deleted } == [nil, .author])
    }
  }

  @Test("a host deletes what everybody sees, audited, and no private messages")
  func moderating() async throws {
    try await TestServer.run { server in
      let (mod, _) = try await server.host("daily", "Mod")
      let (ann, annWelcome) = try await server.join("daily", "Ann")
      let (bob, bobWelcome) = try await server.join("daily", "Bob")
      let rude = try await say("rude", ann)
      let secret = try await say("secret", ann, to: bobWelcome.participant)
      try await mod.ask(.chat(.delete(rude.id)))
      let gone = try await changed(ann)
      #expect(gone.id == rude.id && gone.deleted == .host)
      #expect(try await changed(bob).id == rude.id)
      try mod.send(.room(.chat(.delete(secret.id)), id: 5))
      let refusal = try await mod.refusal()
      #expect(refusal.code == .badMessage && refusal.text.contains("no such message"))
      // The one it is for cannot delete it either, who wrote it can; nobody else hears of it.
      try bob.send(.room(.chat(.delete(secret.id)), id: 6))
      #expect(try await bob.refusal().code == .notAllowed)
      try await ann.ask(.chat(.delete(secret.id)))
      #expect(try await changed(bob).id == secret.id)
      let heard = try await mod.drain()
      #expect(
        !heard.contains { if case .room(.chat(.changed(let entry))) = $0 { entry.id == secret.id } else { false } })
      let store = try await server.store()
      try await eventually {
        let log = try await store.auditLog(tenant: nil, before: nil, limit: 10)
        return log.contains { $0.action == "meeting.deleteChat" && $0.target.contains(annWelcome.participant) }
          ? nil : "no entry in the audit log: \(log.map(\.action))"
      }
      await store.close()
    }
  }

  @Test("typing is shown to others, ends by itself or with its message, and stays private")
  func typing() async throws {
    try await TestServer.run({ $0.typingPatience = .milliseconds(300) }) { server in
      let (ann, annWelcome) = try await server.join("daily", "Ann")
      let (bob, bobWelcome) = try await server.join("daily", "Bob")
      let (eve, _) = try await server.join("daily", "Eve")
      func typing(_ client: TestClient) async throws -> (String, Bool, String?) {
        try await client.notice {
          if case .chat(.typing(let id, let active, let to)) = $0 { (id, active, to) } else { nil }
        }
      }
      try ann.send(.room(.chat(.typing(true, to: nil))))
      #expect(try await typing(bob) == (annWelcome.participant, true, nil))
      // Nothing more is said, and yet it ends.
      #expect(try await typing(bob) == (annWelcome.participant, false, nil))
      try ann.send(.room(.chat(.typing(true, to: bobWelcome.participant))))
      #expect(try await typing(bob) == (annWelcome.participant, true, bobWelcome.participant))
      _ = try await say("psst", ann, to: bobWelcome.participant)
      #expect(try await typing(bob) == (annWelcome.participant, false, bobWelcome.participant))
      let overheard = try await eve.drain()
      #expect(overheard.count { if case .room(.chat(.typing)) = $0 { true } else { false } } == 2)
      // A participant who says it all the time disturbs nobody, and gets no event.
      for _ in 0..<40 {
        try ann.send(.room(.chat(.typing(true, to: nil)))); try ann.send(.room(.chat(.typing(false, to: nil))))
      }
      let noise = try await ann.drain()
      #expect(!noise.contains { if case .error = $0 { true } else { false } })
      #expect(try await bob.drain().count { if case .room(.chat(.typing)) = $0 { true } else { false } } <= 12)
    }
  }

  @Test("with a chat for hosts, guests know from the start, and a host can permit one")
  func writers() async throws {
    try await TestServer.run { server in
      try await server.setPolicy { $0.chat = ChatPolicy(writers: .hosts) }
      let (mod, modWelcome) = try await server.host("daily", "Mod")
      let (ann, annWelcome) = try await server.join("daily", "Ann")
      #expect(modWelcome.permissions?.contains("chat") == true)
      #expect(annWelcome.permissions?.contains("chat") == false)
      try ann.send(.chat(text: "hello", to: nil, id: 3))
      let refusal = try await ann.refusal()
      #expect(refusal.code == .notAllowed && refusal.text.contains("not open to everybody"))
      try ann.send(.room(.chat(.typing(true, to: nil))))
      let names = (annWelcome.permissions ?? []) + ["chat"]
      try await mod.ask(.setPermissions(annWelcome.participant, permissions: names))
      _ = try await say("thank you", ann)
      _ = try await said(mod, "thank you")
    }
  }

  @Test("without history later joiners see nothing of before, also after a change")
  func noHistory() async throws {
    try await TestServer.run { server in
      try await server.setPolicy { $0.chat = ChatPolicy(history: false) }
      let (ann, welcome) = try await server.join("daily", "Ann")
      #expect(welcome.meeting.chat?.history == false)
      let early = try await say("early", ann)
      let (bob, late) = try await server.join("daily", "Bob")
      #expect(late.chat.isEmpty)
      try await ann.ask(.chat(.edit(early.id, text: "earlier")))
      _ = try await say("now", ann)
      let heard = try await bob.drain()
      #expect(!heard.contains { if case .room(.chat(.changed)) = $0 { true } else { false } })
      await bob.close()
      let again = try await server.connect()
      try again.send(.resume(token: late.resumeToken))
      let chat = try await again.first { if case .resumed(_, _, let chat, _, _) = $0 { chat } else { nil } }
      #expect(chat.map(\.text) == ["now"])
    }
  }

  @Test("a host who came late exports no more than was told to whoever comes late")
  func lateExport() async throws {
    try await TestServer.run { server in
      try await server.setPolicy { $0.chat = ChatPolicy(history: false) }
      let (ann, early) = try await server.host("daily", "Ann")
      _ = try await say("before", ann)
      let (bob, late) = try await server.host("daily", "Bob")
      _ = try await say("after", ann)
      _ = try await said(bob, "after")
      for (token, texts) in [(early.resumeToken, ["before", "after"]), (late.resumeToken, ["after"])] {
        let answer = try await server.get("/api/chat/export?format=json", headers: ["Authorization": "Bearer \(token)"])
        let fields = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        let messages = fields?["messages"] as? [[String: Any]]
        #expect(messages?.map { $0["text"] as? String } == texts)
      }
    }
  }

  @Test("a meeting that keeps two messages for a second forgets others in time")
  func keeping() async throws {
    try await TestServer.run { server in
      try await server.setPolicy { $0.chat = ChatPolicy(maximumMessages: 2, maximumAge: .seconds(1)) }
      let (ann, _) = try await server.join("daily", "Ann")
      for text in ["one", "two", "three"] { _ = try await say(text, ann) }
      let chat = try await server.look("daily").chat
      #expect(chat.map(\.text) == ["two", "three"] || chat.isEmpty)
      try await eventually { try await server.look("daily").chat.isEmpty ? nil : "the messages are still told" }
    }
  }

  @Test("hosts and the administration export the chat as text and JSON, nothing private")
  func export() async throws {
    try await TestServer.run { server in
      let (mod, host) = try await server.host("daily", "Mod")
      let (ann, guest) = try await server.join("daily", "Ann")
      _ = try await say("first\nsecond \u{202E}line", ann)
      _ = try await say("private", ann, to: host.participant)
      let gone = try await say("gone", mod)
      try await mod.ask(.chat(.delete(gone.id)))
      func export(_ query: String, _ token: String?) async throws -> TestAnswer {
        let headers: HTTPHeaders = token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
        return try await server.get("/api/chat/export" + query, headers: headers)
      }
      let text = try await export("", host.resumeToken)
      #expect(text.status == 200 && text.text.contains("Ann: first\n    second line"))
      #expect(!text.text.contains("private") && !text.text.contains("gone"))
      #expect(text.headers["content-disposition"]?.hasPrefix("attachment; filename=\"chat daily.txt\"") == true)
      let json = try await export("?format=json", host.resumeToken)
      let fields = try JSONSerialization.jsonObject(with: Data(json.body)) as? [String: Any]
      #expect((fields?["messages"] as? [Any])?.count == 1)
      #expect(try await export("?format=xml", host.resumeToken).status == 400)
      #expect(try await export("", guest.resumeToken).status == 403)
      #expect(try await export("", nil).status == 401)
      #expect(try await export("", "wrong").status == 401)
      let admin = "http://127.0.0.1:\(server.server.adminPort ?? 0)/api/v1/meetings/\(host.meeting.id)/chat"
      let answer = try await TestServer.request("GET", admin)
      #expect(answer.status == 200 && answer.text.contains("first") && !answer.text.contains("private"))
      #expect(try await TestServer.request("GET", admin + "?format=text").text.contains("Ann: first"))
      #expect(!server.logged.text.contains(host.resumeToken))
    }
  }
}
