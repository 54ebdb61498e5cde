import Glibc

/// Runs work that takes a second on a thread of its own.
package enum OwnThread {
  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// The result of `body`; nil when the system gives no thread.
  package static func run<Answer: Sendable>(_ body: @escaping @Sendable () -> Answer) async -> Answer? {
    await withCheckedContinuation { (continuation: CheckedContinuation<Answer?, Never>) in
      let work = Unmanaged.passRetained(Work { continuation.resume(returning: body()) })
      var attributes = pthread_attr_t()
      pthread_attr_init(&attributes)
      pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
      defer { pthread_attr_destroy(&attributes) }
      var thread = pthread_t()
      let result = pthread_create(
        &thread, &attributes,
        { context in
          if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
          return nil
        }, work.toOpaque())
      guard result != 0 else { return }
      work.release()
      continuation.resume(returning: nil)
    }
  }
}
