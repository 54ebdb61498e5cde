import Basics
import FoundationEssentials
import Meetings
import Synchronization

/// The one stream of events of all meetings, in order. Rooms add to it without waiting; one reader takes batches.
///
/// When the reader doesn't keep up, the newest events are dropped and counted: a room never waits for a disk. Audit
/// entries are never dropped. While too many of them wait, no audited action is carried out (``refusalOfRights``).
final class RoomEvents: Sendable {
  /// The most events that wait for the reader.
  static let maximumWaiting = 20_000
  /// The number of waiting audit entries from which on no audited action is carried out. They have room of their own,
  /// besides the other events.
  static let maximumRights = 20_000
  /// How many spans of given up events are remembered.
  private static let maximumLost = 100
  /// For how many seconds the same error of a meeting isn't reported again.
  private static let errorPause: TimeInterval = 10

  /// The place of an event that was dropped.
  static let nowhere = UInt64.max

  private struct State {
    var queue = GroupCommitQueue<RoomEvent, CheckedContinuation<Bool, Never>>()
    /// How many of the pending events are rights that were used.
    var rights = 0
    /// The ranges of settled events that were given up, the latest only.
    var lost: [ClosedRange<UInt64>] = []
    var isRead = false
    var isFinished = false
    var isEnded = false
    /// How many were dropped since that was last asked.
    var untold = 0
    var errors: [String: Date] = [:]

    /// Records events that were given up. The number of ranges is bounded, since those who wait for them ask soon.
    mutating func lose(_ span: ClosedRange<UInt64>) {
      if let last = lost.last, last.upperBound + 1 == span.lowerBound {
        lost[lost.count - 1] = last.lowerBound...span.upperBound
      } else {
        lost.append(span)
        if lost.count > RoomEvents.maximumLost { lost.removeFirst() }
      }
    }
  }

  /// Events that were dropped.
  let dropped: Counter
  private let state = Mutex(State())
  private let wake: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation

  /// `dropped` counts those that were dropped.
  init(dropped: Counter = Counter()) {
    self.dropped = dropped
    (wake, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Adds an event, and returns its place among all. Strangers can cause errors at will, so a meeting reports each
  /// error code only once in a while.
  @discardableResult func add(_ event: RoomEvent) -> UInt64 {
    let place = state.withLock { state in
      if state.isEnded { return Self.nowhere }
      if case .error(let code, _) = event.kind {
        let key = "\(event.meeting) \(code)"
        if let last = state.errors[key], event.time < last + Self.errorPause { return state.queue.added }
        if state.errors.count >= 1_000 { state.errors = [:] }
        state.errors[key] = event.time
      }
      if event.isRight {
        // The action was authorised a moment ago. The bound may be exceeded by one entry.
        state.rights += 1
      } else if state.queue.pending.count - state.rights >= Self.maximumWaiting {
        state.untold += 1
        return Self.nowhere
      }
      return state.queue.append(event)
    }
    if place == Self.nowhere { dropped.add(1) } else { bell.yield() }
    return place
  }

  /// Why nobody can use a right in a meeting just now; nil when one can. To be asked before anything is done.
  var refusalOfRights: LimitReached? {
    guard state.withLock({ $0.rights >= Self.maximumRights }) else { return nil }
    return LimitReached(
      .auditBacklog,
      "The limit of \(Self.maximumRights) rights used that wait to be written down is reached (auditBacklog). Try again in a moment."
    )
  }

  /// Waits until the reader has written the event of that place; false when it was dropped, given up, or can't be
  /// written just now. True at once without a reader.
  func isWritten(_ place: UInt64) async -> Bool {
    await withCheckedContinuation { continuation in
      let answer: Bool? = state.withLock { state in
        if place == Self.nowhere { return false }
        if !state.isRead { return true }
        if place <= state.queue.settled { return !state.lost.contains { $0.contains(place) } }
        if state.isFinished { return false }
        state.queue.wait(for: place, continuation)
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  /// The reader has written everything it took, or gives it up permanently: resumes those who wait for that. An event
  /// that was given up never counts as written, not even when a later one is.
  func settle(_ isWritten: Bool) {
    let released = state.withLock { state in
      if let group = state.queue.endGroup(), !isWritten { state.lose(group) }
      return state.queue.releaseWaiters(through: state.queue.taken)
    }
    for waiter in released { waiter.resume(returning: isWritten) }
  }

  /// The reader can't write its batch just now, and tries again. Callers don't wait for a full disk: not for that
  /// batch, and not for later events.
  func delay() {
    let released = state.withLock { $0.queue.releaseWaiters(through: .max) }
    for waiter in released { waiter.resume(returning: false) }
  }

  /// From now on an event counts as written only once a reader has written it.
  func expectReader() { state.withLock { $0.isRead = true } }

  /// How many events were dropped since this was last asked, because too many waited for the reader.
  func takeDropped() -> Int {
    state.withLock { state in
      defer { state.untold = 0 }
      return state.untold
    }
  }

  /// Whether nothing comes any more.
  var isEnded: Bool { state.withLock(\.isEnded) }

  /// Gives everything that comes to `take`, in order, until ``end()``; returns when the last was taken. `take` calls
  /// ``settle(_:)``, and before that ``delay()`` as often as it has to try again.
  func read(_ take: ([RoomEvent]) async -> Void) async {
    expectReader()
    for await _ in wake {
      let events = drain()
      if !events.isEmpty { await take(events) }
    }
    let rest = drain()
    if !rest.isEmpty { await take(rest) }
    state.withLock { $0.isFinished = true }
    settle(false)
  }

  /// Nothing comes any more.
  func end() {
    state.withLock { $0.isEnded = true }
    bell.finish()
  }

  private func drain() -> [RoomEvent] {
    state.withLock { state in
      state.rights = 0
      return state.queue.beginGroup()
    }
  }
}

extension RoomEvent {
  /// Whether it is for the audit log.
  fileprivate var isRight: Bool { if case .rightUsed = kind { true } else { false } }
}
