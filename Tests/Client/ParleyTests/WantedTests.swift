@testable import Parley
import TestSupport
import Testing

/// Layers that nobody watches cost their sender nothing (dynacast).
@MainActor @Suite(.serialized) struct WantedTests {
  @Test("layers that nobody watches stop at the sender, and return with a key frame")
  func stopsAndComesBack() async throws {
    try await LiveServer.run { server in
      let ann = try Meeting("\(server.url)/wanted", name: "Ann")
      try await ann.local.publish(LocalVideoTrack(TestPictureSource(width: 320, height: 180, framesPerSecond: 20)))
      try await ann.join()
      let bob = try await Meeting.join("\(server.url)/wanted", name: "Bob")
      try await wait(for: "the subscription") { bob.participants.first?.publication(.camera)?.subscription != nil }
      let subscription = try #require(bob.participants.first?.publication(.camera)?.subscription)
      subscription.video?.add(NullSink())
      func sent() async -> OutboundTrackStatistics? { await ann.statistics()?.outbound.first { $0.source == .camera } }
      func received() async -> InboundVideoStatistics? { await bob.statistics()?.inbound.first?.video }
      try await wait(for: "pictures at Bob's") { (await received()?.framesDecoded ?? 0) >= 10 }

      let clock = ContinuousClock()
      let hidden = clock.now
      subscription.show(width: 0, height: 0)
      try await wait(for: "Ann to stop") { await sent()?.active == false }
      let stopped = clock.now - hidden
      let encoded = try #require(await sent()?.video?.framesEncoded)
      let before = try #require(await received())

      subscription.show(width: 320, height: 180)
      let shown = clock.now
      let resting = try #require(await sent()?.video?.framesEncoded)
      #expect(resting <= encoded + 1, "it went on encoding what nobody watches")
      try await wait(for: "a picture at Bob's") { (await received()?.framesDecoded ?? 0) > before.framesDecoded }
      let back = clock.now - shown
      try await wait(for: "ten pictures at Bob's") {
        (await received()?.framesDecoded ?? 0) >= before.framesDecoded + 10
      }
      let after = try #require(await received())
      // The encoder starts again with one; the server's request may come long after that.
      #expect((before.keyFramesDecoded + 1...before.keyFramesDecoded + 2).contains(after.keyFramesDecoded))
      print("WantedTests: stopped after \(stopped), back after \(back)")
      await bob.leave()
      await ann.leave()
    }
  }

