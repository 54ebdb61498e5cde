/// Requests that wait for the server's `done` or `error`. Each is sent once: after a lost connection nobody knows
/// whether the server carried it out.
@MainActor struct PendingRequests {
  typealias Completion = @MainActor (Result<Void, JoinError>) -> Void

  private var waiting: [Int: Completion] = [:]
  /// The tracks that the server was asked to unmute.
  private var unmutings: [Int: LocalPublication] = [:]

  nonisolated init() {}

  /// - Parameter completion: Called once, with the server's answer or an error.
  mutating func add(_ id: Int, completion: @escaping Completion) { waiting[id] = completion }

  /// A request asks to unmute a track, which is muted again if the server refuses.
  mutating func addUnmuting(_ id: Int, of publication: LocalPublication) { unmutings[id] = publication }

  func contains(_ id: Int) -> Bool { waiting[id] != nil }

  func unmuting(_ id: Int) -> LocalPublication? { unmutings[id] }

  /// Ends a request; does nothing when it has ended.
  mutating func settle(_ id: Int, _ result: Result<Void, JoinError>) {
    unmutings[id] = nil
    waiting.removeValue(forKey: id)?(result)
  }

  /// The socket is gone, and with it the answers to all requests.
  mutating func failAll(_ error: JoinError) {
    for id in waiting.keys { settle(id, .failure(error)) }
  }
}
