/// Runs one meeting's calls of the media plane one after the other, in the order they were posted.
///
/// A room decides without waiting, and posts the media operations of each decision here. So two decisions can't
/// overtake each other on their way to a worker.
final class MediaQueue: Sendable {
  private let continuation: AsyncStream<@Sendable () async -> Void>.Continuation

  init() {
    let (stream, continuation) = AsyncStream.makeStream(of: (@Sendable () async -> Void).self)
    self.continuation = continuation
    Task { for await operation in stream { await operation() } }
  }

  deinit { continuation.finish() }

  /// Adds an operation; does not wait.
  func post(_ operation: @escaping @Sendable () async -> Void) { continuation.yield(operation) }

  /// Adds an operation and waits for its result.
  func run<Value: Sendable>(_ operation: @escaping @Sendable () async -> Value) async -> Value {
    await withCheckedContinuation { waiting in
      continuation.yield { waiting.resume(returning: await operation()) }
    }
  }

  /// Ends the queue after everything that was posted.
  func finish() { continuation.finish() }
}
