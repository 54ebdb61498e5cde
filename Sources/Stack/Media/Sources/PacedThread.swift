import Basics
import Synchronization

/// A thread that calls its body at a steady rate on ``MonotonicClock``, without drift: tick n is due at
/// `start + n / rate`. Sleeps in between; uses no descriptor.
///
/// A body that falls behind by more than the maximum lateness (a laptop woke up, the machine is overloaded) loses the
/// ticks it missed; less is caught up.
final class PacedThread: Sendable {
  private let signal = StopSignal()
  private let thread: MediaThread

  /// Starts the thread.
  /// - Parameters:
  ///   - name: The thread's name in `top -H`, 15 bytes of it.
  ///   - start: When the first tick is due.
  ///   - rate: Ticks a second.
  ///   - body: Gets the instant the tick was due and its number.
  init(
    name: String, start: Instant, rate: Int, maximumLateness: TimeSpan = .milliseconds(200),
    body: @escaping @Sendable (_ due: Instant, _ index: Int64) -> Void
  ) throws(MediaError) {
    let rate = Int64(max(rate, 1))
    // Split into seconds and rest, so that neither days of running nor odd rates lose a nanosecond.
    @Sendable func due(_ index: Int64) -> Instant {
      start + TimeSpan(nanoseconds: index / rate &* 1_000_000_000 &+ index % rate &* 1_000_000_000 / rate)
    }
    thread = try MediaThread(name: name) { [signal] in
      var index: Int64 = 0
      while signal.sleep(until: due(index)) {
        let now = MonotonicClock.now
        if maximumLateness < now - due(index) { index = (now - start).microseconds &* rate / 1_000_000 }
        body(due(index), index)
        index += 1
      }
    }
  }

  /// Ends the thread and waits for it; afterwards the body is not called any more. Called from the body itself, it only
  /// makes the call under way the last one.
  func stop() {
    signal.raise()
    thread.join()
  }
}
