/// How well media flows between a participant and the server.
public enum ConnectionQuality: String, Hashable, Codable, Sendable, CaseIterable {
  /// Nothing to be noticed.
  case excellent
  /// Small disturbances.
  case good
  /// Clearly disturbed.
  case poor
  /// Nothing arrives any more.
  case lost
}
