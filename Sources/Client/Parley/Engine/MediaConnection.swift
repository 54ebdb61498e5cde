import Basics
import RTC
import Synchronization

/// A meeting's hold on its session on the media thread. Everything given to it runs there in order.
final class MediaConnection: Sendable {
  /// The session's events, in order; ends when it is closed.
  let events: AsyncStream<SessionEvent>
  private let loop: MediaLoop
  private let id: Int
  private let isClosed = Mutex(false)

  private init(loop: MediaLoop, id: Int, events: AsyncStream<SessionEvent>) {
    self.loop = loop
    self.id = id
    self.events = events
  }

  /// Opens sockets and makes a session.
  static func open(_ configuration: SessionConfiguration) async throws(JoinError) -> MediaConnection {
    let loop = try MediaLoop.acquire()
    let (events, continuation) = AsyncStream.makeStream(of: SessionEvent.self)
    let result = await loop.call { loop in
      do throws(JoinError) {
        return Result<Int, JoinError>.success(try loop.open(configuration, events: continuation))
      } catch { return .failure(error) }
    }
    switch result {
    case .success(let id): return MediaConnection(loop: loop, id: id, events: events)
    case .failure(let error):
      MediaLoop.release()
      throw error
    }
  }

  /// Runs `body` with the session and the time on the media thread, unless the session is closed. Returns at once.
  func post(_ body: @escaping @Sendable (MediaSession, Instant) -> Void) {
    let id = self.id
    loop.post { loop in
      if let session = loop.session(id) { session.perform(body) }
    }
  }

  /// Runs `body` on the media thread and waits for its result; nil when the session is closed.
  func call<Value: Sendable>(_ body: @escaping @Sendable (MediaSession, Instant) -> Value) async -> Value? {
    let id = self.id
    return await loop.call { loop in loop.session(id)?.perform(body) }
  }

  /// Ends the connection: notifies the other side and closes the sockets. Harmless when it is closed already.
  func close() {
    let isFirst = isClosed.withLock { closed in
      defer { closed = true }
      return !closed
    }
    guard isFirst else { return }
    let id = self.id
    loop.post { loop in loop.close(id) }
    MediaLoop.release()
  }

  deinit { close() }
}