  @Test("a size that was told over a socket that was lost is told again")
  func lostView() async throws {
    try await LiveServer.run { server in
      let ann = try Meeting("\(server.url)/lost-view", name: "Ann")
      try await ann.local.publish(LocalVideoTrack(TestPictureSource(width: 320, height: 180, framesPerSecond: 20)))
      try await ann.join()
      let bob = try await Meeting.join("\(server.url)/lost-view", name: "Bob")
      try await wait(for: "the subscription") { bob.participants.first?.publication(.camera)?.subscription != nil }
      let subscription = try #require(bob.participants.first?.publication(.camera)?.subscription)
      subscription.video?.add(NullSink())
      func sends() async -> Bool? { await ann.statistics()?.outbound.first { $0.source == .camera }?.active }
      subscription.show(width: 0, height: 0)
      try await wait(for: "Ann to stop") { await sends() == false }

      subscription.show(width: 320, height: 180)
      // The socket has taken it, and is lost with it.
      bob.views.add(
        [try #require(subscription.view)],
        of: [.init(mid: subscription.mid.rawValue, publication: subscription.publication.id)])
      bob.signaling?.channel.close()
      try await wait(for: "Ann to send again") { await sends() == true }
      await bob.leave()
      await ann.leave()
    }
  }

  @Test(
    "simulcast layers that nobody shows stop, and return with a keyframe as asked for",
    arguments: [Codec.vp8, .vp9, .h264])
  func simulcast(codec: Codec) async throws {
    try await LiveServer.run { server in
      let ann = try Meeting("\(server.url)/layers", name: "Ann")
      let source = TestPictureSource(width: 320, height: 180, framesPerSecond: 20)
      try await ann.local.publish(LocalVideoTrack(source, options: VideoOptions(codec: codec, simulcast: true)))
      try await ann.join()
      let bob = try await Meeting.join("\(server.url)/layers", name: "Bob")
      try await wait(for: "the subscription") { bob.participants.first?.publication(.camera)?.subscription != nil }
      let subscription = try #require(bob.participants.first?.publication(.camera)?.subscription)
      subscription.video?.add(NullSink())
      @MainActor func sent() async -> [String: OutboundTrackStatistics] {
        var streams: [String: OutboundTrackStatistics] = [:]
        for stream in await ann.statistics()?.outbound ?? [] { streams[stream.rid?.rawValue ?? ""] = stream }
        return streams
      }
      @MainActor func received() async -> InboundVideoStatistics? { await bob.statistics()?.inbound.first?.video }
      @MainActor func more(_ count: UInt64) async throws {
        let start = await received()?.framesDecoded ?? 0
        try await wait(for: "\(count) more pictures at Bob's") {
          (await received()?.framesDecoded ?? 0) >= start + count
        }
      }
      subscription.show(width: 320, height: 180)
      try await wait(for: "all three layers, and the largest at Bob's") {
        let layers = await sent()
        return await received()?.frameWidth == 320
          && layers.values.count { ($0.video?.framesPerSecond ?? 0) > 5 } == 3
      }

      try await more(40)

      let clock = ContinuousClock()
      var times: [String] = []
      let steps = [(80, "q"), (160, "qh"), (320, "qhf"), (160, "qh"), (80, "q"), (320, "qhf")]
      var watched = "qhf"
      for (width, wanted) in steps {
        let (before, had) = (await sent(), try #require(await received()))
        let asked = clock.now
        subscription.show(width: width, height: width * 9 / 16)
        if wanted.count < watched.count {
          try await wait(for: "only \(wanted) to be sent") {
            let active = await sent().filter(\.value.active).keys
            return Set(active) == Set(wanted.map { String($0) })
          }
        }
        try await wait(for: "a picture of \(width) pixels") { await received()?.frameWidth == width }
        times.append("\(width) after \(clock.now - asked)")
        // Frames that were being encoded when the others were stopped may still be counted.
        let resting = await sent()
        try await more(40)
        let (after, has) = (await sent(), try #require(await received()))
        #expect(has.frameWidth == width)
        // Of two layers that come back the smaller one may be there sooner; and a request may come long after what it
        // asks for.
        let most = UInt64(max(wanted.count - watched.count, 1)) + 1
        #expect(
          (had.keyFramesDecoded + 1...had.keyFramesDecoded + most).contains(has.keyFramesDecoded), "to \(width)")
        for layer in ["q", "h", "f"] {
          let (old, new) = (try #require(before[layer]?.video), try #require(after[layer]?.video))
          let isBack = wanted.contains(layer) && !watched.contains(layer)
          // A receiver that goes down asks for a key frame of the layer that stays.
          let isTarget = layer == wanted.last.map { String($0) }
          let keyFrames = new.keyFramesEncoded - old.keyFramesEncoded
          #expect((isBack || isTarget ? 1...2 : 0...0).contains(keyFrames), "\(layer), to \(width)")
          if !wanted.contains(layer) {
            #expect(new.framesEncoded <= (resting[layer]?.video?.framesEncoded ?? 0) + 1, "\(layer) goes on")
          }
        }
        watched = wanted
      }
      print("WantedTests: \(codec): \(times.joined(separator: ", "))")
      await bob.leave()
      await ann.leave()
    }
  }

  @Test(
    "a lower frame rate and its end need no keyframe, and nobody else notices"
  )
  func frameRate() async throws {
    try await LiveServer.run { server in
      let ann = try Meeting("\(server.url)/rates", name: "Ann")
      let options = VideoOptions(codec: .vp8, temporalLayers: 3)
      try await ann.local.publish(
        LocalVideoTrack(TestPictureSource(width: 160, height: 90, framesPerSecond: 24), options: options))
      try await ann.join()
      let bob = try await Meeting.join("\(server.url)/rates", name: "Bob")
      let cem = try await Meeting.join("\(server.url)/rates", name: "Cem")
      @MainActor func subscription(_ meeting: Meeting) -> Subscription? {
        meeting.participants.first { $0.name == "Ann" }?.publication(.camera)?.subscription
      }
      try await wait(for: "the subscriptions") { subscription(bob) != nil && subscription(cem) != nil }
      for meeting in [bob, cem] { subscription(meeting)?.video?.add(NullSink()) }
      @MainActor func received(_ meeting: Meeting) async -> InboundVideoStatistics? {
        await meeting.statistics()?.inbound.first { $0.video != nil }?.video
      }
      @MainActor func rate(_ meeting: Meeting) async -> Double { await received(meeting)?.framesPerSecond ?? 0 }
      try await wait(for: "all pictures at both") { min(await rate(bob), await rate(cem)) > 18 }
      let before = try #require(await received(bob))

      let bobs = try #require(subscription(bob))
      bobs.maximumFramesPerSecond = 7
      #expect(bobs.maximumFramesPerSecond == 7)
      try await wait(for: "a quarter of the pictures at Bob's") { (4...8).contains(await rate(bob)) }
      // A size says nothing of the rate.
      bobs.show(width: 160, height: 90)
      #expect(bobs.maximumFramesPerSecond == 7)
      let clock = ContinuousClock()
      let start = (clock.now, await received(bob)?.framesDecoded ?? 0)
      try await wait(for: "ten more pictures") { (await received(bob)?.framesDecoded ?? 0) >= start.1 + 10 }
      #expect(clock.now - start.0 > .seconds(1), "they were not a quarter")
      #expect(await rate(cem) > 16, "Cem asked for nothing")

      bobs.maximumFramesPerSecond = nil
      try await wait(for: "all pictures at Bob's again") { (await rate(bob)) > 18 }
      let after = try #require(await received(bob))
      #expect(after.keyFramesDecoded == before.keyFramesDecoded, "no key frame was needed")
      bobs.maximumFramesPerSecond = 1_000
      #expect(bobs.maximumFramesPerSecond == 240)
      bobs.maximumFramesPerSecond = -3
      #expect(bobs.maximumFramesPerSecond == 1)
      for meeting in [ann, bob, cem] { await meeting.leave() }
    }
  }

  @Test(
    "a sender without layers sends the frame rate that is wanted, without a keyframe"
  )
  func senderFollows() async throws {
    try await LiveServer.run { server in
      let ann = try Meeting("\(server.url)/slower", name: "Ann")
      try await ann.local.publish(LocalVideoTrack(TestPictureSource(width: 160, height: 90, framesPerSecond: 24)))
      try await ann.join()
      let bob = try await Meeting.join("\(server.url)/slower", name: "Bob")
      try await wait(for: "the subscription") { bob.participants.first?.publication(.camera)?.subscription != nil }
      let subscription = try #require(bob.participants.first?.publication(.camera)?.subscription)
      subscription.video?.add(NullSink())
      @MainActor func sent() async -> OutboundVideoStatistics? {
        await ann.statistics()?.outbound.first { $0.source == .camera }?.video
      }
      @MainActor func rate() async -> Double { await sent()?.framesPerSecond ?? 0 }
      try await wait(for: "all pictures") { await rate() > 18 }
      let before = try #require(await sent())
      subscription.maximumFramesPerSecond = 6
      try await wait(for: "Ann to encode six a second") { (4...8).contains(await rate()) }
      subscription.maximumFramesPerSecond = nil
      try await wait(for: "Ann to encode all again") { await rate() > 18 }
      #expect(await sent()?.keyFramesEncoded == before.keyFramesEncoded)
      // The layers wanted of a stream say nothing of the one that Ann sends after she has joined again.
      subscription.maximumFramesPerSecond = 6
      try await wait(for: "Ann to encode six a second") { (4...8).contains(await rate()) }
      ann.rejoin()
      @MainActor func renewed() -> Subscription? {
        bob.participants.first { $0.publication(.camera)?.subscription !== subscription }?.publication(.camera)?
          .subscription
      }
      try await wait(for: "the stream after the rejoin") { renewed() != nil }
      renewed()?.video?.add(NullSink())
      try await wait(for: "all pictures of it") { await rate() > 18 }
      await bob.leave()
      await ann.leave()
    }
  }

  @Test("audio that nobody listens to is not sent, and comes back when somebody does")
  func notListened() async throws {
    try await LiveServer.run { server in
      let ann = try Meeting("\(server.url)/listened", name: "Ann")
      try await ann.local.publish(LocalAudioTrack(ToneSource(frequency: 440)))
      try await ann.join()
      let bob = try await Meeting.join("\(server.url)/listened", name: "Bob")
      try await wait(for: "the subscription") { bob.participants.first?.publication(.microphone)?.subscription != nil }
      let subscription = try #require(bob.participants.first?.publication(.microphone)?.subscription)
      func received() async -> UInt64 { await bob.statistics()?.inbound.first?.packetsReceived ?? 0 }
      try await wait(for: "sound at Bob's") { await received() >= 20 }
      subscription.listen(false)
      var last: UInt64 = 0
      try await wait(for: "half a second without a packet") {
        last = await received()
        try? await Task.sleep(nanoseconds: 500_000_000)
        return await received() == last
      }
      subscription.listen(true)
      try await wait(for: "sound at Bob's again") { await received() >= last + 20 }
      await bob.leave()
      await ann.leave()
    }
  }

  @Test("a slot's view is sent again when it carries something else")
  func nextPublication() async throws {
    try await LiveServer.run { server in
      let ann = try Meeting("\(server.url)/next", name: "Ann")
      try await ann.join()
      var options = JoinOptions()
      options.maximumSlots = 1
      let bob = try await Meeting.join("\(server.url)/next", name: "Bob", options: options)
      @MainActor func subscription() -> Subscription? { bob.participants.first?.publication(.microphone)?.subscription }
      @MainActor func received() async -> UInt64 {
        let publication = subscription()?.publication.id
        return await bob.statistics()?.inbound.first { $0.publication == publication }?.packetsReceived ?? 0
      }
      for round in 1...2 {
        let microphone = try await ann.local.publish(LocalAudioTrack(ToneSource(frequency: 440)))
        try await wait(for: "subscription \(round)") { subscription() != nil }
        // The second time nothing was said of it before, and the same as of the first is said at once.
        if round == 1 { try await wait(for: "sound") { await received() >= 5 } }
        subscription()?.listen(false)
        var last: UInt64 = 0
        try await wait(for: "silence \(round)") {
          last = await received()
          try? await Task.sleep(nanoseconds: 500_000_000)
          return await received() == last
        }
        await microphone.unpublish()
        try await wait(for: "the end of \(round)") { subscription() == nil }
      }
      await bob.leave()
      await ann.leave()
    }
  }
}
