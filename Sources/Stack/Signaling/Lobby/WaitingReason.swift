/// Why somebody is not in the meeting yet.
public enum WaitingReason: String, Sendable, Hashable, Codable {
  /// Somebody has to let them in.
  case lobby
  /// The meeting begins when a host comes.
  case host
  /// The meeting begins at its time, or when a host comes.
  case start
}
