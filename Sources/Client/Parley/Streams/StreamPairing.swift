/// Waits for the second track of new streams.
///
/// The server reports a camera and a microphone in two messages, and an app is to hear of one stream with both. Their
/// end comes in two messages, too.
@MainActor package final class StreamPairing {
  /// How long the first track of a stream waits for the second.
  static let span: UInt64 = 60_000_000

  private var waiting: [String: Task<Void, Never>] = [:]

  nonisolated package init() {}

  /// Calls `body` when the stream has had the time for both tracks. Does nothing for a stream that waits already.
  package func wait(for stream: String, then body: @escaping @MainActor () -> Void) {
    guard waiting[stream] == nil else { return }
    waiting[stream] = Task { [weak self] in
      try? await Task.sleep(nanoseconds: Self.span)
      guard let self, !Task.isCancelled else { return }
      self.waiting[stream] = nil
      body()
    }
  }

  package func cancel(_ stream: String) { waiting.removeValue(forKey: stream)?.cancel() }

  package func cancelAll() {
    for task in waiting.values { task.cancel() }
    waiting = [:]
  }
}
