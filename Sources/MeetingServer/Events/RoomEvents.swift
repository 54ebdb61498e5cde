import FoundationEssentials
import Meetings
import Synchronization

/// The one stream of what happens in all meetings, in order. Rooms add to it without waiting; one reader takes it in batches.
///
/// When the reader does not keep up, the newest events are dropped and counted: a room never waits for a disk. Rights that were used are not
/// dropped: while too many of them wait, no more can be used (``refusalOfRights``).
final class RoomEvents: Sendable {
  /// The most events that wait for the reader.
  static let maximumWaiting = 20_000
  /// From how many rights on that wait for the reader no more can be used. They have room beside the other events.
  static let maximumRights = 20_000
  /// How long the same error of a meeting is not told again, in seconds.
  private static let errorPause: TimeInterval = 10

  /// The place of an event that was dropped.
  static let nowhere = UInt64.max

  private struct State {
    var waiting: [RoomEvent] = []
    /// How many of those are rights that were used.
    var rights = 0
    /// How many events were added, taken by the reader, and written by it: the place of an event is the number of those up to it.
    var (added, taken, written): (UInt64, UInt64, UInt64) = (0, 0, 0)
    var isRead = false
    var isFinished = false
    var listeners: [(place: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    var isEnded = false
    var errors: [String: Date] = [:]
  }

  /// Events that were dropped.
  let dropped = Counter()
  private let state = Mutex(State())
  private let wake: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation

  init() { (wake, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

  /// Adds an event, and returns its place among all. Of errors, which strangers can cause at will, a meeting tells each code once in a while only.
  @discardableResult func add(_ event: RoomEvent) -> UInt64 {
    let place = state.withLock { state in
      if state.isEnded { return Self.nowhere }
      if case .error(let code, _) = event.what {
        let key = "\(event.meeting) \(code)"
        if let last = state.errors[key], event.time < last + Self.errorPause { return state.added }
        if state.errors.count >= 1_000 { state.errors = [:] }
        state.errors[key] = event.time
      }
      if event.isRight {
        // Whoever used it was allowed to a moment ago: one request more or less is no matter.
        state.rights += 1
      } else if state.waiting.count - state.rights >= Self.maximumWaiting {
        return Self.nowhere
      }
      state.waiting.append(event)
      state.added += 1
      return state.added
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

  /// Waits until the reader has written the event of that place; false when it was dropped, or could not be written just now. True at once where
  /// nobody reads.
  func isWritten(_ place: UInt64) async -> Bool {
    await withCheckedContinuation { continuation in
      let answer: Bool? = state.withLock { state in
        if place == Self.nowhere { return false }
        if !state.isRead || state.written >= place { return true }
        if state.isFinished { return false }
        state.listeners.append((place, continuation))
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  /// The reader has written all that it took, or could not: whoever waits for that is told.
  func settle(_ isWritten: Bool) {
    let told = state.withLock { state in
      if isWritten { state.written = state.taken }
      let told = state.listeners.filter { $0.place <= state.taken }
      state.listeners.removeAll { $0.place <= state.taken }
      return told
    }
    for listener in told { listener.continuation.resume(returning: isWritten) }
  }

  /// Whether nothing comes any more.
  var isEnded: Bool { state.withLock(\.isEnded) }

  /// Gives everything that comes to `take`, in order, until ``end()``; returns when the last was taken. `take` calls ``settle(_:)``.
  func read(_ take: ([RoomEvent]) async -> Void) async {
    state.withLock { $0.isRead = true }
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
      defer { (state.waiting, state.rights) = ([], 0) }
      state.taken = state.added
      return state.waiting
    }
  }
}

extension RoomEvent {
  /// Whether it is for the audit log.
  fileprivate var isRight: Bool { if case .rightUsed = what { true } else { false } }
}
