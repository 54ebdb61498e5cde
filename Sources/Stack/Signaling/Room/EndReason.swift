/// Why the meeting is over for a client.
public enum EndReason: String, Sendable, Hashable, Codable {
  case shutdown, expired, removed, replaced
  /// A host ended the meeting for everybody.
  case endedByHost
  /// The join token ended, was not renewed, and the server lets nobody stay without one.
  case tokenExpired
  /// The join token was revoked.
  case tokenRevoked
}
