import Basics
import RTC
import TestSeeds
import Testing

@Suite("NTP time, RFC 3550 section 4", .tellsSeeds)
struct NTPTimeTests {
  @Test("Unix time maps to seconds since 1900 and a binary fraction")
  func unix() {
    #expect(NTPTime(unixNanoseconds: 0).rawValue == (2_208_988_800 as UInt64) << 32)
    #expect(NTPTime(unixNanoseconds: 500_000_000).rawValue == (2_208_988_800 as UInt64) << 32 | 0x8000_0000)
    #expect(NTPTime(unixNanoseconds: -500_000_000).rawValue == (2_208_988_799 as UInt64) << 32 | 0x8000_0000)
  }

  @Test("differences and sums agree within a nanosecond, also across the wrap of 2036")
  func arithmetic() {
    var random = SeededRandom(seed: TestSeed.of(1900))
    for base: UInt64 in [0, 2_208_988_800 << 32, .max - 5, 0xFFFF_FFFF_8000_0000] {
      for _ in 0..<1_000 {
        let span = TimeSpan(nanoseconds: Int64(random.next() % 200_000_000_000_000_000) - 100_000_000_000_000_000)
        let time = NTPTime(rawValue: base)
        let back = (time + span) - time
        #expect(abs(back.nanoseconds - span.nanoseconds) <= 1)
      }
    }
  }

  @Test("the absolute send time is the low 6 bits of the seconds and 18 of the fraction")
  func absSendTime() {
    #expect(AbsSendTime(NTPTime(rawValue: 65 << 32 | 0x8000_0000)).rawValue == 1 << 18 | 1 << 17)
  }

  @Test("the middle 32 bits are 16 of seconds and 16 of fraction, RFC 3550 section 6.4.1")
  func middle() {
    #expect(NTPTime(rawValue: 0x1234_5678_9ABC_DEF0).middle32 == 0x5678_9ABC)
  }
}
