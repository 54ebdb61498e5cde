import Basics
import Media
import RTC
import TestSeeds
import Testing

/// Clocks that differ by 200 millionths, for an hour: 720 ms, which time stretching must take up.
@Suite(.tellsSeeds) struct AudioDriftTests {
  @Test(arguments: [-200.0, 200.0]) func driftOfAnHourNeitherUnderrunsNorGrows(drift: Double) {
    var buffer = AudioJitterBuffer()
    let payload = ToneDecoder.packet(0)
    var random = SeededGenerator(seed: TestSeed.of(5))
    let interval = 20_000_000.0 * (1 - drift / 1_000_000)
    var ahead = 0
    var step = 0
    var shortest = TimeSpan.seconds(9)
    var longest = TimeSpan.zero
    var madeUp = 0
    for tick in 0..<360_000 {
      let now = Instant(nanoseconds: Int64(tick) * 10_000_000)
      while Int64(Double(step) * interval) <= now.nanoseconds {
        let arrival = Instant(nanoseconds: Int64(Double(step) * interval))
        let received = ReceivedPacket(
          mid: MID(rawValue: "0"), ssrc: SSRC(rawValue: 1), codec: .opus, sequence: Int64(step),
          timestamp: RTPTimestamp(rawValue: UInt32(truncatingIfNeeded: step * 960)), arrival: arrival)
        buffer.insert(received, payload: payload.span, now: arrival)
        step += 1
      }
      while ahead < 480 {
        switch buffer.next(now: now, ahead: ahead) {
        case .decode(let bytes, let stretch):
          ahead += 960
          // Sound does not always let itself be stretched.
          let isWilling = random.unit() < 0.5
          if case .shorten(let limit, _) = stretch, isWilling, limit >= 120 { ahead -= min(limit, 480) }
          if case .lengthen(let limit) = stretch, isWilling, limit >= 120 { ahead += min(limit, 480) }
          buffer.recycle(bytes)
        case .recover(_, let samples), .conceal(let samples), .comfortNoise(let samples):
          ahead += samples
          madeUp += samples
        case .silence(let samples): ahead += samples
        }
      }
      ahead -= 480
      if tick > 1_000 {
        shortest = min(shortest, buffer.currentDelay)
        longest = max(longest, buffer.currentDelay)
      }
    }
    print("audio drift \(drift) ppm: delay \(shortest.milliseconds) to \(longest.milliseconds) ms, made up \(madeUp)")
    #expect(madeUp == 0)
    #expect(longest <= .milliseconds(60))
    #expect(shortest >= .zero)
  }
}
