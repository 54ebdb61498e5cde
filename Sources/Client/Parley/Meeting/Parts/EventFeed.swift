/// The events of a meeting, for any number of readers. The first reader gets those from before it, too.
struct EventFeed<Event: Sendable> {
  /// The most events that wait for a reader.
  private let limit: Int
  /// Events from before the first reader; nil once there was one.
  private var unread: [Event]? = []
  private var readers: [Int: AsyncStream<Event>.Continuation] = [:]
  private var lastReader = 0

  init(limit: Int) { self.limit = limit }

  /// A stream of its own for each reader.
  ///
  /// - Parameters:
  ///   - isOver: Whether nothing follows: the stream ends after what was unread.
  ///   - onTermination: Called with the reader's number, for ``removeReader(_:)``.
  mutating func makeStream(isOver: Bool, onTermination: @escaping @Sendable (Int) -> Void) -> AsyncStream<Event> {
    let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(limit))
    for event in unread ?? [] { continuation.yield(event) }
    unread = nil
    guard !isOver else {
      continuation.finish()
      return stream
    }
    lastReader += 1
    let id = lastReader
    readers[id] = continuation
    continuation.onTermination = { _ in onTermination(id) }
    return stream
  }

  mutating func removeReader(_ id: Int) { readers[id] = nil }

  mutating func emit(_ event: Event) {
    if let count = unread?.count {
      // Half of it at once, so that a meeting that nobody reads doesn't move all of them for each event.
      if count >= 2 * limit { unread?.removeFirst(limit) }
      unread?.append(event)
    }
    for reader in readers.values { reader.yield(event) }
  }

  /// Ends the streams of all readers.
  mutating func finish() {
    for reader in readers.values { reader.finish() }
    readers = [:]
  }
}
