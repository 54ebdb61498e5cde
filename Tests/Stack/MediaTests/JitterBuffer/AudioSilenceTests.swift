import Basics
import Media
import RTC
import TestSeeds
import Testing

@Suite(.tellsSeeds) struct AudioSilenceTests {
  private func packet(_ sequence: Int64, _ timestamp: Int64, ssrc: UInt32 = 1, at now: Instant) -> ReceivedPacket {
    ReceivedPacket(
      mid: MID(rawValue: "0"), ssrc: SSRC(rawValue: ssrc), codec: .opus, sequence: 70_000 + sequence,
      timestamp: RTPTimestamp(rawValue: UInt32(truncatingIfNeeded: timestamp)), arrival: now)
  }

  /// RFC 7587 section 3.1.3: without packets the sender is silent, not lost. Speech of a second, then silence with a
  /// packet every 400 ms, then speech.
  @Test(arguments: [true, false]) func discontinuousTransmissionIsSilenceAndNotLoss(hasMarkers: Bool) {
    let decoder = ToneDecoder()
    let playout = AudioPlayout(decoder: decoder)
    var sequence: Int64 = 0
    for tick in 0..<1_000 {
      let now = Instant.milliseconds(Int64(tick) * 10)
      if tick % 2 == 0 {
        let step = Int64(tick / 2)
        let isSpeech = step < 50 || step >= 250
        // Some senders leave the short packets out altogether and repeat a whole one: then only media time shows it.
        let payload = isSpeech || !hasMarkers ? ToneDecoder.packet(step * 960) : [0xF8]
        if isSpeech || (step - 50) % 20 == 0 {
          playout.insert(packet(sequence, step * 960, at: now), payload: payload.span, now: now)
          sequence += 1
        }
      }
      #expect(playout.next(now: now).samples.count == 480)
    }
    #expect(playout.statistics.concealedSamples == 0)
    #expect(playout.statistics.concealmentEvents == 0)
    #expect(playout.statistics.packetsDiscarded == 0)
    #expect(decoder.decoded.count >= 295)
    #expect(playout.currentDelay <= .milliseconds(50))
  }

  /// A muted sender stops without a word: after a short fade there is silence, which does not count as a failure of the
  /// network.
  @Test func aMutedSenderIsSilent() {
    var options = AudioCall.Options()
    options.seconds = 30
    options.isMute = false
    options.speaks = { $0 < 250 || $0 >= 1_250 }
    var call = AudioCall(options)
    var silent = 0
    call.run { call, tick in
      if tick > 600, tick < 2_400, call.heard.suffix(480).allSatisfy({ $0 == 0 }) { silent += 1 }
    }
    #expect(silent == 1_799)
    #expect(call.playout.statistics.concealedSamples == 0)
    #expect(Tone.largestStep(call.heard) < 800)
    #expect(call.decoder.decoded.count > 490)
    #expect(call.delays.last ?? .zero <= .milliseconds(40))
  }

  @Test func paddingIsNotLoss() {
    let playout = AudioPlayout(decoder: ToneDecoder())
    var sequence: Int64 = 0
    for tick in 0..<500 {
      let now = Instant.milliseconds(Int64(tick) * 10)
      if tick % 2 == 0 {
        let bytes = ToneDecoder.packet(Int64(tick) * 480)
        playout.insert(packet(sequence, Int64(tick) * 480, at: now), payload: bytes.span, now: now)
        sequence += 1
        if tick % 10 == 0 {
          playout.insert(packet(sequence, Int64(tick) * 480, at: now), payload: Span(), now: now)
          sequence += 1
        }
      }
      _ = playout.next(now: now)
    }
    #expect(playout.statistics.concealedSamples == 0)
    #expect(playout.statistics.packetsDiscarded == 0)
  }

  @Test func anotherSourceIsHeardAtOnceAndWithoutAClick() {
    let playout = AudioPlayout(decoder: ToneDecoder())
    var heard: [Int16] = []
    var position: AudioPlayout.Position?
    for tick in 0..<600 {
      let now = Instant.milliseconds(Int64(tick) * 10)
      if tick % 2 == 0 {
        let isSecond = tick >= 300
        let timestamp = Int64(tick) * 480 + (isSecond ? 4_000_000_000 : 0)
        let bytes = ToneDecoder.packet(timestamp)
        let received = packet(Int64(tick / 2) + (isSecond ? 9_000 : 0), timestamp, ssrc: isSecond ? 2 : 1, at: now)
        playout.insert(received, payload: bytes.span, now: now)
      }
      let frame = playout.next(now: now)
      heard += frame.samples
      if tick == 310 { position = playout.position }
    }
    #expect(position != nil)
    #expect(heard[(320 * 480)...].filter { $0 == 0 }.count < 2_000)
    #expect(playout.statistics.concealedSamples <= 48 * 60)
    #expect(playout.statistics.audioLevel > 0.15 && playout.statistics.audioLevel < 0.3)
  }

