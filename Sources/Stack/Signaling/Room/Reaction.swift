/// A symbol that somebody shows everybody for a moment. The set is fixed, so that nothing else can be shown.
public enum Reaction: String, Sendable, Hashable, Codable, CaseIterable {
  case thumbsUp, thumbsDown, clap, heart, laugh, surprised, celebrate

  public var emoji: String {
    switch self {
    case .thumbsUp: "👍"
    case .thumbsDown: "👎"
    case .clap: "👏"
    case .heart: "❤️"
    case .laugh: "😂"
    case .surprised: "😮"
    case .celebrate: "🎉"
    }
  }
}
