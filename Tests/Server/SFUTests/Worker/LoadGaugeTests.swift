import Basics
import Testing

@testable import SFU

@Suite("Load gauge")
struct LoadGaugeTests {
  @Test("no packet waits while the core has room; the wait follows the load both ways")
  func follows() {
    var gauge = LoadGauge(maximumHold: .milliseconds(5))
    var now = Instant.milliseconds(0)
    func run(busy: Int64, idle: Int64, ticks: Int) {
      for _ in 0..<ticks {
        let start = now + .microseconds(idle)
        now = start + .microseconds(busy)
        gauge.tick(start: start, end: now)
      }
    }
    run(busy: 200, idle: 800, ticks: 1_000)
    #expect(gauge.hold == .zero)
    run(busy: 990, idle: 10, ticks: 1_000)
    #expect(gauge.hold >= .milliseconds(4) && gauge.hold <= .milliseconds(5))
    run(busy: 800, idle: 200, ticks: 1_000)
    #expect(gauge.hold > .milliseconds(1) && gauge.hold < .milliseconds(4))
    run(busy: 200, idle: 800, ticks: 1_000)
    #expect(gauge.hold == .zero)
  }
}
