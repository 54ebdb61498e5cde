import Basics
import RTC
import Synchronization
import Transport

/// The thread that carries the media of every meeting of this process: sockets, connections, jitter buffers and timers.
///
/// One thread is enough for hundreds of meetings, since decoding and encoding happen elsewhere. It starts with the
/// first meeting and ends with the last one.
actor MediaLoop {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  nonisolated let dtls: DTLSContext

  /// Work from other threads, in order.
  private nonisolated let mailbox = Mutex<[@Sendable (isolated MediaLoop) -> Void]>([])
  private let slab: ReceiveSlab
  private var sessions: [Int: SocketSession] = [:]
  private let timers = SessionTimers()
  private var monitor: NetworkMonitor?
  private var lastID = 0
  private var isStarted = false

  init() throws(JoinError) {
    do {
      loop = try EventLoop(name: "parley-media")
      slab = try ReceiveSlab(slots: 32, slotSize: 65_536)
      dtls = try DTLSContext(certificate: .selfSigned(unixTime: UnixTime.now))
    } catch {
      throw .mediaFailed("The media thread could not be started: \(error)")
    }
  }

  /// Runs `body` on the loop's thread after everything that was posted before. Costs a lock, and a wake-up when the
  /// loop sleeps.
  nonisolated func post(_ body: @escaping @Sendable (isolated MediaLoop) -> Void) {
    let wakes = mailbox.withLock { box in
      box.append(body)
      return box.count == 1
    }
    if wakes { Task { await self.empty() } }
  }

  /// As ``post(_:)``, and waits for the result.
  nonisolated func call<Result: Sendable>(
    _ body: @escaping @Sendable (isolated MediaLoop) -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      post { loop in continuation.resume(returning: body(loop)) }
    }
  }

  private func empty() {
    let work = mailbox.withLock { box in
      let work = box
      box.removeAll(keepingCapacity: true)
      return work
    }
    for body in work { body(self) }
    schedule()
  }

  // MARK: Sessions

  /// The session of a number; nil when it is closed.
  func session(_ id: Int) -> SocketSession? { sessions[id] }

  /// Makes a session with sockets of its own.
  func open(_ configuration: SessionConfiguration, events: AsyncStream<SessionEvent>.Continuation) throws(JoinError)
    -> Int
  {
    start()
    lastID += 1
    let id = lastID
    let session = try SocketSession(
      configuration, dtls: dtls, loop: loop, slab: slab, timers: timers, events: events,
      later: { [weak self] body in
        self?.post { loop in
          if let session = loop.session(id) { body(session, MonotonicClock.now) }
        }
      })
    sessions[id] = session
    return id
  }

  /// Closes a session and its sockets.
  func close(_ id: Int) {
    sessions.removeValue(forKey: id)?.close()
  }

  private func start() {
    guard !isStarted else { return }
    isStarted = true
    // The loop holds this actor until its thread ends, and lets go of its handlers then.
    loop.setHandlers(
      onDeadline: { self.assumeIsolated { $0.tick() } },
      onTickEnd: { self.assumeIsolated { $0.schedule() } })
    // Without notices of the kernel a change of network is noticed later, by silence.
    monitor = try? NetworkMonitor(on: loop) { [weak self] interfaces in
      self?.assumeIsolated { loop in
        for session in loop.sessions.values { session.networkChanged(interfaces) }
      }
    }
  }

  private func end() {
    monitor?.stop()
    monitor = nil
    loop.stop()
  }

  private func tick() { timers.handleTimeouts(now: MonotonicClock.now) }

  private func schedule() { loop.setDeadline(timers.earliest) }

  // MARK: Sharing

  private struct Shared {
    var loop: MediaLoop?
    var users = 0
  }

  private static let shared = Mutex(Shared())

  /// The process's loop, started when this is its first user. Give it back with ``release()``.
  static func acquire() throws(JoinError) -> MediaLoop {
    let result = shared.withLock { shared -> Result<MediaLoop, JoinError> in
      if let loop = shared.loop {
        shared.users += 1
        return .success(loop)
      }
      do throws(JoinError) {
        let loop = try MediaLoop()
        shared = Shared(loop: loop, users: 1)
        return .success(loop)
      } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Gives the loop back; the last user ends its thread.
  static func release() {
    let last = shared.withLock { shared -> MediaLoop? in
      shared.users -= 1
      guard shared.users == 0 else { return nil }
      defer { shared.loop = nil }
      return shared.loop
    }
    // Work posted before, the closing of sessions, still runs.
    last?.post { loop in loop.end() }
  }
}
