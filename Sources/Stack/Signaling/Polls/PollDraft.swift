/// A poll that somebody wants to make.
public struct PollDraft: Sendable, Hashable, Codable {
  /// The question; in encrypted meetings the sealed words of the poll, in base64url.
  public var question: String
  /// The answers; in encrypted meetings only their numbers.
  public var options: [String]
  /// Whether one may choose several.
  public var multiple: Bool
  /// The participants who see the votes.
  public var results: PollResults

  /// The most characters of a question.
  public static let questionCharacters = 300
  /// The most characters of an answer.
  public static let optionCharacters = 120
  /// How few and how many answers there may be.
  public static let optionCount = 2...10
  /// The most polls in a meeting.
  public static let maximumPolls = 20

  public init(question: String, options: [String], multiple: Bool = false, results: PollResults = .always) {
    self.question = question
    self.options = options
    self.multiple = multiple
    self.results = results
  }
}
