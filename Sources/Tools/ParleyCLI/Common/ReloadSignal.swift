import Glibc
import Synchronization

/// SIGHUP of a server: "read your files again". From a terminal that is closed or lost it means the end, as ever,
/// unless the server was started to outlive its terminal (nohup).
enum ReloadSignal {
  /// The two requests that a SIGHUP makes.
  enum Request: Equatable {
    case reload, end
  }

  /// The request of a signal: `hadTerminal` says whether the process was started from a terminal, `hasTerminal` whether
  /// that is still there, `outlivesTerminal` whether the signal was ignored at the start.
  static func request(hadTerminal: Bool, hasTerminal: Bool, outlivesTerminal: Bool) -> Request {
    hadTerminal && !hasTerminal && !outlivesTerminal ? .end : .reload
  }

  /// The writing end of the pipe that carries the signal out of its handler.
  private static let pipeEnd = Atomic<Int32>(-1)

  /// Takes SIGHUP over from ``StopSignals``, for the whole process; to be called once, after that. The stream gives
  /// each wish to read again, those that come together as one; a wish to end is passed on as SIGTERM. Costs a thread
  /// that waits.
  static func intercept() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return stream }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // A burst of signals must not block their handler; what does not fit says nothing new.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    pipeEnd.store(ends[1], ordering: .relaxed)
    let reader = ends[0]
    let hadTerminal = hasTerminal
    let previous = signal(SIGHUP) { _ in
      let saved = errno
      var byte: UInt8 = 1
      _ = write(ReloadSignal.pipeEnd.load(ordering: .relaxed), &byte, 1)
      errno = saved
    }
    let ignored = SIG_IGN as sighandler_t?
    let outlivesTerminal = unsafeBitCast(previous, to: Int.self) == unsafeBitCast(ignored, to: Int.self)
    let context = Unmanaged.passRetained(
      Waiter {
        var byte: UInt8 = 0
        while true {
          let got = read(reader, &byte, 1)
          if got == 0 || (got < 0 && errno != EINTR) { return }
          guard got == 1 else { continue }
          switch request(hadTerminal: hadTerminal, hasTerminal: hasTerminal, outlivesTerminal: outlivesTerminal) {
          case .reload: continuation.yield()
          case .end: kill(getpid(), SIGTERM)
          }
        }
      })
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Waiter>.fromOpaque(context).takeRetainedValue().body() }
        return nil
      }, context.toOpaque())
    pthread_detach(thread)
    return stream
  }

  /// Whether the process has a controlling terminal; the kernel takes it away when that hangs up.
  private static var hasTerminal: Bool {
    let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    if terminal >= 0 { close(terminal) }
    return terminal >= 0
  }

  private final class Waiter: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
