import FoundationEssentials
import Meetings
import Synchronization

/// The one stream of what happens in all meetings, in order. Rooms add to it without waiting; one reader takes it in batches.
///
/// When the reader does not keep up, the newest events are dropped and counted: a room never waits for a disk.
final class RoomEvents: Sendable {
  /// The most events that wait for the reader.
  static let maximumWaiting = 20_000
  /// How long the same error of a meeting is not told again, in seconds.
  private static let errorPause: TimeInterval = 10

  private struct State {
    var waiting: [RoomEvent] = []
    var isEnded = false
    var errors: [String: Date] = [:]
  }

  /// Events that were dropped.
  let dropped = Counter()
  private let state = Mutex(State())
  private let wake: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation

  init() { (wake, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

  /// Adds an event. Of errors, which strangers can cause at will, a meeting tells each code once in a while only.
  func add(_ event: RoomEvent) {
    let isAdded = state.withLock { state in
      if state.isEnded { return false }
      if case .error(let code, _) = event.what {
        let key = "\(event.meeting) \(code)"
        if let last = state.errors[key], event.time < last + Self.errorPause { return true }
        if state.errors.count >= 1_000 { state.errors = [:] }
        state.errors[key] = event.time
      }
      guard state.waiting.count < Self.maximumWaiting else { return false }
      state.waiting.append(event)
      return true
    }
    if isAdded { bell.yield() } else { dropped.add(1) }
  }

  /// Gives everything that comes to `take`, in order, until ``end()``; returns when the last was taken.
  func read(_ take: ([RoomEvent]) async -> Void) async {
    for await _ in wake {
      let events = drain()
      if !events.isEmpty { await take(events) }
    }
    let rest = drain()
    if !rest.isEmpty { await take(rest) }
  }

  /// Nothing comes any more.
  func end() {
    state.withLock { $0.isEnded = true }
    bell.finish()
  }

  private func drain() -> [RoomEvent] {
    state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
  }
}
