/// How well media flows between a participant and the server.
public enum ConnectionQuality: String, Hashable, Codable, Sendable, CaseIterable {
  /// Nothing to be noticed.
  case excellent
  /// Loss or delay that few people notice.
  case good
  /// Loss or delay that disturbs a conversation.
  case poor
  /// Nothing arrives any more.
  case lost
}
