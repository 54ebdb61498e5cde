import MeetingServer
import Signaling
import Testing

@testable import Parley

/// Offers that are made after a join.
@MainActor @Suite(.serialized) struct NegotiationTests {
  @Test("publishing to a server that never answers ends when its task is cancelled, and the next one is answered")
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
}
