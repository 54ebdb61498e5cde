/// Why a meeting is over for this client.
public enum EndReason: String, Hashable, Sendable {
  /// ``Meeting/leave()`` was called.
  case left
  /// The server is shutting down.
  case shutdown
  /// The meeting's time is over.
  case expired
  /// Somebody removed this participant.
  case removed
  /// The same place was taken by another connection.
  case replaced
  /// The connection was lost and could not be brought back.
  case connectionLost
  /// The meeting could not be joined, or not joined anew; see ``Meeting/lastError``.
  case failed
}
