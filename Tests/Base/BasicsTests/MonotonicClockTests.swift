import Basics
import Testing

@Suite("The monotonic clock")
struct MonotonicClockTests {
  @Test("it never goes back, and goes on while nobody looks")
  func order() {
    var last = MonotonicClock.now
    let start = last
    for _ in 0..<100_000 {
      let now = MonotonicClock.now
      #expect(now >= last)
      last = now
    }
    #expect(last > start)
  }
}
