import MeetingServer
import TestSupport
import Testing

@testable import Parley

/// Signals of the client SDK.
@MainActor @Suite(.serialized) struct SignalsTests {
  @Test("a signal reaches everybody with its sender, or one; it waits during a join")
  func signals() async throws {
    try await LiveServer.run { server in
      let bob = try Meeting("\(server.url)/signals", name: "Bob")
      try await bob.join()
      let ann = try Meeting("\(server.url)/signals", name: "Ann")
      let (atAnn, atBob) = (Witness(ann), Witness(bob))
      try ann.signal(type: "early", data: "1")
      try await ann.join()
      try await wait(for: "Bob at Ann's") { ann.participants.count == 1 }
      try ann.signal(type: "whisper", data: "psst", to: ann.participants[0])
      try ann.signal(type: "late", data: "2")
      try await wait(for: "three signals at Bob's: \(atBob.events)") { atBob.saw("signal Ann late: 2") }
      #expect(
        atBob.events.filter { $0.hasPrefix("signal") } == [
          "signal Ann early: 1", "signal Ann whisper: psst", "signal Ann late: 2",
        ])
      try await wait(for: "Ann's own: \(atAnn.events)") { atAnn.saw("signal Ann late: 2") }
      #expect(!atAnn.events.contains { $0.contains("whisper") })
      #expect(ann.participants[0].created != nil && ann.local.created != nil && ann.local.data == nil)

      try await wait(for: "the server's answers to what was said") { ann.queue.signals.isEmpty }
      ann.connectionState.signalingDown = true
      #expect(throws: JoinError.unreachable("The server cannot be reached just now.")) {
        try ann.signal(type: "dropped", waits: false)
      }
      try ann.signal(type: "kept")
      #expect(ann.queue.signals.map(\.signal.type) == ["kept"])
      ann.connectionState.signalingDown = false
      ann.sendInTurn()
      try await wait(for: "the one that waited at Bob's: \(atBob.events)") { atBob.saw("signal Ann kept: ") }
      #expect(!atBob.events.contains { $0.contains("dropped") })

      #expect(throws: JoinError.self) { try ann.signal(type: "a b") }
      #expect(throws: JoinError.self) {
        try ann.signal(data: String(repeating: "x", count: Meeting.maximumSignalData + 1))
      }
      await ann.leave()
      #expect(throws: JoinError.ended) { try ann.signal(type: "over") }
      await bob.leave()
    }
  }

  @Test("a sender faster than the server is cut off, and resumes its session")
  func tooFast() async throws {
    try await LiveServer.run { server in
      let bob = try Meeting("\(server.url)/haste", name: "Bob")
      try await bob.join()
      let ann = try Meeting("\(server.url)/haste", name: "Ann")
      let (atAnn, atBob) = (Witness(ann), Witness(bob))
      try await ann.join()
      try await wait(for: "Ann at Bob's") { bob.participants.count == 1 }
      let place = ann.local.id
      for _ in 0..<2_000 { ann.send(.ping(time: nil)) }
      try await wait(for: "the loss: \(atAnn.events)") {
        atAnn.events.contains { $0.hasPrefix("reconnecting signaling") }
      }
      try await wait(for: "the return: \(atAnn.events)") { ann.state == .connected }
      try ann.signal(type: "back")
      try await wait(for: "a signal at Bob's: \(atBob.events)") { atBob.saw("signal Ann back: ") }
      #expect(ann.local.id == place && bob.participants.map(\.id) == [place])
      #expect(!atBob.events.contains { $0.hasPrefix("participantLeft") }, "\(atBob.events)")
      await ann.leave()
      await bob.leave()
    }
  }
}
