import Basics
import Parley
import Synchronization
import TestSupport
import Testing

/// Two Swift clients in one meeting on a real server: real ICE, DTLS, SRTP and codecs.
@MainActor @Suite(.serialized) struct MeetingTests {
  @Test func twoParticipantsSeeHearAndTalkToEachOther() async throws {
    try await LiveServer.run { server in
      let ann = try Meeting("\(server.url)/talk", name: "Ann")
      let annSees = Witness(ann)
      try await ann.local.publish(LocalVideoTrack(TestPictureSource(.planets, width: 320, height: 180, sourceID: 7)))
      try await ann.local.publish(LocalAudioTrack(ToneSource(frequency: 440)))
      try await ann.join()
      #expect(ann.state == .connected)

      let bob = try Meeting("\(server.url)/talk#userInfo.displayName=Bob")
      let bobSees = Witness(bob)
      try await bob.join()
      #expect(bob.local.name == "Bob")
      #expect(bob.state == .connected)

      // The picture's marker names its sender, and its time goes on.
      let person = try #require(bob.participants.first { $0.name == "Ann" })
      try await wait(for: "Bob's subscription to Ann's camera") { person.publication(.camera)?.subscription != nil }
      let track = try #require(person.publication(.camera)?.subscription?.video)
      var marks: [Int64] = []
      for await frame in track.frames {
        guard let mark = TestPictureMarker.read(from: frame) else { continue }
        #expect(mark.sourceID == 7)
        // The estimate of the network may ask for a smaller picture, never for another shape.
        #expect((100...320).contains(frame.width) && abs(frame.width * 9 - frame.height * 16) <= 32)
        marks.append(mark.milliseconds)
        if marks.count == 10 { break }
      }
      // A key frame that is asked for between two pictures of the source shows the newest once more.
      #expect(marks == marks.sorted() && Set(marks).count >= marks.count - 1, "times do not rise: \(marks)")
      try await wait(for: "the first frame's event") { bobSees.saw("firstFrame camera") }

      // The sound.
      let audio = try #require(person.publication(.microphone)?.subscription?.audio)
      let ear = ToneMeter()
      audio.add(ear)
      try await wait(for: "a second of Ann's tone, heard \(ear.seconds) s") { ear.seconds >= 1.2 }
      let heard = ear.frequency
      #expect(abs(heard - 440) < 5, "heard \(heard) Hz")

      // Mute, chat and names travel by signalling.
      ann.local.publication(.camera)?.setMuted(true)
      try await wait(for: "the mute of Ann's camera at Bob's") { bobSees.saw("muted camera") }
      // A muted picture isn't sent, rather than sent and hidden; the sound, which goes on, shows how long the test
      // watched.
      var before = await sent(by: ann)
      try await wait(for: "half a second of sound") { await sent(by: ann).sound >= before.sound + 25 }
      let muted = await sent(by: ann)
      #expect(
        muted.pictures <= before.pictures + 2, "\(muted.pictures - before.pictures) pictures were sent while muted")
      ann.local.publication(.camera)?.setMuted(false)
      try await wait(for: "the unmute") { bobSees.saw("unmuted camera") }
      try await wait(for: "pictures after the unmute") { await sent(by: ann).pictures >= muted.pictures + 5 }
      // And the other way round.
      ann.local.publication(.microphone)?.setMuted(true)
      try await wait(for: "the mute of Ann's microphone at Bob's") { bobSees.saw("muted microphone") }
      before = await sent(by: ann)
      try await wait(for: "ten more pictures") { await sent(by: ann).pictures >= before.pictures + 10 }
      let silent = await sent(by: ann)
      #expect(silent.sound <= before.sound + 3, "\(silent.sound - before.sound) packets of sound were sent while muted")
      ann.local.publication(.microphone)?.setMuted(false)
      try await wait(for: "sound after the unmute") { await sent(by: ann).sound >= silent.sound + 10 }
      try bob.send(chat: "hello Ann")
      try await wait(for: "the chat message at Ann's") { annSees.saw("chat Bob: hello Ann") }
      try await wait(for: "the chat message at Bob's own") { bob.chat.contains { $0.text == "hello Ann" } }
      bob.local.rename("Bobby")
      try await wait(for: "Bob's new name at Ann's") { ann.participants.contains { $0.name == "Bobby" } }

      // Publishing and unpublishing while the meeting goes on.
      let screen = try await bob.local.publish(
        LocalVideoTrack(TestPictureSource(.bars, width: 320, height: 180, sourceID: 9)), as: .screen)
      try await wait(for: "Bob's screen at Ann's") { annSees.saw("subscribed screen") }
      await screen.unpublish()
      try await wait(for: "the end of Bob's screen at Ann's") { annSees.saw("unpublished screen") }

      await bob.leave()
      #expect(bob.state == .ended && bob.endReason == .left)
      try await wait(for: "Bob's leaving at Ann's") { annSees.saw("participantLeft Bobby left") }
      await ann.leave()
    }
  }

  /// How many pictures, and how many packets of sound, were sent so far.
  private func sent(by meeting: Meeting) async -> (pictures: UInt64, sound: UInt64) {
    let streams = await meeting.statistics()?.outbound ?? []
    return (
      streams.filter { $0.kind == .video }.reduce(0) { $0 + ($1.video?.framesSent ?? 0) },
      streams.filter { $0.kind == .audio }.reduce(0) { $0 + $1.packetsSent }
    )
  }

  @Test(arguments: [Codec.vp8, .vp9, .h264]) func everyCodecArrives(_ codec: Codec) async throws {
    try await LiveServer.run { server in
      let ann = try Meeting("\(server.url)/codec", name: "Ann")
      let source = TestPictureSource(.waves, width: 320, height: 180, sourceID: 3)
      try await ann.local.publish(LocalVideoTrack(source, options: VideoOptions(codec: codec)))
      try await ann.join()
      let bob = try await Meeting.join("\(server.url)/codec", name: "Bob")
      try await wait(for: "the subscription") {
        bob.participants.first?.publication(.camera)?.subscription != nil
      }
      let track = try #require(bob.participants.first?.publication(.camera)?.subscription?.video)
      var seen = 0
      for await frame in track.frames {
        if TestPictureMarker.read(from: frame)?.sourceID == 3 { seen += 1 }
        if seen == 5 { break }
      }
      let statistics = try #require(await bob.statistics())
      #expect(statistics.inbound.contains { $0.codec?.codec == codec })
      await bob.leave()
      await ann.leave()
    }
  }

  @Test func dataReachesAllOrOneReliablyAndLossily() async throws {
    try await LiveServer.run { server in
      let ann = try await Meeting.join("\(server.url)/data", name: "Ann")
      let bob = try await Meeting.join("\(server.url)/data", name: "Bob")
      let cid = try await Meeting.join("\(server.url)/data", name: "Cid")
      let (bobSees, cidSees) = (Witness(bob), Witness(cid))
      try await wait(for: "everybody at Ann's") { ann.participants.count == 2 }
      let large = (0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      try await ann.send(large, topic: "file")
      try await wait(for: "the message to all at Bob's") { bobSees.data.count == 1 }
      try await wait(for: "the message to all at Cid's") { cidSees.data.count == 1 }
      #expect(bobSees.data[0].bytes == large)
      #expect(bobSees.data[0].topic == "file" && bobSees.data[0].isReliable)
      #expect(bobSees.data[0].sender?.name == "Ann")

      let only = try #require(ann.participants.first { $0.name == "Bob" })
      try await ann.send(Array("psst".utf8), reliability: .lossy, to: [only])
      try await wait(for: "the private message at Bob's") { bobSees.data.count == 2 }
      #expect(!bobSees.data[1].isReliable)
      try await ann.send(Array("all".utf8))
      try await wait(for: "the second message to all at Cid's") { cidSees.data.count == 2 }
      #expect(cidSees.data[1].bytes == Array("all".utf8), "Cid got what was for Bob alone")
      await #expect(throws: JoinError.self) { try await ann.send(large + large) }
      for meeting in [ann, bob, cid] { await meeting.leave() }
    }
  }

  @Test func simulcastSendsThreeLayers() async throws {
    try await LiveServer.run { server in
      let ann = try Meeting("\(server.url)/layers", name: "Ann")
      let options = VideoOptions(maximumBitrate: .kilobits(2_500), simulcast: true)
      try await ann.local.publish(
        LocalVideoTrack(TestPictureSource(width: 1_280, height: 720), options: options))
      try await ann.join()
      let bob = try await Meeting.join("\(server.url)/layers", name: "Bob")
      try await wait(for: "the subscription") { bob.participants.first?.publication(.camera)?.subscription != nil }
      let track = try #require(bob.participants.first?.publication(.camera)?.subscription?.video)
      for await frame in track.frames where TestPictureMarker.read(from: frame) != nil { break }
      var layers: [String] = []
      try await wait(for: "three layers in the statistics, there are \(layers)") {
        let outbound = await ann.statistics()?.outbound ?? []
        layers = outbound.filter { $0.video.map { $0.framesSent > 0 } == true }.compactMap { $0.rid?.rawValue }.sorted()
        return layers == ["f", "h", "q"]
      }
      await bob.leave()
      await ann.leave()
    }
  }
}

/// Measures a tone by its zero crossings.
final class ToneMeter: AudioSink {
  private struct State {
    var samples = 0
    var crossings = 0
    var last: Int16 = 0
    /// Sound begins somewhere; crossings are counted from the first loud sample.
    var isRunning = false
  }

  private let state = Mutex(State())

  func receive(_ frame: AudioFrame) {
    state.withLock { state in
      for sample in stride(from: 0, to: frame.samples.count, by: frame.channels) {
        let value = frame.samples[sample]
        if !state.isRunning {
          state.isRunning = abs(Int32(value)) > 1_000
          state.last = value
          continue
        }
        state.samples += 1
        if state.last < 0 && value >= 0 { state.crossings += 1 }
        state.last = value
      }
    }
  }

  var seconds: Double { state.withLock { Double($0.samples) / 48_000 } }
  var frequency: Double { state.withLock { Double($0.crossings) / max(Double($0.samples) / 48_000, 0.001) } }
}
