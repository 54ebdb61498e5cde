import Basics
import Glibc
import Synchronization

/// The wishes of the system and of the terminal that the program should end: SIGTERM, SIGINT, and SIGHUP, which comes
/// when the terminal was closed or its connection lost. A bot takes them over before anything else and leaves its
/// meeting when one comes, so that the others see it at once:
///
/// ```swift
/// let signals = StopSignals.intercept()
/// try await meeting.join()
/// for await _ in signals { break }
/// await meeting.leave()
/// ```
public enum StopSignals {
  /// How many nanoseconds after the first one another counts as a wish of its own. `timeout` of GNU and some
  /// supervisors signal the process and its group, so that one wish arrives twice.
  static let patience: Int64 = 1_000_000_000
  /// When the first one came, by the monotonic clock; 0 before.
  private static let first = Atomic<Int64>(0)
  /// The writing end of the pipe that carries a signal out of its handler.
  private static let pipeEnd = Atomic<Int32>(-1)

  /// The request of a signal.
  enum Request: Equatable {
    /// To end: it is the first.
    case end
    /// Nothing new: it came with the first, or right after it.
    case same
    /// To end at once: the first one's effect takes too long for somebody.
    case endAtOnce
  }

  /// The request of a signal at `now`; `first` holds when the first one came, 0 before. Takes no lock, as
  /// signal handlers must not.
  static func request(at now: Int64, first: borrowing Atomic<Int64>) -> Request {
    let (isFirst, came) = first.compareExchange(expected: 0, desired: now, ordering: .relaxed)
    if isFirst { return .end }
    return now - came > patience ? .endAtOnce : .same
  }

  /// Takes these signals over, for the whole process; to be called once. The stream gives the first one; another that
  /// comes more than a second later ends the process at once, with the status that shells give to a process that a
  /// signal ended. Costs a thread that waits.
  ///
  /// ```swift
  /// for await number in StopSignals.intercept() {
  ///   print("Signal \(number): leaving.")
  ///   await meeting.leave()
  /// }
  /// ```
  ///
  /// SIGHUP is left alone when the program was started with it ignored, as nohup does, since it is to outlive its
  /// terminal then.
  public static func intercept() -> AsyncStream<Int32> {
    // A reader that goes away in the middle of a write must not end the program.
    signal(SIGPIPE, SIG_IGN)
    // Nor a file that has reached the limit of its size (ulimit -f): writing fails then, which is reported as for a
    // full disk.
    signal(SIGXFSZ, SIG_IGN)
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
    var ends: [Int32] = [-1, -1]
    // Made before anything else is opened; without it the signals keep their usual effect, which is to end the process.
    guard pipe(&ends) == 0 else { return stream }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    pipeEnd.store(ends[1], ordering: .relaxed)
    let context = Unmanaged.passRetained(Reader(end: ends[0], continuation: continuation))
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Reader>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, context.toOpaque())
    pthread_detach(thread)
    for number in [SIGTERM, SIGINT] { signal(number, handler) }
    if !isIgnored(SIGHUP) { signal(SIGHUP, handler) }
    // A program that was started from a thread that blocks them, as Foundation's `Process` does on dispatch's threads,
    // would hear nothing of them.
    var taken = sigset_t()
    sigemptyset(&taken)
    for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&taken, number) }
    pthread_sigmask(SIG_UNBLOCK, &taken, nil)
    return stream
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN as sighandler_t?, to: Int.self)
  }

  /// Runs inside the signal: nothing but what signal-safety(7) allows.
  private static let handler: @convention(c) (Int32) -> Void = { number in
    switch request(at: MonotonicClock.now.nanoseconds, first: first) {
    case .end:
      var byte = UInt8(truncatingIfNeeded: number)
      _ = write(pipeEnd.load(ordering: .relaxed), &byte, 1)
    case .same: break
    case .endAtOnce: _exit(128 + number)
    }
  }

  private final class Reader: Sendable {
    let end: Int32
    let continuation: AsyncStream<Int32>.Continuation

    init(end: Int32, continuation: AsyncStream<Int32>.Continuation) {
      self.end = end
      self.continuation = continuation
    }

    func run() {
      var byte: UInt8 = 0
      while true {
        let got = read(end, &byte, 1)
        if got == 1 { continuation.yield(Int32(byte)) }
        if got == 0 || (got < 0 && errno != EINTR) { return }
      }
    }
  }
}
