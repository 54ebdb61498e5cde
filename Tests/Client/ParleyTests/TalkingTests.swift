import MeetingServer
import Meetings
import TestSupport
import Testing

@testable import Parley

/// Chat and names before and during a join, when there is nobody yet to receive them.
@MainActor @Suite(.serialized) struct TalkingTests {
  @Test("chat before and during a join isn't taken for its first message, and comes once")
  func saidWhileJoining() async throws {
    try await LiveServer.run { server in
      let bob = try Meeting("\(server.url)/talk", name: "Bob")
      try await bob.join()
      let ann = try Meeting("\(server.url)/talk", name: "Ann")
      try ann.send(chat: "before")
      let join = Task { () -> JoinError? in
        do throws(JoinError) {
          try await ann.join()
          return nil
        } catch { return error }
      }
      // The socket is open, and the message that asks to be let in waits for the offer.
      var turns = 0
      while ann.signaling?.hasAsked != true, ann.state != .ended {
        if ann.signaling != nil {
          if turns == 0 { try ann.send(chat: "meanwhile") }
          ann.local.rename("Anna")
          turns += 1
        }
        await Task.yield()
      }
      #expect(turns > 0, "the join left no time to say anything")
      #expect(await join.value == nil)
      try ann.send(chat: "after")
      try await wait(for: "three messages at Bob's: \(bob.chat.map(\.text))") { bob.chat.count == 3 }
      #expect(bob.chat.map(\.text) == ["before", "meanwhile", "after"])
      try await wait(for: "the new name at Bob's") { bob.participants.map(\.name) == ["Anna"] }
      try await wait(for: "every message to come back: \(ann.queue.chat)") { ann.queue.chat.isEmpty }
      await ann.leave()
      await bob.leave()
    }
  }

  @Test("chat whose answers were lost is repeated and arrives once, as do refusals")
  func lostAnswers() async throws {
    try await LiveServer.run { server in
      // No chat is kept, so no history shows what has arrived.
      try await server.setPolicy { $0.chat = ChatPolicy(maximumMessages: 0) }
      let bob = try Meeting("\(server.url)/unanswered", name: "Bob")
      try await bob.join()
      let eve = try await Meeting.join("\(server.url)/unanswered", name: "Eve")
      let ann = try Meeting("\(server.url)/unanswered", name: "Ann")
      try await ann.join()
      try await wait(for: "Bob and Eve at Ann's") { ann.participants.count == 2 }
      let gone = try #require(ann.participants.first { $0.name == "Eve" })
      await eve.leave()
      try await wait(for: "Eve's leaving") { ann.participants.count == 1 }
      let witness = Witness(ann)
      let sent = [
        try ann.send(chat: "one"), try ann.send(chat: "to nobody", to: gone), try ann.send(chat: "one"),
        try ann.send(chat: "two"),
      ]
      try await wait(for: "three messages at Bob's: \(bob.chat.map(\.text))") { bob.chat.count == 3 }
      try await wait(for: "every answer: \(ann.queue.chat)") { ann.queue.chat.isEmpty && witness.failed.count == 1 }
      // As if all of the way back had been lost.
      ann.queue.chat = sent
      ann.signaling?.channel.close()
      try await wait(for: "the answers: \(ann.queue.chat), \(witness.events)") {
        ann.queue.chat.isEmpty && witness.saw("reconnected")
      }
      #expect(witness.failed == [sent[1], sent[1]])
      try ann.send(chat: "end")
      try await wait(for: "the end at Bob's: \(bob.chat.map(\.text))") { bob.chat.last?.text == "end" }
      #expect(bob.chat.map(\.text) == ["one", "one", "two", "end"])
      await ann.leave()
      await bob.leave()
    }
  }

  @Test("a message answered again after a loss keeps its place, with or without history")
  func orderAfterLoss() async throws {
    try await LiveServer.run { server in
      let ann = try await Meeting.join("\(server.url)/order", name: "Ann")
      let witness = Witness(ann)
      // 72 KB, of which a client gets 64 KiB at most when it comes back.
      let texts = (0..<6).map { "\($0)" + String(repeating: "€", count: 3_999) }
      let sent = try texts.map { (text: String) throws -> SentChatMessage in try ann.send(chat: text) }
      try await wait(for: "every answer: \(ann.queue.chat.count)") { ann.queue.chat.isEmpty && ann.chat.count == 6 }
      // As if all of the way back had been lost.
      ann.chatMessages = ChatMessages(limit: Meeting.maximumChatMessages)
      ann.queue.chat = sent
      ann.signaling?.channel.close()
      try await wait(for: "all of them again: \(ann.chat.count), \(witness.events.map { $0.prefix(20) })") {
        ann.queue.chat.isEmpty && ann.chat.count == 6
      }
      #expect(ann.chat.map { String($0.text.prefix(1)) } == ["0", "1", "2", "3", "4", "5"])
      try await wait(for: "the last answer: \(witness.events.suffix(3))") {
        witness.events.last { $0.hasPrefix("chat ") }?.hasSuffix("(history)") == false
      }
      await ann.leave()
    }
  }

  @Test("a full rejoin says nothing again that has arrived, and forgets why it was needed")
  func rejoin() async throws {
    try await LiveServer.run { server in
      let bob = try Meeting("\(server.url)/again", name: "Bob")
      try await bob.join()
      let ann = try Meeting("\(server.url)/again", name: "Ann")
      try await ann.join()
      let sent = try ann.send(chat: "once")
      try await wait(for: "the message at Bob's") { bob.chat.count == 1 }
      // As if its way back had been lost.
      try await wait(for: "the message at Ann's") { ann.chat.count == 1 }
      ann.chatMessages = ChatMessages(limit: Meeting.maximumChatMessages)
      ann.queue.chat = [sent]
      ann.lastError = .mediaFailed("a test")
      let witness = Witness(ann)
      ann.rejoin()
      try await wait(for: "the rejoin: \(witness.events)") { witness.events.contains { $0.hasPrefix("reconnected") } }
      #expect(ann.queue.chat.isEmpty && ann.lastError == nil)
      try ann.send(chat: "twice")
      try await wait(for: "the second message at Bob's: \(bob.chat.map(\.text))") { bob.chat.last?.text == "twice" }
      #expect(bob.chat.map(\.text) == ["once", "twice"])
      await ann.leave()
      await bob.leave()
    }
  }
}
