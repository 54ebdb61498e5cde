import Basics
import Synchronization

/// The events of one meeting, from its workers to the one reader who runs the meeting.
///
/// A slow reader misses no state: it gets the newest of each subject, before telemetry, of which it may miss some. The
/// memory that unread events take is bounded.
public final class MediaEvents: AsyncSequence, Sendable {
  public typealias Element = MediaEvent
  public typealias Failure = Never

  private let backlog = Mutex(EventBacklog())
  /// Wakes the reader. One element is enough, since the reader empties the backlog.
  private let wakeups: AsyncStream<Void>
  private let wakeup: AsyncStream<Void>.Continuation

  public init() {
    (wakeups, wakeup) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  public func send(_ event: MediaEvent) {
    backlog.withLock { $0.append(event) }
    wakeup.yield()
  }

  /// Ends the sequence after what was sent so far.
  public func finish() { wakeup.finish() }

  /// Drops what is unread about a participant whose connection is closed, and about its publications.
  func removeAll(of participant: ParticipantID, publications: some Sequence<PublicationID>) {
    backlog.withLock { backlog in
      backlog.removeAll(of: participant)
      for publication in publications { backlog.removeAll(of: publication) }
    }
  }

  /// Drops what is unread about a publication that has ended.
  func removeAll(of publication: PublicationID) { backlog.withLock { $0.removeAll(of: publication) } }

  /// How many events are unread.
  var unread: Int { backlog.withLock { $0.count } }

  private func popFirst() -> MediaEvent? { backlog.withLock { $0.popFirst() } }

  public func makeAsyncIterator() -> Iterator { Iterator(events: self, wakeups: wakeups.makeAsyncIterator()) }

  public struct Iterator: AsyncIteratorProtocol {
    public typealias Failure = Never

    fileprivate let events: MediaEvents
    fileprivate var wakeups: AsyncStream<Void>.Iterator

    public mutating func next() async -> MediaEvent? { await next(isolation: nil) }

    /// The next event; nil after ``MediaEvents/finish()``, and when the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> MediaEvent? {
      while true {
        if let event = events.popFirst() { return event }
        guard await wakeups.next(isolation: actor) != nil else { return events.popFirst() }
      }
    }
  }
}
