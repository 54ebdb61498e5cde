import CLinux
import Glibc
import Synchronization

/// A thread with a name that can be waited for.
// unchecked: the thread's number is written before anybody else can read it.
final class MediaThread: @unchecked Sendable {
  private let thread = UnsafeMutablePointer<pthread_t>.allocate(capacity: 1)
  private let joined = Atomic<Bool>(false)
  private let body: @Sendable () -> Void

  /// Starts the thread; `name` is what `top -H` shows, 15 bytes of it.
  init(name: String, body: @escaping @Sendable () -> Void) throws(MediaError) {
    self.body = body
    // The thread owns one reference to this object and gives it back when its body ends.
    let retained = Unmanaged.passRetained(self)
    let code = parley_thread_start(
      thread, name, -1,
      { if let raw = $0 { Unmanaged<MediaThread>.fromOpaque(raw).takeRetainedValue().body() } }, retained.toOpaque())
    if code != 0 {
      retained.release()
      joined.store(true, ordering: .relaxed)
      throw .cannotOpen("A thread for \(name)", reason: "the system refused to start one (error \(code)).")
    }
  }

  deinit {
    if !joined.load(ordering: .relaxed) { pthread_detach(thread.pointee) }
    thread.deallocate()
  }

  /// Waits for its end; called from the thread itself, or a second time, it returns at once.
  func join() {
    guard joined.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else { return }
    if pthread_equal(thread.pointee, pthread_self()) != 0 {
      pthread_detach(thread.pointee)
    } else {
      pthread_join(thread.pointee, nil)
    }
  }
}
