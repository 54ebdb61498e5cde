import Basics
import Glibc
import Synchronization

/// A flag that threads can sleep on until an instant of ``MonotonicClock``. Uses no descriptor.
// unchecked: the pthread objects are made for sharing.
final class StopSignal: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let flag = Atomic<Bool>(false)

  init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Whether it was raised.
  var isRaised: Bool { flag.load(ordering: .acquiring) }

  /// Raises it permanently and wakes everybody.
  func raise() {
    pthread_mutex_lock(mutex)
    flag.store(true, ordering: .releasing)
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Sleeps until the instant; false when the signal was raised before it.
  func sleep(until instant: Instant) -> Bool {
    var time = timespec(
      tv_sec: Int(instant.nanoseconds / 1_000_000_000), tv_nsec: Int(instant.nanoseconds % 1_000_000_000))
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while !isRaised {
      if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { break }
    }
    return !isRaised
  }
}
