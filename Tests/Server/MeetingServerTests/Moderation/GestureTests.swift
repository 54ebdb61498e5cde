import Foundation
import Signaling
import Testing

@testable import MeetingServer

@Suite("Raised hands, reactions and polls", .serialized)
struct GestureTests {
  @Test(
    "raised hands keep their order, also for later joiners, and go down when leaving")
  func hands() async throws {
    try await TestServer.run { server in
      let (ann, first) = try await server.join("daily", "Ann")
      let (bob, second) = try await server.join("daily", "Bob")
      let (mod, _) = try await server.host("daily", "Mod")
      try await bob.ask(.raiseHand(true, participant: nil))
      try await ann.ask(.raiseHand(true, participant: nil))
      // Raised twice, it keeps its place.
      try await bob.ask(.raiseHand(true, participant: nil))
      let (cem, late) = try await server.join("daily", "Cem")
      #expect(late.raised == ["Bob", "Ann"])
      try await mod.ask(.raiseHand(false, participant: second.participant))
      _ = try await bob.first {
        if case .participantUpdated(let who) = $0, who.id == second.participant, who.hand == nil { true } else { nil }
      }
      try await bob.ask(.raiseHand(true, participant: nil))
      #expect(try await server.look("daily").raised == ["Ann", "Bob"], "who raises it anew is last")
      // Nobody raises another's hand, and a guest does not lower one.
      try mod.send(.room(.raiseHand(true, participant: first.participant), id: 1))
      #expect(try await mod.refusal().code == .badMessage)
      try cem.send(.room(.raiseHand(false, participant: first.participant), id: 1))
      #expect(try await cem.refusal().code == .notAllowed)
      try ann.send(.leave)
      while try await ann.next() != nil {}
      #expect(try await server.look("daily").raised == ["Bob"])
      try await mod.ask(.lowerHands)
      #expect(try await server.look("daily").raised == [])
      for client in [bob, cem, mod] { await client.close() }
    }
  }

  @Test("reactions are of a fixed set and carry their sender's id, whatever is claimed")
  func reactions() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann")
      let (bob, _) = try await server.join("daily", "Bob")
      ann.send(text: #"{"type":"react","reaction":"heart","participant":"p_somebody","id":4}"#)
      let shown = try await bob.notice { if case .reaction(let who, let what) = $0 { (who, what) } else { nil } }
      #expect(shown == (hello.participant, .heart))
      ann.send(text: #"{"type":"react","reaction":"<script>","id":5}"#)
      #expect(try await ann.error() == (.badMessage, false))
      for client in [ann, bob] { await client.close() }
    }
  }

  @Test(
    "a poll has one changeable vote each, results by its setting, and a fixed end")
  func polls() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann")
      let (bob, _) = try await server.join("daily", "Bob")
      let (mod, _) = try await server.host("daily", "Mod")
      try await mod.ask(.createPoll(.init(question: " Lunch?\n", options: ["Yes", "No"], results: .whenClosed)))
      let asked = try await ann.notice { if case .poll(let poll) = $0 { poll } else { nil } }
      #expect(asked.question == "Lunch?" && asked.isOpen && asked.voters == nil)
      #expect(asked.options == [.init(text: "Yes"), .init(text: "No")])
      for options in [[0], [1], [1]] { try await ann.ask(.vote(poll: asked.id, options: options)) }
      try await bob.ask(.vote(poll: asked.id, options: [1]))
      let seen = try await mod.notice { if case .poll(let poll) = $0, poll.voters == 2 { poll } else { nil } }
      #expect(seen.options.map(\.votes) == [0, 2])
      for (options, code) in [([0, 1], SignalingErrorCode.badMessage), ([2], .badMessage), ([-1], .badMessage)] {
        try ann.send(.room(.vote(poll: asked.id, options: options), id: 1))
        #expect(try await ann.refusal().code == code, "\(options)")
      }
      let (cem, late) = try await server.join("daily", "Cem")
      #expect(late.state?.polls.first?.mine == [] && late.state?.polls.first?.voters == nil)
      try await mod.ask(.setPoll(asked.id, isOpen: false))
      let closed = try await cem.notice { if case .poll(let poll) = $0 { poll } else { nil } }
      #expect(!closed.isOpen && closed.options.map(\.votes) == [0, 2] && closed.voters == 2)
      try ann.send(.room(.vote(poll: asked.id, options: [0]), id: 1))
      #expect(try await ann.refusal().code == .notAllowed)
      try await mod.ask(.removePoll(asked.id))
      #expect(try await cem.notice { if case .pollRemoved(let id) = $0 { id } else { nil } } == asked.id)
      for client in [ann, bob, cem, mod] { await client.close() }
    }
  }

  @Test("threat 33: hidden results don't reach guests, whenever they vote or come")
  func secrets() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann")
      let (mod, _) = try await server.host("daily", "Mod")
      try await mod.ask(.createPoll(.init(question: "Fair?", options: ["Yes", "No"], results: .moderators)))
      try await ann.ask(.vote(poll: 1, options: [0]))
      _ = try await mod.notice { if case .poll(let poll) = $0, poll.voters == 1 { poll } else { nil } }
      try await mod.ask(.setPoll(1, isOpen: false))
      _ = try await mod.drain()
      for message in try await ann.drain() {
        if case .room(.poll(let poll)) = message {
          #expect(poll.voters == nil && poll.options.allSatisfy { $0.votes == nil })
        }
      }
      let (bob, late) = try await server.join("daily", "Bob")
      #expect(late.state?.polls.first?.voters == nil)
      for client in [ann, bob, mod] { await client.close() }
    }
  }
}

extension ServerMessage.Welcome {
  /// The names of those whose hand is up, in their order.
  var raised: [String] {
    participants.compactMap { person in person.hand.map { ($0, person.name) } }.sorted { $0.0 < $1.0 }.map(\.1)
  }
}
