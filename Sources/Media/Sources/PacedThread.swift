import Basics
import CLinux
import Glibc
import Synchronization

/// A thread that calls its body at a steady rate on ``MonotonicClock``, without drift: tick n is due at `start + n / rate`. Sleeps in
/// between; uses no descriptor.
///
/// A body that falls behind by more than ``maximumLateness`` (a laptop woke up, the machine is overloaded) loses the ticks it missed;
/// less is caught up.
// unchecked: the pthread objects are made for sharing, and the rest is constant.
final class PacedThread: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private let stopping = Atomic<Bool>(false)
  private let joined = Atomic<Bool>(false)
  private let thread = UnsafeMutablePointer<pthread_t>.allocate(capacity: 1)
  private let start: Instant
  private let rate: Int64
  private let maximumLateness: TimeSpan
  private let body: @Sendable (_ due: Instant, _ index: Int64) -> Void

  /// Starts the thread.
  /// - Parameters:
  ///   - name: What `top -H` shows, 15 bytes of it.
  ///   - start: When the first tick is due.
  ///   - rate: Ticks a second.
  ///   - body: Gets the instant the tick was due and its number.
  init(
    name: String, start: Instant, rate: Int, maximumLateness: TimeSpan = .milliseconds(200),
    body: @escaping @Sendable (_ due: Instant, _ index: Int64) -> Void
  ) throws(MediaError) {
    self.start = start
    self.rate = Int64(max(rate, 1))
    self.maximumLateness = maximumLateness
    self.body = body
    mutex = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
    // The thread owns one reference to this object and gives it back when its body ends.
    let retained = Unmanaged.passRetained(self)
    let code = parley_thread_start(
      thread, name, -1,
      { if let raw = $0 { Unmanaged<PacedThread>.fromOpaque(raw).takeRetainedValue().run() } }, retained.toOpaque())
    if code != 0 {
      retained.release()
      joined.store(true, ordering: .relaxed)
      throw .cannotOpen("A thread for \(name)", reason: "the system refused to start one (error \(code)).")
    }
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
    thread.deallocate()
  }

  /// Ends the thread and waits for it; afterwards the body is not called any more. Called from the body itself, it only makes the call
  /// under way the last one.
  func stop() {
    pthread_mutex_lock(mutex)
    stopping.store(true, ordering: .relaxed)
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
    guard joined.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else { return }
    if pthread_equal(thread.pointee, pthread_self()) != 0 {
      pthread_detach(thread.pointee)
    } else {
      pthread_join(thread.pointee, nil)
    }
  }

  private func run() {
    var index: Int64 = 0
    while sleep(until: due(index)) {
      let late = MonotonicClock.now - due(index)
      if maximumLateness < late {
        index = (MonotonicClock.now - start).nanoseconds / 1000 &* rate / 1_000_000
      }
      body(due(index), index)
      index += 1
    }
  }

  /// Split into seconds and rest, so that neither days of running nor odd rates lose a nanosecond.
  private func due(_ index: Int64) -> Instant {
    start + TimeSpan(nanoseconds: index / rate &* 1_000_000_000 &+ index % rate &* 1_000_000_000 / rate)
  }

  /// False when the thread is to end.
  private func sleep(until instant: Instant) -> Bool {
    var time = timespec(
      tv_sec: Int(instant.nanoseconds / 1_000_000_000), tv_nsec: Int(instant.nanoseconds % 1_000_000_000))
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while !stopping.load(ordering: .relaxed) {
      if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { break }
    }
    return !stopping.load(ordering: .relaxed)
  }
}

extension Mutex where Value == PacedThread? {
  /// Puts a thread in the place of another and gives that one back.
  borrowing func exchange(_ thread: PacedThread?) -> PacedThread? {
    withLock { current in
      let before = current
      current = thread
      return before
    }
  }
}
