import Basics
import Media
import RTC
import Testing

/// The playout with the codec itself.
@Suite struct OpusPlayoutTests {
  /// Ten seconds of a tone over a network; `drops` says which packets are lost.
  private static func play(
    _ settings: OpusEncoderSettings, jitter: Int64 = 0, drops: (Int) -> Bool = { _ in false }
  ) throws -> (samples: [Int16], statistics: AudioPlayoutStatistics) {
    let encoder = try OpusEncoder(settings)
    let playout = AudioPlayout(decoder: try OpusDecoder())
    var random = SeededGenerator(seed: 8)
    var waiting: [(ReceivedPacket, [UInt8])] = []
    var samples: [Int16] = []
    var number = 0
    for tick in 0..<1_000 {
      let now = Instant.milliseconds(Int64(tick) * 10)
      let sound = AudioFrame(samples: (0..<480).map { Tone.sample(Int64(tick * 480 + $0), 440) }, time: now)
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
    let (samples, statistics) = try Self.play(OpusEncoderSettings(), jitter: 40)
    let settled = Array(samples[(48_000 * 2)...])
    #expect(abs(Tone.frequency(settled) - 440) < 2)
    #expect(Tone.largestStep(settled) < 900)
    #expect(statistics.concealedSamples < 4_800)
    #expect(statistics.audioLevel > 0.1)
  }

  @Test func copiesInTheNextPacketReplaceSingleLosses() throws {
    let settings = OpusEncoderSettings(expectedLossPercent: 20)
    let (samples, statistics) = try Self.play(settings) { $0 > 50 && $0 % 10 == 0 }
    print("opus with copies: recovered \(statistics.recoveredPackets), concealed \(statistics.concealedSamples)")
    #expect(statistics.recoveredPackets >= 35)
    #expect(abs(Tone.frequency(Array(samples[(48_000 * 2)...])) - 440) < 4)
    let without = try Self.play(OpusEncoderSettings(usesForwardErrorCorrection: false)) { $0 > 50 && $0 % 10 == 0 }
    #expect(without.statistics.recoveredPackets == 0)
    #expect(without.statistics.concealedSamples >= 40 * 960)
  }
}
