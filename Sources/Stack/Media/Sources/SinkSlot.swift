import Glibc

/// The present receiver of a source's frames. Once it is emptied, no call is under way any more, except the one from
/// inside which it was emptied.
// unchecked: `body` is only touched under the lock.
final class SinkSlot<Frame>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var body: (@Sendable (Frame) -> Void)?

  init(_ body: (@Sendable (Frame) -> Void)? = nil) {
    self.body = body
    // Recursive, because a sink may stop its own source.
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Puts a sink in, or takes it out; waits for a call under way on another thread.
  func set(_ body: (@Sendable (Frame) -> Void)?) {
    pthread_mutex_lock(mutex)
    self.body = body
    pthread_mutex_unlock(mutex)
  }

  /// Calls the sink; false when there is none.
  @discardableResult func deliver(_ frame: Frame) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard let body else { return false }
    body(frame)
    return true
  }
}
