import MeetingServer
import Testing

@testable import Parley

/// Chat and names before and during a join, when there is nobody to tell them to yet.
@MainActor @Suite(.serialized) struct TalkingTests {
  @Test("what is said before and during a join is not taken for its first message, and arrives once")
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
      while ann.place?.hasAsked != true, ann.state != .ended {
        if ann.place != nil {
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
      try await wait(for: "every message to come back: \(ann.unsentChat)") { ann.unsentChat.isEmpty }
      await ann.leave()
      await bob.leave()
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
      ann.chat.removeAll()
      ann.unsentChat = [sent]
      ann.lastError = .mediaFailed("a test")
      let witness = Witness(ann)
      ann.rejoin()
      try await wait(for: "the rejoin: \(witness.events)") { witness.events.contains { $0.hasPrefix("reconnected") } }
      #expect(ann.unsentChat.isEmpty && ann.lastError == nil)
      try ann.send(chat: "twice")
      try await wait(for: "the second message at Bob's: \(bob.chat.map(\.text))") { bob.chat.last?.text == "twice" }
      #expect(bob.chat.map(\.text) == ["once", "twice"])
      await ann.leave()
      await bob.leave()
    }
  }
}
