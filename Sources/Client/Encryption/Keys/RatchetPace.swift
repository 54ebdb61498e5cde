internal import Basics

/// When a publisher's next ratchet step may be: at once for those who join alone and for the first of many, and in
/// batches for the others. A token bucket, with a least time between two steps.
struct RatchetPace {
  private let timing: KeyTiming
  private var last: Instant?
  /// When the whole burst is there again.
  private var isFullAt = Instant.zero

  init(_ timing: KeyTiming) { self.timing = timing }

  /// When the step for somebody who joins now may be.
  func earliest(now: Instant) -> Instant {
    guard let last else { return now }
    let burst = timing.joinBatch * Int64(max(timing.joinBurst, 1) - 1)
    return max(now, last + timing.joinSpacing, isFullAt - burst)
  }

  mutating func noteStep(now: Instant) {
    last = now
    isFullAt = max(isFullAt, now) + timing.joinBatch
  }
}
