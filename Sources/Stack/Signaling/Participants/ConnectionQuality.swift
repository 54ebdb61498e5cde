/// How well media flows between a participant and the server.
public enum ConnectionQuality: String, Sendable, Hashable, Codable, CaseIterable {
  case excellent, good, poor, lost
}
