import Glibc

/// A thread of its own that runs the jobs of one actor, one after the other.
///
/// For work that blocks (files, fsync): on Swift's shared pool it would hold up signalling. The thread sleeps while
/// there is nothing to do and ends after ``stop()`` once its queue is empty.
final class SerialThread: SerialExecutor, @unchecked Sendable {
  // Unchecked because: everything below is only touched while `lock` is held, except `thread`, which is written before
  // any job runs.
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let wake: UnsafeMutablePointer<pthread_cond_t>
  private var queue: [UnownedJob] = []
  private var stopping = false
  private var thread = pthread_t()

  init() {
    lock = .allocate(capacity: 1)
    wake = .allocate(capacity: 1)
    pthread_mutex_init(lock, nil)
    pthread_cond_init(wake, nil)
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, 512 * 1024)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // The thread keeps the executor alive until it ends.
    let context = Unmanaged.passRetained(self)
    pthread_mutex_lock(lock)
    let result = pthread_create(
      &thread, &attributes,
      { context in
        if let context { Unmanaged<SerialThread>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, context.toOpaque())
    pthread_mutex_unlock(lock)
    pthread_attr_destroy(&attributes)
    precondition(result == 0, "the system refuses to start a thread: \(result)")
  }

  deinit {
    pthread_cond_destroy(wake)
    pthread_mutex_destroy(lock)
    wake.deallocate()
    lock.deallocate()
  }

  /// Lets the thread end when its queue is empty.
  func stop() {
    pthread_mutex_lock(lock)
    stopping = true
    pthread_cond_signal(wake)
    pthread_mutex_unlock(lock)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    pthread_mutex_lock(lock)
    queue.append(job)
    pthread_cond_signal(wake)
    pthread_mutex_unlock(lock)
  }

  func checkIsolated() {
    precondition(pthread_equal(pthread_self(), thread) != 0, "not on the thread of this executor")
  }

  private func run() {
    let executor = asUnownedSerialExecutor()
    while true {
      pthread_mutex_lock(lock)
      while queue.isEmpty && !stopping { pthread_cond_wait(wake, lock) }
      let jobs = queue
      queue = []
      pthread_mutex_unlock(lock)
      if jobs.isEmpty { return }
      for job in jobs { job.runSynchronously(on: executor) }
    }
  }
}
