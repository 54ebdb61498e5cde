/// A poll as one participant sees it.
public struct PollInfo: Sendable, Hashable, Codable {
  /// An answer to choose.
  public struct Option: Sendable, Hashable, Codable {
    /// Its text. Always show it as text, never as markup.
    public var text: String
    /// How many have chosen it; nil for who may not see that now.
    public var votes: Int?

    public init(text: String, votes: Int? = nil) {
      self.text = text
      self.votes = votes
    }

    /// Reads an option; odd votes count as absent.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      text = try container.decode(String.self, forKey: .text)
      votes = container.optional(.votes)
    }
  }

  /// Its number in the meeting, rising.
  public var id: Int
  /// The question. Always show it as text, never as markup.
  public var question: String
  public var options: [Option]
  /// Whether one may choose several.
  public var multiple: Bool
  /// The participants who see the votes.
  public var results: PollResults
  /// Whether one can vote now.
  public var isOpen: Bool
  /// How many have voted; nil for who may not see that now.
  public var voters: Int?
  /// The receiver's own vote, by place in ``options``; nil in messages to everybody.
  public var mine: [Int]?

  public init(
    id: Int, question: String, options: [Option], multiple: Bool, results: PollResults, isOpen: Bool,
    voters: Int? = nil, mine: [Int]? = nil
  ) {
    self.id = id
    self.question = question
    self.options = options
    self.multiple = multiple
    self.results = results
    self.isOpen = isOpen
    self.voters = voters
    self.mine = mine
  }

  /// Reads a poll; optional parts of an odd type count as absent.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(Int.self, forKey: .id)
    question = try container.decode(String.self, forKey: .question)
    options = try container.decode([Option].self, forKey: .options)
    multiple = container.optional(.multiple) ?? false
    results = container.optional(.results) ?? .always
    isOpen = container.optional(.isOpen) ?? false
    voters = container.optional(.voters)
    mine = container.optional(.mine)
  }

  private enum CodingKeys: String, CodingKey {
    case id, question, options, multiple, results
    case isOpen = "open"
    case voters, mine
  }
}
