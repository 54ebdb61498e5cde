import Basics
import Testing

@testable import RTC

/// Keyframe requests of senders, receivers and the SFU.
@Suite struct KeyframeThrottleTests {
  /// The milliseconds at which requests go out while every millisecond somebody asks.
  private func times(_ throttle: KeyframeThrottle, urgent: Bool, asks: Bool) -> [Int64] {
    var throttle = throttle
    throttle.request(urgent: urgent)
    return (0..<2_000).filter { millisecond in
      if asks { throttle.request(urgent: urgent) }
      return throttle.take(now: .milliseconds(10_000) + .milliseconds(millisecond))
    }
  }

  @Test("urgent requests come sooner, each after double the time, others by the interval")
  func intervals() {
    let plain = KeyframeThrottle(interval: .milliseconds(500), urgentInterval: .milliseconds(100))
    let sender = KeyframeThrottle(
      interval: .milliseconds(500), urgentInterval: .milliseconds(100), repeatsUrgently: true)
    #expect(times(plain, urgent: false, asks: true) == [0, 500, 1_000, 1_500])
    #expect(times(plain, urgent: true, asks: true) == [0, 100, 300, 700, 1_200, 1_700])
    // An unanswered request is repeated.
    #expect(times(plain, urgent: true, asks: false) == [0, 500, 1_000, 1_500])
    #expect(times(sender, urgent: true, asks: false) == [0, 100, 300, 700, 1_200, 1_700])
  }

  @Test("a keyframe answers what was asked before it, and the next request waits")
  func answers() {
    var throttle = KeyframeThrottle(interval: .milliseconds(500), urgentInterval: .milliseconds(100))
    let start = Instant.milliseconds(10_000)
    #expect(throttle.deadline == .distantFuture)
    throttle.request(urgent: true)
    let first = throttle.take(now: start)
    throttle.keyframeArrived()
    #expect(first && !throttle.isPending && throttle.deadline == .distantFuture)
    throttle.request()
    #expect(throttle.deadline == start + .milliseconds(500))
    throttle.request(urgent: true)
    #expect(throttle.deadline == start + .milliseconds(100))
  }
}
