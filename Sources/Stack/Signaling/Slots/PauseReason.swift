/// Why a client is not sent a picture that it wants.
public enum PauseReason: String, Sendable, Hashable, Codable {
  /// Its network has no room for it beside what matters more.
  case bandwidth
}
