/// Why a client doesn't get a video that it wants.
public enum PauseReason: String, Sendable, Hashable, Codable {
  /// Its network has no room for it next to more important ones.
  case bandwidth
}
