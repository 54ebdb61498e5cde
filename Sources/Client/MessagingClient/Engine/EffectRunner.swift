import Messaging

/// The actor's state next to its machine: the connection, timers, and replies that calls of the app wait for.
struct EffectRunner {
  var connection: (any MessagingConnection)?
  /// Counts the connections, so that a late word of an old one is known as such.
  var generation = 0
  var reader: Task<Void, Never>?
  var timer: Task<Void, Never>?
  var replies: [Int: CheckedContinuation<Result<MessengerReply, MessengerError>, Never>] = [:]
  var nextCommand = 1
  /// The effects that are being carried out; the next ones wait for them.
  var work: Task<Void, Never>?
  /// Changes that the store has refused; they are tried again before later ones. Its size is bounded by that of the
  /// state: see ``StoreChange/coalesced(_:log:)``.
  var unstored: [StoreChange] = []
  var hasStoreFailed: Bool { !unstored.isEmpty }
  var storeRetry: Task<Void, Never>?
  /// The last event that is in the store with all that came before it.
  var storedEvent = EventNumber(0)

  /// Waits until everything so far is carried out.
  func finished() async { await work?.value }
}
