import Basics
import CLinux
import Glibc
import Synchronization

/// The body of the loop's thread: tick after tick, and the end.
extension EventLoop {
  /// Runs until the loop is stopped.
  func run() {
    owner.store(UInt(bitPattern: Int(bitPattern: currentThread())), ordering: .relaxed)
    // Allocated for the life of the thread and freed at its end; the kernel fills at most `capacity` entries.
    let capacity = 128
    let events = UnsafeMutableBufferPointer<parley_event>.allocate(capacity: capacity)
    defer { unsafe events.deallocate() }
    while !stopping.load(ordering: .acquiring) {
      let count = unsafe parley_epoll_wait(epoll, events.baseAddress, Int32(capacity), timeout())
      _ = signal.compareExchange(
        expected: Signal.asleep, desired: Signal.awake, ordering: .acquiringAndReleasing)
      current = MonotonicClock.now
      ticks &+= 1
      var index = 0
      while index < Int(count) {
        let event = unsafe events[index]
        index += 1
        if event.token == Self.wakeUpToken {
          drainWakeUp()
          continue
        }
        let slot = Int(event.token & 0xFFFF_FFFF)
        let generation = UInt32(truncatingIfNeeded: event.token >> 32)
        guard slot < sources.count else { continue }
        // One that unregisters itself is owned by `retired` until the tick ends.
        sources.reference(at: slot).use { source in
          if source.generation == generation { source.handler(Readiness(rawValue: event.events)) }
        }
      }
      if current >= deadline {
        deadline = .distantFuture
        tickHandlers.use { $0.onDeadline?() }
      }
      if signal.load(ordering: .acquiring) == Signal.hasJobs {
        // Before the jobs are taken: later ones are signalled again.
        _ = signal.exchange(Signal.awake, ordering: .acquiringAndReleasing)
        runJobs()
      }
      tickHandlers.use { $0.onTickEnd?() }
      if !retired.isEmpty { letGo() }
    }
    end()
  }

  /// How long to wait, in nanoseconds: not at all when jobs are there.
  private func timeout() -> Int64 {
    let (mayRest, _) = signal.compareExchange(
      expected: Signal.awake, desired: Signal.asleep, ordering: .acquiringAndReleasing)
    if !mayRest || stopping.load(ordering: .acquiring) { return 0 }
    if deadline == .distantFuture { return -1 }
    return max((deadline - MonotonicClock.now).nanoseconds, 0)
  }

  private func drainWakeUp() {
    var value: UInt64 = 0
    // Eight bytes of a local variable.
    _ = unsafe read(wakeUp, &value, 8)
  }

  /// Runs the jobs that are there now; those they add wait for the next tick, so that packets are not starved.
  func runJobs() {
    jobs.withLock { swap(&$0.waiting, &running) }
    var index = 0
    while index < running.count {
      // Each job is run exactly once, on the executor it was enqueued on.
      unsafe running[index].runSynchronously(on: asUnownedSerialExecutor())
      index += 1
    }
    running.removeAll(keepingCapacity: true)
  }

  /// Lets go of what was unregistered or replaced. It is off the list before, since what goes may unregister something
  /// itself.
  private func letGo() {
    var gone: [AnyObject] = []
    swap(&gone, &retired)
    gone.removeAll()
  }

  private func end() {
    while true {
      runJobs()
      // Here, as long as this thread is the loop's: what handlers hold may unregister when it goes.
      for source in sources { if let source { retired.append(source) } }
      if let handlers { retired.append(handlers) }
      sources.removeAll()
      freeIndices.removeAll()
      handlers = nil
      while !retired.isEmpty { letGo() }
      let done = jobs.withLock { state in
        if !state.waiting.isEmpty { return false }
        // From here on jobs run on a thread of their own.
        owner.store(0, ordering: .relaxed)
        state.finished = true
        return true
      }
      if done { return }
    }
  }
}
