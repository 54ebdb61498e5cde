/// Why a meeting is over for this client.
///
/// ```swift
/// switch meeting.endReason {
/// case nil: print("It goes on.")
/// case .left: print("You left.")
/// case .shutdown: print("The server is going down.")
/// case .expired: print("The meeting's time is over.")
/// case .removed: print("Somebody removed you.")
/// case .endedByHost: print("A host has ended the meeting.")
/// case .replaced: print("You have joined from somewhere else.")
/// case .tokenExpired, .tokenRevoked: print("Ask for another invitation.")
/// case .connectionLost, .failed: print(meeting.lastError?.description ?? "The connection was lost.")
/// }
/// ```
public enum EndReason: String, Hashable, Sendable {
  /// ``Meeting/leave()`` was called.
  case left
  /// The server is shutting down.
  case shutdown
  /// The meeting's time is over.
  case expired
  /// Somebody removed this participant.
  case removed
  /// A host ended the meeting for everybody.
  case endedByHost
  /// The same session was taken by another connection.
  case replaced
  /// The join token ended and was not renewed, on a server that lets nobody stay without one; see
  /// ``Meeting/renew(token:)``.
  case tokenExpired
  /// The join token was revoked by whoever runs the server or the app.
  case tokenRevoked
  /// The connection was lost and could not be brought back.
  case connectionLost
  /// The meeting could not be joined, or not joined again; see ``Meeting/lastError``.
  case failed
}
