import CLinux
import Glibc
import Synchronization

/// Jobs that arrive when the loop has ended.
extension EventLoop {
  /// Runs jobs that arrive when the loop has ended, on a short-lived thread: a task that awaits an actor of a
  /// stopped loop must finish, not hang.
  func drainAfterEnd() {
    let retained = unsafe Unmanaged.passRetained(self)
    var thread = pthread_t()
    let code = unsafe parley_thread_start(
      &thread, name, -1,
      { if let raw = unsafe $0 { unsafe Unmanaged<EventLoop>.fromOpaque(raw).takeRetainedValue().afterlife() } },
      retained.toOpaque())
    if code == 0 {
      pthread_detach(thread)
    } else {
      unsafe retained.release()
      // The next job tries again.
      jobs.withLock { $0.afterlife = false }
    }
  }

  private func afterlife() {
    owner.store(UInt(bitPattern: Int(bitPattern: currentThread())), ordering: .relaxed)
    while true {
      runJobs()
      let done = jobs.withLock { state in
        if !state.waiting.isEmpty { return false }
        owner.store(0, ordering: .relaxed)
        state.afterlife = false
        return true
      }
      if done { return }
    }
  }
}
