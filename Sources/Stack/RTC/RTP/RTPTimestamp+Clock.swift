public import Basics

extension RTPTimestamp {
  /// The timestamp `span` later on a clock of `clockRate` ticks per second, rounded toward this one; wraps.
  @inlinable public func advanced(by span: TimeSpan, clockRate: UInt32) -> RTPTimestamp {
    RTPTimestamp(rawValue: rawValue &+ UInt32(truncatingIfNeeded: span.ticks(clockRate: clockRate)))
  }

  /// How much later this timestamp is than `other`, taking the shorter way around the wrap.
  @inlinable public func timeSpan(since other: RTPTimestamp, clockRate: UInt32) -> TimeSpan {
    let ticks = Int64(Int32(bitPattern: rawValue &- other.rawValue))
    let rate = Int64(max(clockRate, 1))
    // 2³¹ ticks times 10⁹ fits in 63 bits.
    return TimeSpan(nanoseconds: ticks &* 1_000_000_000 / rate)
  }
}

extension TimeSpan {
  /// The span in ticks of a clock. Whole seconds and the rest apart, so that no product leaves 64 bits.
  @inlinable func ticks(clockRate: UInt32) -> Int64 {
    let rate = Int64(clockRate)
    let seconds = nanoseconds / 1_000_000_000
    let rest = nanoseconds % 1_000_000_000
    return seconds &* rate &+ rest &* rate / 1_000_000_000
  }
}
