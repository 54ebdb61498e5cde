/// The participants who see the votes of a poll.
public enum PollResults: String, Sendable, Hashable, Codable, CaseIterable {
  /// Everybody, all the time.
  case always
  /// Everybody once it is closed; who moderates, all the time.
  case whenClosed
  case moderators
}
