import MeetingServer
import Signaling
import TestSupport
import Testing

@testable import Parley

/// Offers that are made after a join.
@MainActor @Suite(.serialized) struct NegotiationTests {
  @Test("cancelling ends publishing to a silent server, and the next one is answered")
  func cancelled() async throws {
    try await LiveServer.run { server in
      let meeting = try Meeting("\(server.url)/offers", name: "Ann")
      try await meeting.join()
      // An offer that the server has never seen stands in the way of all others.
      meeting.negotiation.pending = ClientMessage.Offer(id: 999_999, offer: "", tracks: [])
      let track = LocalAudioTrack(ToneSource(frequency: 440))
      let publishing = Task { () -> JoinError? in
        do {
          _ = try await meeting.local.publish(track)
          return nil
        } catch { return error as? JoinError }
      }
      try await wait(for: "the offer that is wanted") { !meeting.negotiation.waiting.isEmpty }
      publishing.cancel()
      let error = try #require(await publishing.value)
      #expect(error == .cancelled)
      #expect(!error.description.contains("join"), "the meeting is joined: \(error)")
      #expect(meeting.negotiation.waiting.isEmpty)
      meeting.negotiation.pending = nil
      _ = try await meeting.local.publish(LocalAudioTrack(ToneSource(frequency: 550)))
      await meeting.leave()
    }
  }

  @Test("a video without room is paused from its subscription on, if the server said so")
  func pausedBefore() async throws {
    try await LiveServer.run { server in
      let ann = try await Meeting.join("\(server.url)/paused", name: "Ann")
      let bob = try await Meeting.join("\(server.url)/paused", name: "Bob")
      let witness = Witness(bob)
      // As while the session takes an answer in: slots wait.
      bob.negotiation.isAnswered = true
      try await ann.local.publish(LocalVideoTrack(TestPictureSource(width: 160, height: 90)))
      try await wait(for: "the publication in a slot") {
        let camera = bob.participants.first?.publication(.camera)
        return camera != nil && bob.slots.all.contains { $0.publication == camera?.id }
      }
      let camera = try #require(bob.participants.first?.publication(.camera))
      let mid = try #require(bob.slots.all.first { $0.publication == camera.id }?.mid)
      #expect(camera.subscription == nil)
      bob.takePaused([mid], .bandwidth)
      bob.negotiation.isAnswered = false
      bob.applySlots()
      #expect(camera.subscription?.pauseReason == .bandwidth)
      bob.takePaused([], .bandwidth)
      #expect(camera.subscription?.isPaused == false)
      let expected = ["subscribed camera", "paused camera", "resumed camera"]
      try await wait(for: "the events: \(witness.events)") {
        witness.events.filter { expected.contains($0) } == expected
      }
      // A subscription's wish holds only until the next one.
      bob.unsubscribe(camera)
      bob.applySlots()
      #expect(camera.subscription?.isPaused == false)
      await bob.leave()
      await ann.leave()
    }
  }

  @Test("two who publish at once receive each other: newer slots outlast an older answer")
  func atOnce() async throws {
    try await LiveServer.run { server in
      let ann = try Meeting("\(server.url)/at-once", name: "Ann")
      let ben = try Meeting("\(server.url)/at-once", name: "Ben")
      try await ann.join()
      try await ben.join()
      for round in 0..<10 {
        async let one = ann.local.publish(LocalAudioTrack(ToneSource(frequency: 440)))
        async let other = ben.local.publish(LocalAudioTrack(ToneSource(frequency: 550)))
        let (own, theirs) = (try await one, try await other)
        try await wait(for: "both to receive each other, round \(round)") {
          [ann, ben].allSatisfy { $0.participants.first?.publications.first?.subscription != nil }
        }
        await own.unpublish()
        await theirs.unpublish()
        try await wait(for: "both to have ended, round \(round)") {
          [ann, ben].allSatisfy { $0.participants.first?.publications.isEmpty == true }
        }
      }
      await ann.leave()
      await ben.leave()
    }
  }
}
