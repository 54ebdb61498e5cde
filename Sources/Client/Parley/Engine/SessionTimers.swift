import Basics

/// A session that ``SessionTimers`` calls when its deadline has come.
protocol TimedSession: AnyObject {
  func handleTimeout(now: Instant)
}

/// When each session of the media thread wants time. A packet of one session costs nothing for the others. Used on one
/// thread.
final class SessionTimers {
  /// The session of a deadline.
  struct ID: Hashable {
    fileprivate let index: Int
  }

  private var heap = DeadlineHeap()
  private var sessions: [(any TimedSession)?] = []
  private var free: [Int] = []
  private var due: [Int] = []

  /// The earliest deadline of all.
  var earliest: Instant { heap.earliest }

  func add(_ session: any TimedSession) -> ID {
    if let index = free.popLast() {
      sessions[index] = session
      return ID(index: index)
    }
    sessions.append(session)
    return ID(index: sessions.count - 1)
  }

  func remove(_ id: ID) {
    heap.set(.distantFuture, for: id.index)
    sessions[id.index] = nil
    free.append(id.index)
  }

  func set(_ deadline: Instant, for id: ID) { heap.set(deadline, for: id.index) }

  /// Lets every session whose deadline has come do what is due, each once.
  func handleTimeouts(now: Instant) {
    // All are taken out before one sets its next: one that is always due must not keep the thread.
    while let index = heap.popDue(now: now) { due.append(index) }
    for index in due { sessions[index]?.handleTimeout(now: now) }
    due.removeAll(keepingCapacity: true)
  }
}