  @Test func theDelayThatOtherStreamsNeedIsKept() {
    var options = AudioCall.Options()
    options.seconds = 30
    var call = AudioCall(options)
    call.run { call, tick in
      if tick == 500 { call.playout.minimumDelay = .milliseconds(300) }
      if tick == 1_500 {
        #expect(call.playout.currentDelay >= .milliseconds(280) && call.playout.currentDelay <= .milliseconds(320))
        call.playout.minimumDelay = .zero
      }
    }
    #expect(call.gaps == 0)
    #expect(call.playout.currentDelay <= .milliseconds(40))
    #expect(call.playout.statistics.insertedSamplesForDeceleration > 48 * 200)
    #expect(call.playout.statistics.removedSamplesForAcceleration > 48 * 200)
  }

  @Test func beforeTheFirstPacketThereIsSilence() {
    let playout = AudioPlayout(decoder: ToneDecoder(channels: 2))
    let frame = playout.next(now: .zero)
    #expect(frame.samples == [Int16](repeating: 0, count: 960))
    #expect(frame.channels == 2)
    #expect(playout.position == nil)
    #expect(playout.statistics.totalSamplesReceived == 0)
  }

  @Test("audio that nobody plays keeps its newest packets and can start there")
  func unplayed() {
    var buffer = AudioJitterBuffer()
    buffer.isPlayed = false
    for index in 0..<500 {
      let time = Instant.milliseconds(Int64(index) * 20)
      let timestamp = Int64(index) * 960
      let payload = ToneDecoder.packet(timestamp, hasCopy: false)
      buffer.insert(packet(Int64(index), timestamp, ssrc: 1, at: time), payload: payload.span, now: time)
      #expect(buffer.bufferedPackets == min(index + 1, 10))
    }
    buffer.isPlayed = true
    _ = buffer.next(now: .milliseconds(9_981 + 1_000), ahead: 0)
    #expect(buffer.nextTimestamp.map { $0.rawValue >= 490 * 960 } == true)
  }

  /// Anything may arrive: it is played or dropped, 10 ms come each time, and memory stays bounded.
  @Test(arguments: [1, 2, 3, 4] as [UInt64]) func hostilePacketsNeitherTrapNorGrow(seed: UInt64) {
    var random = SeededGenerator(seed: TestSeed.of(seed))
    let playout = AudioPlayout(decoder: ToneDecoder(isMute: true))
    var buffer = AudioJitterBuffer()
    var now = Instant.milliseconds(5)
    for round in 0..<15_000 {
      let isWild = random.unit() < 0.2
      let step = Int64(round / 2)
      var sequence = step
      if isWild {
        let shift = Int64(random.next() % 60) + 2
        sequence = Int64(truncatingIfNeeded: random.next()) >> shift
      }
      let timestamp = isWild ? Int64(random.next() & 0xFFFF_FFFF) : step * 960
      var payload = ToneDecoder.packet(timestamp, hasCopy: random.unit() < 0.5)
      if random.unit() < 0.1 { payload = (0..<Int(random.next() % 1_700)).map { _ in UInt8(random.next() & 255) } }
      var received = packet(sequence, timestamp, ssrc: random.unit() < 0.01 ? 2 : 1, at: now)
      received.isRetransmission = random.unit() < 0.1
      if random.unit() < 0.05 { received.codec = .telephoneEvent }
      playout.insert(received, payload: payload.span, now: now)
      buffer.insert(received, payload: payload.span, now: now)
      #expect(buffer.bufferedPackets <= buffer.configuration.maximumPackets)
      if random.unit() < 0.5 { #expect(playout.next(now: now).samples.count == 480, "round \(round), seed \(seed)") }
      if random.unit() < 0.01 { playout.reset() }
      now = now + .microseconds(Int64(random.next() % 20_000))
    }
    // Good audio is heard again afterwards.
    let before = playout.statistics.jitterBufferEmittedCount
    for step in 0..<200 {
      let timestamp = 500_000_000 + Int64(step) * 960
      let bytes = ToneDecoder.packet(timestamp)
      playout.insert(packet(1 << 50 + Int64(step), timestamp, at: now), payload: bytes.span, now: now)
      _ = playout.next(now: now)
      _ = playout.next(now: now + .milliseconds(10))
      now = now + .milliseconds(20)
    }
    #expect(playout.statistics.jitterBufferEmittedCount - before > 150 * 960, "seed \(seed)")
  }
}
