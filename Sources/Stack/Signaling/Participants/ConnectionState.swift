/// Whether a participant's signalling is up.
public enum ConnectionState: String, Sendable, Hashable, Codable, CaseIterable {
  case connected, reconnecting
}
