import Basics
import TestSupport
import Testing

@testable import Parley

/// The statistics that an app gets about its media, in the words of the W3C (webrtc-stats), measured on a real server.
@MainActor @Suite(.serialized) struct StatisticsTests {
  @Test(
    "outbound statistics tell camera, screen and audio apart, with codec and layers")
  func identities() async throws {
    try await LiveServer.run { server in
      let ann = try Meeting("\(server.url)/identities", name: "Ann")
      let camera = try await ann.local.publish(
        LocalVideoTrack(
          TestPictureSource(width: 640, height: 360), options: VideoOptions(codec: .vp8, simulcast: true)))
      let screen = try await ann.local.publish(
        LocalVideoTrack(TestPictureSource(width: 320, height: 180), options: VideoOptions(codec: .vp9)), as: .screen)
      let microphone = try await ann.local.publish(LocalAudioTrack(ToneSource(frequency: 440)))
      try await ann.join()
      let bob = try await Meeting.join("\(server.url)/identities", name: "Bob")
      try await wait(for: "frames of every track") {
        let streams = await ann.statistics()?.outbound ?? []
        return Set(streams.filter { $0.codec != nil }.map(\.source)) == [.camera, .screen, .microphone]
      }
      let outbound = try #require(await ann.statistics()).outbound
      #expect(outbound.count == 5, "three layers, a screen and sound: \(outbound.map { "\($0.source) \($0.mid)" })")
      #expect(Set(outbound.map(\.ssrc)).count == 5 && Set(outbound.map(\.mid)).count == 3)
      for (publication, rids) in [(camera, ["f", "h", "q"]), (screen, []), (microphone, [])] {
        let own = outbound.filter { $0.publication == publication.id }
        #expect(!publication.id.isEmpty && own.allSatisfy { $0.source == publication.source })
        #expect(own.allSatisfy { $0.kind == publication.kind && $0.mid == publication.mid })
        #expect(own.compactMap { $0.rid?.rawValue }.sorted() == rids && own.count == max(rids.count, 1))
        #expect(own.allSatisfy { ($0.video != nil) == (publication.kind == .video) })
      }
      let codecs = Dictionary(
        outbound.compactMap { each in each.codec.map { (each.source, $0) } }, uniquingKeysWith: { one, _ in one })
      #expect(codecs[.camera]?.mimeType == "video/VP8" && codecs[.camera]?.clockRate == 90_000)
      #expect(codecs[.screen]?.mimeType == "video/VP9" && codecs[.screen]?.channels == nil)
      #expect(codecs[.microphone]?.mimeType == "audio/opus" && codecs[.microphone]?.clockRate == 48_000)
      #expect(codecs[.microphone]?.channels == 2)
      #expect(Set(codecs.values.map(\.payloadType)).count == 3)

      // The same names on the other side.
      try await wait(for: "packets of every track at Bob's") {
        Set(await bob.statistics()?.inbound.map(\.publication) ?? []) == [camera.id, screen.id, microphone.id]
      }
      for stream in try #require(await bob.statistics()).inbound {
        #expect(stream.participant == ann.local.id)
        let publication = ann.local.publications.first { $0.id == stream.publication }
        #expect(publication?.source == stream.source && publication?.kind == stream.kind)
        #expect(stream.codec?.mimeType == codecs[stream.source]?.mimeType)
      }
      await bob.leave()
      await ann.leave()
    }
  }

  @Test(
    "outbound statistics count frames, packets and the server's reports of them")
  func sending() async throws {
    try await LiveServer.run { server in
      let ann = try Meeting("\(server.url)/sending", name: "Ann")
      try await ann.local.publish(LocalVideoTrack(TestPictureSource(width: 320, height: 180, framesPerSecond: 20)))
      try await ann.local.publish(LocalAudioTrack(ToneSource(frequency: 440)))
      try await ann.join()
      let bob = try await Meeting.join("\(server.url)/sending", name: "Bob")
      func stream(_ source: TrackSource) async -> OutboundTrackStatistics? {
        await ann.statistics()?.outbound.first { $0.source == source }
      }
      try await wait(for: "reports with a round trip on both tracks") {
        let times = [await stream(.camera)?.remote?.roundTripTime, await stream(.microphone)?.remote?.roundTripTime]
        return times.allSatisfy { $0 != nil }
      }
      try await wait(for: "two seconds of pictures") { (await stream(.camera)?.video?.framesEncoded ?? 0) >= 40 }
      for source in [TrackSource.camera, .microphone] {
        let sent = try #require(await stream(source))
        #expect(sent.active && sent.packetsSent > 20 && sent.bytesSent > 500 && sent.headerBytesSent > 0)
        #expect(sent.targetBitrate > .zero && sent.nackCount == 0)
        #expect(sent.retransmittedPacketsSent <= sent.packetsSent)
        let remote = try #require(sent.remote)
        #expect(remote.packetsLost == 0 && remote.fractionLost == 0 && remote.jitter < .seconds(1))
        #expect(remote.roundTripTimeMeasurements > 0)
        #expect(try #require(remote.roundTripTime) < .seconds(1))
      }
      let video = try #require(await stream(.camera)?.video)
      #expect(video.framesEncoded >= video.framesSent && video.framesSent > 0)
      #expect(video.keyFramesEncoded >= 1 && video.keyFramesEncoded < video.framesEncoded)
      #expect(video.totalEncodeTime > .zero && video.totalEncodeTime < .seconds(20))
      // A picture every 50 ms; a busy machine may leave some out.
      #expect((5...21).contains(video.framesPerSecond))
      #expect(video.frameWidth > 0 && video.frameHeight > 0 && video.frameWidth <= 320)
      #expect(video.pliCount + video.firCount >= 1, "Bob, who came later, needed a keyframe")

      ann.local.publication(.microphone)?.setMuted(true)
      #expect(await stream(.microphone)?.active == false)
      await bob.leave()
      await ann.leave()
    }
  }

  @Test("the limit of a video is named: bandwidth, the processor, or that nobody watches")
  func limits() async throws {
    try await LiveServer.run { server in
      let ann = try Meeting("\(server.url)/limits", name: "Ann")
      let pictures = PushVideoSource()
      try await ann.local.publish(LocalVideoTrack(pictures))
      let large = LocalVideoTrack(
        TestPictureSource(width: 640, height: 360), options: VideoOptions(maximumBitrate: .kilobits(40)))
      try await ann.local.publish(large, as: .screen)
      try await ann.join()
      let bob = try await Meeting.join("\(server.url)/limits", name: "Bob")
      var seen: [TrackSource: QualityLimitationReason] = [:]
      func reasons() async -> [TrackSource: QualityLimitationReason] {
        var reasons: [TrackSource: QualityLimitationReason] = [:]
        for stream in await ann.statistics()?.outbound ?? [] {
          reasons[stream.source] = stream.video?.qualityLimitationReason
        }
        return reasons
      }
      let frame = VideoFrame(width: 320, height: 180, time: MonotonicClock.now) { _, _, _ in }
      func push() { pictures.push(frame.with(time: MonotonicClock.now)) }
      try await wait(for: "a calm camera without limits, it has \(seen)") {
        push()
        try? await Task.sleep(nanoseconds: 30_000_000)
        seen = await reasons()
        return seen[.camera] == QualityLimitationReason.none
      }
      try await wait(for: "40 kb/s to limit the screen, seen \(seen)") {
        seen = await reasons()
        return seen[.screen] == .bandwidth
      }
      try await wait(for: "pictures that come faster than they are encoded to be noticed, seen \(seen)") {
        for _ in 0..<100 { push() }
        seen = await reasons()
        return seen[.camera] == .cpu
      }
      try await wait(for: "Bob's subscription") { bob.participants.first?.publication(.screen)?.subscription != nil }
      bob.participants.first?.publication(.screen)?.subscription?.show(width: 0, height: 0)
      try await wait(for: "a screen that nobody watches, seen \(seen)") {
        seen = await reasons()
        return seen[.screen] == .other
      }
      #expect(await ann.statistics()?.outbound.first { $0.source == .screen }?.active == false)
      await bob.leave()
      await ann.leave()
    }
  }

  @Test(
    "inbound video statistics count what was decoded, with delay and size")
  func receivingPictures() async throws {
    try await LiveServer.run { server in
      let ann = try Meeting("\(server.url)/pictures", name: "Ann")
      try await ann.local.publish(LocalVideoTrack(TestPictureSource(width: 320, height: 180, framesPerSecond: 20)))
      try await ann.join()
      let bob = try await Meeting.join("\(server.url)/pictures", name: "Bob")
      try await wait(for: "the subscription") { bob.participants.first?.publication(.camera)?.subscription != nil }
      let track = try #require(bob.participants.first?.publication(.camera)?.subscription?.video)
      func stream() async -> InboundTrackStatistics? { await bob.statistics()?.inbound.first }

      // Received, and not decoded while nobody watches.
      try await wait(for: "pictures that nobody watches") { (await stream()?.video?.framesReceived ?? 0) >= 5 }
      #expect(await stream()?.video?.framesDecoded == 0)
      let sink = NullSink()
      track.add(sink)
      try await wait(for: "two seconds of pictures") { (await stream()?.video?.framesDecoded ?? 0) >= 40 }

      let before = track.framesDecoded
      let received = try #require(await stream())
      let after = track.framesDecoded
      let video = try #require(received.video)
      #expect((before...after).contains(Int(video.framesDecoded)), "the track and the statistics differ")
      #expect(video.keyFramesDecoded >= 1 && video.keyFramesDecoded <= video.framesDecoded)
      #expect(video.framesReceived >= video.framesDecoded && video.framesDropped <= video.framesReceived)
      #expect(video.frameWidth == track.size.width && video.frameWidth > 0 && video.frameHeight > 0)
      #expect((5...21).contains(video.framesPerSecond))
      #expect(video.totalDecodeTime > .zero && video.totalInterFrameDelay > .seconds(1))
      #expect(video.totalFreezesDuration.seconds >= 0.15 * Double(video.freezeCount))
      #expect(received.packetsReceived >= video.framesDecoded && received.bytesReceived > 1_000)
      #expect(received.packetsLost == 0 && received.jitter < .seconds(1))
      #expect(received.jitterBufferEmittedCount >= video.framesDecoded)
      let delay = received.jitterBufferDelay / Double(received.jitterBufferEmittedCount)
      #expect(delay >= 0 && delay < 1, "a mean delay of \(delay) s")
      #expect(received.audio == nil)
      #expect(try #require(received.remote).packetsSent > 0)

      // A viewer that stops and starts again needs a keyframe.
      track.remove(sink)
      let asked = video.pliCount + video.firCount
      track.add(sink)
      try await wait(for: "the request for a keyframe to be counted") {
        guard let video = await stream()?.video else { return false }
        return video.pliCount + video.firCount > asked
      }

      track.remove(sink)
      await bob.leave()
      await ann.leave()
    }
  }

  @Test("received audio has a level from 0 to 1, and counts samples once it is heard")
  func receivingSound() async throws {
    try await LiveServer.run { server in
      let ann = try Meeting("\(server.url)/sound", name: "Ann")
      try await ann.local.publish(LocalAudioTrack(ToneSource(frequency: 440)))
      try await ann.join()
      let bob = try await Meeting.join("\(server.url)/sound", name: "Bob")
      try await wait(for: "the subscription") { bob.participants.first?.publication(.microphone)?.subscription != nil }
      let track = try #require(bob.participants.first?.publication(.microphone)?.subscription?.audio)
      func sound() async -> InboundAudioStatistics? { await bob.statistics()?.inbound.first?.audio }

      try await wait(for: "the level that the sender tells") { (await sound()?.audioLevel ?? 0) > 0 }
      let told = try #require(await sound()?.audioLevel)
      #expect(await sound()?.totalSamplesReceived == 0, "nobody hears it")
      let ear = ToneMeter()
      track.add(ear)
      try await wait(for: "a second of the tone") { ear.seconds >= 1 }
      let received = try #require(await bob.statistics()?.inbound.first)
      let audio = try #require(received.audio)
      let heard = try #require(audio.audioLevel)
      #expect(told > 0 && told <= 1 && heard > 0 && heard <= 1)
      // Both are the same tone: within 3 dB, of which the header rounds to one.
      #expect(heard / told > 0.7 && heard / told < 1.42, "heard \(heard), told \(told)")
      #expect(audio.totalSamplesReceived >= 48_000 && audio.concealedSamples < audio.totalSamplesReceived)
      #expect(audio.silentConcealedSamples <= audio.concealedSamples)
      #expect(audio.totalSamplesDuration >= 1 && audio.totalAudioEnergy > 0)
      #expect(received.jitterBufferEmittedCount > 0 && received.jitterBufferDelay > 0 && received.video == nil)
      await bob.leave()
      await ann.leave()
    }
  }

  @Test("counts of a slot's earlier track don't count for its present one")
  func slotsThatAreUsedAgain() async throws {
    try await LiveServer.run { server in
      let ann = try Meeting("\(server.url)/again", name: "Ann")
      let camera = try await ann.local.publish(LocalVideoTrack(TestPictureSource(width: 320, height: 180)))
      try await ann.join()
      var options = JoinOptions(name: "Bob")
      options.initialSlots = 1
      let bob = try await Meeting.join("\(server.url)/again", options: options)
      func stream(_ source: TrackSource) async -> InboundTrackStatistics? {
        await bob.statistics()?.inbound.first { $0.source == source }
      }
      try await wait(for: "60 packets of the camera") { (await stream(.camera)?.packetsReceived ?? 0) >= 60 }
      let former = try #require(await stream(.camera))
      await camera.unpublish()
      try await wait(for: "the camera's end at Bob's") { bob.participants.first?.publication(.camera) == nil }
      #expect(await bob.statistics()?.inbound.isEmpty == true, "an entry for what is not subscribed to")
      try await ann.local.publish(LocalVideoTrack(TestPictureSource(width: 320, height: 180)), as: .screen)
      try await wait(for: "the screen at Bob's") { await stream(.screen) != nil }
      let now = try #require(await stream(.screen))
      #expect(now.mid == former.mid && now.ssrc == former.ssrc, "the server took another slot")
      #expect(now.packetsReceived < 40 && now.packetsReceived > 0)
      #expect(now.video?.freezeCount == 0, "the time without a track counts as a freeze")
      await bob.leave()
      await ann.leave()
    }
  }

  @Test("transport statistics count both ways, with candidates, round trip and estimate")
  func transport() async throws {
    try await LiveServer.run { server in
      let ann = try Meeting("\(server.url)/transport", name: "Ann")
      #expect(await ann.statistics() == nil, "there is no connection yet")
      try await ann.local.publish(LocalVideoTrack(TestPictureSource(width: 320, height: 180)))
      try await ann.join()
      let bob = try await Meeting.join("\(server.url)/transport", name: "Bob")
      try await wait(for: "an estimate at Ann's") {
        await ann.statistics()?.transport.selectedCandidatePair?.availableOutgoingBitrate != nil
      }
      try await wait(for: "media at Bob's") { await bob.statistics()?.inbound.isEmpty == false }
      for meeting in [ann, bob] {
        let transport = try #require(await meeting.statistics()).transport
        #expect(transport.packetsSent > 0 && transport.bytesSent > transport.packetsSent)
        #expect(transport.packetsReceived > 0 && transport.bytesReceived > transport.packetsReceived)
        #expect([.connected, .completed].contains(transport.iceState) && transport.dtlsState == .connected)
        #expect(transport.selectedCandidatePairChanges >= 1)
        let pair = try #require(transport.selectedCandidatePair)
        #expect(pair.local.candidateType == .host && pair.remote.candidateType == .host)
        #expect(pair.local.protocol == .udp && pair.remote.protocol == .udp)
        #expect(pair.local.relayProtocol == nil && pair.local.url == nil)
        let address = try #require(pair.local.address)
        #expect(!"\(transport)".contains(address.ip.text), "an address that does not hide itself")
        #expect(try #require(pair.currentRoundTripTime) < .seconds(1))
        #expect(pair.responsesReceived >= 1 && pair.totalRoundTripTime >= .zero)
      }
      let estimate = try #require(await ann.statistics()?.transport.selectedCandidatePair?.availableOutgoingBitrate)
      #expect(estimate >= .kilobits(30))
      let ofBob = await bob.statistics()?.transport.selectedCandidatePair
      #expect(ofBob?.availableOutgoingBitrate == nil, "Bob sends nothing, so nothing can be estimated")
      await bob.leave()
      await ann.leave()
    }
  }

  @Test("frames a second are those of the last second, and a flood takes no memory")
  func frameRate() {
    var meter = FrameRateMeter()
    #expect(meter.framesPerSecond(now: .zero) == 0)
    for index in 0..<100 { meter.add(.zero + .milliseconds(Int64(index) * 40)) }
    let end = Instant.zero + .milliseconds(99 * 40)
    #expect(meter.framesPerSecond(now: end) == 25)
    #expect(meter.framesPerSecond(now: end + .milliseconds(500)) == 13)
    #expect(meter.framesPerSecond(now: end + .seconds(2)) == 0)
    for _ in 0..<10_000 { meter.add(end + .seconds(3)) }
    #expect(meter.framesPerSecond(now: end + .seconds(3)) <= Double(FrameRateMeter.limit))
    meter.add(end + .seconds(5))
    #expect(meter.framesPerSecond(now: end + .seconds(5)) == 1)
  }
}
