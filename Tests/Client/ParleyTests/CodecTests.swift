@testable import Parley
import TestSupport
import Testing

/// Receivers that cannot decode what is sent, and senders that go over to what they can.
@MainActor @Suite(.serialized) struct CodecTests {
  private func options(_ codecs: [Codec]) -> JoinOptions {
    var options = JoinOptions()
    options.codecs = codecs
    return options
  }

  private func picture(_ codec: Codec? = nil) -> LocalVideoTrack {
    LocalVideoTrack(TestPictureSource(width: 160, height: 90), options: VideoOptions(codec: codec))
  }

  @Test("without a common codec, events and statistics say so, and no slot has the video")
  func undecodable() async throws {
    try await LiveServer.run { server in
      let ann = try await Meeting.join("\(server.url)/none", name: "Ann", options: options([.opus, .vp9]))
      let sender = Witness(ann)
      let camera = try await ann.local.publish(picture())
      let bob = try await Meeting.join("\(server.url)/none", name: "Bob", options: options([.opus, .vp8]))
      let receiver = Witness(bob)
      try await wait(for: "both events: \(sender.events), \(receiver.events)") {
        receiver.events.contains("undecodable camera VP9") && sender.events.contains("undecodableFor camera 1")
      }
      let publication = try #require(bob.participants.first?.publication(.camera))
      #expect(publication.subscription == nil && publication.undecodableCodec?.name == "VP9")
      #expect(camera.undecodableFor?.participants == [bob.local.id])
      #expect(await bob.statistics()?.undecodable.map(\.publication) == [publication.id])
      try await wait(for: "a count in Ann's statistics") {
        await ann.statistics()?.outbound.first { $0.source == .camera }?.undecodableFor == 1
      }
      #expect(await ann.statistics()?.undecodable.isEmpty == true)
      await bob.leave()
      try await wait(for: "Ann to be told: \(sender.events)") { sender.events.last == "undecodableFor camera 0" }
      #expect(camera.undecodableFor == nil)
      await ann.leave()
    }
  }

  @Test("a sender changes to the codec that all decode, and back when the others leave")
  func goesOver() async throws {
    try await LiveServer.run { server in
      let ann = try await Meeting.join("\(server.url)/over", name: "Ann")
      try await ann.local.publish(picture(.vp9))
      // A track that nobody watches isn't encoded.
      let eve = try await Meeting.join("\(server.url)/over", name: "Eve")
      func sent() async -> String? { await ann.statistics()?.outbound.first { $0.source == .camera }?.codec?.mimeType }
      try await wait(for: "VP9") { await sent() == "video/VP9" }
      let bob = try await Meeting.join("\(server.url)/over", name: "Bob", options: options([.opus, .vp8]))
      let receiver = Witness(bob)
      try await wait(for: "the subscription: \(receiver.events)") {
        bob.participants.first?.publication(.camera)?.subscription != nil
      }
      let publication = try #require(bob.participants.first?.publication(.camera))
      let counter = NullSink()
      publication.subscription?.video?.add(counter)
      try await wait(for: "ten pictures: \(receiver.events)") { counter.videoFrames >= 10 }
      #expect(await sent() == "video/VP8")
      #expect(publication.undecodableCodec == nil)
      await bob.leave()
      try await wait(for: "VP9 again") { await sent() == "video/VP9" }
      await eve.leave()
      await ann.leave()
    }
  }
}
