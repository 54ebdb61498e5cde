public import Basics
internal import CLinux
internal import Glibc
internal import Synchronization

/// One `epoll` loop on a thread of its own that is also the executor of the actors living on it.
///
/// A media worker is an actor whose `unownedExecutor` is a loop's. Its sockets are registered here, and their handlers
/// run synchronously on the loop's thread. A handler reaches actor state without a hop (through `assumeIsolated`, or
/// directly when the handler is a closure made in the actor's own method). Calls from other tasks arrive as jobs
/// between the packets.
///
/// One round ("tick"): wait → read the clock once (``now``) → handlers of the ready descriptors → the deadline handler
/// if its time has come → jobs → the tick-end handler, where batches are flushed. A tick allocates nothing, counts no
/// references, and takes no lock unless there are jobs.
///
/// Everything under "On the loop's thread" traps when it is called from elsewhere: there is no lock around that state.
/// A loop holds a thread, and the thread holds the loop: ``stop()`` ends both.
public final class EventLoop: SerialExecutor, @unchecked Sendable {
  // Unchecked because: `jobs` is behind a mutex, `owner`, `stopping` and `signal` are atomic, and only the loop's
  // thread touches the rest (before the thread starts, the initialiser).

  /// A registered descriptor. An object, since a closure that is read from a list is owned once more while it runs.
  final class Source {
    let descriptor: Int32
    let generation: UInt32
    let handler: (Readiness) -> Void

    init(descriptor: Int32, generation: UInt32, handler: @escaping (Readiness) -> Void) {
      self.descriptor = descriptor
      self.generation = generation
      self.handler = handler
    }
  }

  /// The handlers of each tick.
  final class TickHandlers {
    let onDeadline: (() -> Void)?
    let onTickEnd: (() -> Void)?

    init(onDeadline: (() -> Void)?, onTickEnd: (() -> Void)?) {
      self.onDeadline = onDeadline
      self.onTickEnd = onTickEnd
    }
  }

  /// The flags between a loop and the callers who give it jobs, without a lock.
  enum Signal {
    /// The loop runs, and has taken every job that was there.
    static let awake: UInt8 = 0
    /// It waits, or is about to: who adds a job must wake it.
    static let asleep: UInt8 = 1
    /// Jobs have come: a bit of the flags.
    static let hasJobs: UInt8 = 2
  }

  struct Jobs {
    var waiting: [UnownedJob] = []
    var finished = false
    var afterlife = false
  }

  /// Identifies a registration; it stays unambiguous after the descriptor is closed and its number used again.
  public struct Registration: Hashable, Sendable {
    let index: UInt32
    let generation: UInt32
  }

  /// The thread's name, as `top -H` shows it (15 bytes of it).
  public let name: String

  let epoll: Int32
  let wakeUp: Int32
  private var thread = pthread_t()
  let owner = Atomic<UInt>(0)
  let stopping = Atomic<Bool>(false)
  let signal = Atomic<UInt8>(Signal.awake)
  let jobs = Mutex(Jobs())
  private let joined = Mutex(false)

  var sources: ContiguousArray<Source?> = []
  var freeIndices: [UInt32] = []
  private var generation: UInt32 = 0
  var running: [UnownedJob] = []
  var current: Instant
  var deadline = Instant.distantFuture
  var handlers: TickHandlers? { didSet { tickHandlers = BorrowedReference(handlers) } }
  /// ``handlers``, to call them: what replaces them leaves them to `retired` until the tick ends.
  var tickHandlers = BorrowedReference<TickHandlers>(nil)
  /// Handlers that were unregistered or replaced in this tick, and may be running; released at the tick's end.
  var retired: [AnyObject] = []
  var ticks: UInt64 = 0

  static let wakeUpToken = UInt64.max

  /// Starts a loop.
  ///
  /// - Parameters:
  ///   - name: The thread's name.
  ///   - cpu: The core to pin the thread to; nil leaves it to the scheduler. A core that does not exist is an error.
  public init(name: String, cpu: Int? = nil) throws(TransportError) {
    self.name = name
    epoll = parley_epoll_create()
    guard epoll >= 0 else { throw .from(call: "epoll_create1", code: -epoll, address: .unspecified) }
    wakeUp = parley_event_create()
    guard wakeUp >= 0 else {
      close(epoll)
      throw .from(call: "eventfd", code: -wakeUp, address: .unspecified)
    }
    current = MonotonicClock.now
    running.reserveCapacity(64)
    jobs.withLock { $0.waiting.reserveCapacity(64) }
    var code = -parley_epoll_control(epoll, 1, wakeUp, Readiness.readable.rawValue, Self.wakeUpToken)
    if code == 0 {
      // The thread owns one reference to the loop and gives it back when its body ends.
      let retained = unsafe Unmanaged.passRetained(self)
      code = unsafe parley_thread_start(
        &thread, name, Int32(cpu ?? -1),
        { if let raw = unsafe $0 { unsafe Unmanaged<EventLoop>.fromOpaque(raw).takeRetainedValue().run() } },
        retained.toOpaque())
      if code != 0 { unsafe retained.release() }
    }
    guard code == 0 else {
      joined.withLock { $0 = true }
      throw .system(call: "starting the thread \(name)", code: code)
    }
  }

  deinit {
    close(epoll)
    close(wakeUp)
    // A thread that nobody waited for would keep its stack for ever.
    if !joined.withLock({ $0 }) { pthread_detach(thread) }
  }

