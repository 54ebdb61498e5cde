import Synchronization
import Testing

@testable import Parley

/// When a signal is a wish of its own.
@Suite struct StopSignalsTests {
  @Test("one wish that arrives as several signals ends nothing by force; a later one does")
  func wishes() {
    let first = Atomic<Int64>(0)
    let begin: Int64 = 5_000_000_000_000
    #expect(StopSignals.request(at: begin, first: first) == .end)
    for nanoseconds in [0, 1, 1_000_000, 999_999_999, 1_000_000_000] as [Int64] {
      #expect(StopSignals.request(at: begin + nanoseconds, first: first) == .same)
    }
    // A handler that was overtaken by another one, whose clock was read later.
    #expect(StopSignals.request(at: begin - 5, first: first) == .same)
    #expect(StopSignals.request(at: begin + 1_000_000_001, first: first) == .endAtOnce)
  }
}
