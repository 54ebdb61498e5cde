import Basics
import Foundation
import Media
import RTC
import TestSeeds
import Testing

/// Something like a voice: a gliding pitch of 140 Hz with overtones, louder and softer. A mere tone is coded without
/// copies.
private func voice(_ start: Int) -> [Int16] {
  (0..<480).map { (index: Int) -> Int16 in
    let time = Double(start + index) / 48_000
    let pitch = 2 * Double.pi * (140 * time + 12 * sin(2 * .pi * 2.5 * time))
    let loudness = 0.25 + 0.2 * sin(2 * .pi * 4 * time)
    var sum = 0.0
    for overtone in 1...8 { sum += sin(Double(overtone) * pitch) / Double(overtone) }
    return Int16(max(-1, min(1, sum * loudness)) * 20_000)
  }
}

private func tone(_ start: Int) -> [Int16] {
  (0..<480).map { (index: Int) -> Int16 in Tone.sample(Int64(start + index), 440) }
}

/// The playout with the codec itself.
@Suite(.tellsSeeds) struct OpusPlayoutTests {
  /// Ten seconds of a sound over a network; `drops` says which packets are lost.
  private static func play(
    _ settings: OpusEncoderSettings, _ source: (Int) -> [Int16], jitter: Int64 = 0,
    drops: (Int) -> Bool = { _ in false }
  ) throws -> (samples: [Int16], statistics: AudioPlayoutStatistics) {
    let encoder = try OpusEncoder(settings)
    let playout = AudioPlayout(decoder: try OpusDecoder())
    var random = SeededGenerator(seed: TestSeed.of(8))
    var waiting: [(ReceivedPacket, [UInt8])] = []
    var samples: [Int16] = []
    var number = 0
    for tick in 0..<1_000 {
      let now = Instant.milliseconds(Int64(tick) * 10)
      let sound = AudioFrame(samples: source(tick * 480), time: now)
      if let frame = try encoder.encode(sound) {
        if !drops(number) {
          let arrival = now + .milliseconds(5 + Int64(random.unit() * Double(jitter)))
          waiting.append(
            (
              ReceivedPacket(
                mid: MID(rawValue: "0"), ssrc: SSRC(rawValue: 1), codec: .opus, sequence: Int64(number),
                timestamp: frame.timestamp, arrival: arrival), frame.data
            ))
        }
        number += 1
      }
      for (packet, bytes) in waiting where packet.arrival <= now {
        playout.insert(packet, payload: bytes.span, now: packet.arrival)
      }
      waiting.removeAll { $0.0.arrival <= now }
      samples += playout.next(now: now).samples
    }
    return (samples, playout.statistics)
  }

  @Test func aToneIsHeardAtItsPitchThroughJitter() throws {
    let (samples, statistics) = try Self.play(OpusEncoderSettings(), tone, jitter: 40)
    let settled = Array(samples[(48_000 * 2)...])
    #expect(abs(Tone.frequency(settled) - 440) < 2)
    #expect(Tone.largestStep(settled) < 900)
    #expect(statistics.concealedSamples < 4_800)
    #expect(statistics.audioLevel > 0.1)
  }

  @Test func copiesInTheNextPacketReplaceSingleLosses() throws {
    func isLost(_ number: Int) -> Bool { number > 50 && number % 10 == 0 }
    var settings = OpusEncoderSettings(bitrate: .kilobits(24), expectedLossPercent: 20)
    let (_, with) = try Self.play(settings, voice, drops: isLost)
    settings.usesForwardErrorCorrection = false
    let (_, without) = try Self.play(settings, voice, drops: isLost)
    print(
      "opus: recovered \(with.recoveredPackets), made up \(with.concealedSamples) samples; without copies \(without.concealedSamples)"
    )
    #expect(with.recoveredPackets >= 30)
    #expect(with.concealedSamples + with.recoveredPackets * 960 <= 46 * 960)
    #expect(without.recoveredPackets == 0)
    #expect(without.concealedSamples >= 40 * 960)
  }
}