  /// Ends the loop after the tick under way; may be called from any thread, more than once. Descriptors stay open:
  /// they belong to those who registered them.
  public func stop() {
    stopping.store(true, ordering: .releasing)
    wake()
  }

  /// Waits, blocking, until the loop's thread has ended. Call ``stop()`` first; not from the loop itself.
  public func join() {
    precondition(!isCurrent, "an event loop cannot wait for its own end")
    joined.withLock { done in
      if done { return }
      // The thread was started as joinable by the initialiser, and is joined once.
      pthread_join(thread, nil)
      done = true
    }
  }

  private func wake() {
    var one: UInt64 = 1
    // Eight bytes of a local variable; a full counter means that the loop is awake anyway.
    _ = unsafe write(wakeUp, &one, 8)
  }

  // MARK: Executor

  func currentThread() -> pthread_t { pthread_self() }

  /// Whether the caller runs on this loop's thread.
  public var isCurrent: Bool { owner.load(ordering: .relaxed) == UInt(bitPattern: Int(bitPattern: currentThread())) }

  /// Traps when the caller is not on the loop's thread; `assumeIsolated` asks this.
  public func checkIsolated() {
    precondition(isCurrent, "this code must run on the event loop \(name)")
  }

  /// Whether the caller is on the loop's thread; never traps.
  public func isIsolatingCurrentContext() -> Bool? { isCurrent }

  /// Adds a job; any thread. One lock, and one system call when the loop sleeps.
  public func enqueue(_ job: consuming ExecutorJob) {
    let unowned = UnownedJob(job)
    // The job may be what lets go of the loop, and may have run before the signal is given.
    let held = unsafe Unmanaged.passRetained(self)
    defer { unsafe held.release() }
    let mustDrain = jobs.withLock { state in
      state.waiting.append(unowned)
      let drain = state.finished && !state.afterlife
      if drain { state.afterlife = true }
      return drain
    }
    // After the job is there: a loop that has not seen it finds the signal before it sleeps.
    if signal.exchange(Signal.hasJobs, ordering: .acquiringAndReleasing) == Signal.asleep { wake() }
    if mustDrain { drainAfterEnd() }
  }

  /// The reference an actor returns as its `unownedExecutor`; the actor must keep the loop alive.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    unsafe UnownedSerialExecutor(ordinary: self)
  }

  // MARK: On the loop's thread

  /// The time of the wake-up under way, read once a tick from the monotonic clock. From another thread, the clock now.
  public var now: Instant { isCurrent ? current : MonotonicClock.now }

  /// How many ticks there were.
  public var tickCount: UInt64 {
    checkIsolated()
    return ticks
  }

  /// Calls `handler` when `descriptor` becomes ready. The handler is kept until ``unregister(_:)``; capture weakly or
  /// unregister to break the cycle. `descriptor` stays the caller's to close (after unregistering).
  public func register(
    _ descriptor: Int32, for readiness: Readiness, handler: @escaping (Readiness) -> Void
  ) throws(TransportError) -> Registration {
    checkIsolated()
    generation &+= 1
    let index: UInt32
    if let free = freeIndices.popLast() {
      index = free
    } else {
      index = UInt32(truncatingIfNeeded: sources.count)
      sources.append(nil)
    }
    let token = UInt64(generation) << 32 | UInt64(index)
    let code = parley_epoll_control(epoll, 1, descriptor, readiness.rawValue, token)
    guard code == 0 else {
      freeIndices.append(index)
      throw .system(call: "epoll_ctl", code: -code)
    }
    sources[Int(index)] = Source(descriptor: descriptor, generation: generation, handler: handler)
    return Registration(index: index, generation: generation)
  }

  /// Changes what a registered descriptor is watched for.
  public func modify(_ registration: Registration, for readiness: Readiness) {
    checkIsolated()
    guard let source = source(registration) else { return }
    let token = UInt64(registration.generation) << 32 | UInt64(registration.index)
    _ = parley_epoll_control(epoll, 3, source.descriptor, readiness.rawValue, token)
  }

  /// Ends a registration; its handler is not called again, not even for an event of this tick.
  public func unregister(_ registration: Registration) {
    checkIsolated()
    guard let source = source(registration) else { return }
    _ = parley_epoll_control(epoll, 2, source.descriptor, 0, 0)
    retired.append(source)
    sources[Int(registration.index)] = nil
    freeIndices.append(registration.index)
  }

  /// Sets what is called when the deadline has come, and at the end of every tick. Set once; nil removes.
  public func setHandlers(onDeadline: (() -> Void)?, onTickEnd: (() -> Void)?) {
    checkIsolated()
    if let handlers { retired.append(handlers) }
    handlers = onDeadline == nil && onTickEnd == nil ? nil : TickHandlers(onDeadline: onDeadline, onTickEnd: onTickEnd)
  }

  /// The next instant at which the deadline handler is to run; replaces the one before. The handler runs once, and
  /// then there is no deadline until it is set again. Costs nothing: the wait's timeout is the timer.
  public func setDeadline(_ instant: Instant) {
    checkIsolated()
    deadline = instant
  }

  private func source(_ registration: Registration) -> Source? {
    let index = Int(registration.index)
    guard index < sources.count, let source = sources[index], source.generation == registration.generation else {
      return nil
    }
    return source
  }
}
