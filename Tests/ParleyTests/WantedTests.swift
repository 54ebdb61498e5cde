import Parley
import Testing

/// What nobody watches costs its sender nothing (dynacast).
@MainActor @Suite(.serialized) struct WantedTests {
  @Test("what nobody watches any more stops at its sender within two seconds, and comes back with one key frame")
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
      #expect(stopped < .seconds(2), "it took \(stopped)")
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
      #expect(after.keyFramesDecoded == before.keyFramesDecoded + 1)
      #expect(back < .seconds(1), "it took \(back)")
      print("WantedTests: stopped after \(stopped), back after \(back)")
      await bob.leave()
      await ann.leave()
    }
  }

  @Test("sound that nobody listens to is not sent any more, and comes back when somebody does")
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

  @Test("what was said of a slot is said again when it carries something else")
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
