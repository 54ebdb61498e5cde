internal import CLinux
internal import Glibc

/// An `eventfd`: wakes an ``EventLoop`` from another thread, for whoever shares memory with it instead of sending it
/// jobs.
public final class EventCounter: Sendable {
  /// The descriptor, readable after ``signal()`` until ``drain()``.
  public let descriptor: Int32

  /// A counter at zero.
  public init() throws(TransportError) {
    descriptor = parley_event_create()
    guard descriptor >= 0 else { throw .from(call: "eventfd", code: -descriptor, address: .unspecified) }
  }

  deinit { close(descriptor) }

  /// Makes the descriptor readable; from any thread, one system call.
  public func signal() {
    var one: UInt64 = 1
    // Eight bytes of a local variable; a full counter is readable anyway.
    _ = unsafe write(descriptor, &one, 8)
  }

  /// Makes it unreadable again; on the thread that waits for it.
  public func drain() {
    var value: UInt64 = 0
    // Eight bytes of a local variable.
    _ = unsafe read(descriptor, &value, 8)
  }
}
