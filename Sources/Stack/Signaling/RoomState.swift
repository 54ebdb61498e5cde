/// What holds in a meeting besides who is in it: part of `welcome` and `resumed`, so that who comes late or back sees what everybody sees.
public struct RoomState: Sendable, Hashable, Codable {
  /// Whom everybody is to show large, by participant; nil for nobody.
  public var spotlight: String?
  /// What a host said of muting that holds for later tracks too; nil when nothing does.
  public var muteAll: MuteAllInfo?
  /// The polls, in the order they were made.
  public var polls: [PollInfo]

  /// A state.
  public init(spotlight: String? = nil, muteAll: MuteAllInfo? = nil, polls: [PollInfo] = []) {
    self.spotlight = spotlight
    self.muteAll = muteAll
    self.polls = polls
  }
}

/// A host's word that everybody is muted.
public struct MuteAllInfo: Sendable, Hashable, Codable {
  /// What it is about.
  public var sources: [TrackSource]
  /// Whether people may unmute themselves.
  public var mayUnmute: Bool

  /// A host's word.
  public init(sources: [TrackSource], mayUnmute: Bool) {
    self.sources = sources
    self.mayUnmute = mayUnmute
  }
}

/// A small picture that somebody shows everybody for a moment. The set is fixed, so that nothing else can be shown.
public enum Reaction: String, Sendable, Hashable, Codable, CaseIterable {
  case thumbsUp, thumbsDown, clap, heart, laugh, surprised, celebrate

  /// The picture.
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

/// Who sees how a poll stands.
public enum PollResults: String, Sendable, Hashable, Codable, CaseIterable {
  /// Everybody, all the time.
  case always
  /// Everybody once it is closed; who moderates, all the time.
  case whenClosed
  /// Who moderates only.
  case moderators
}

/// A poll as one participant sees it.
public struct PollInfo: Sendable, Hashable, Codable {
  /// An answer to choose.
  public struct Option: Sendable, Hashable, Codable {
    /// What it says. Always show it as text, never as markup.
    public var text: String
    /// How many have chosen it; nil for who may not see that now.
    public var votes: Int?

    /// An answer.
    public init(text: String, votes: Int? = nil) {
      self.text = text
      self.votes = votes
    }
  }

  /// Its number in the meeting, rising.
  public var id: Int
  /// What is asked. Always show it as text, never as markup.
  public var question: String
  /// The answers.
  public var options: [Option]
  /// Whether one may choose several.
  public var multiple: Bool
  /// Who sees how it stands.
  public var results: PollResults
  /// Whether one can vote now.
  public var isOpen: Bool
  /// How many have voted; nil for who may not see that now.
  public var voters: Int?
  /// What the receiver itself has chosen, by place in ``options``; nil in what is sent to everybody alike.
  public var mine: [Int]?

  /// A poll.
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

  private enum CodingKeys: String, CodingKey {
    case id, question, options, multiple, results
    case isOpen = "open"
    case voters, mine
  }
}

/// A poll that somebody wants to make.
public struct PollDraft: Sendable, Hashable, Codable {
  /// What is asked.
  public var question: String
  /// The answers.
  public var options: [String]
  /// Whether one may choose several.
  public var multiple: Bool
  /// Who sees how it stands.
  public var results: PollResults

  /// The most characters of a question.
  public static let questionCharacters = 300
  /// The most characters of an answer.
  public static let optionCharacters = 120
  /// How few and how many answers there may be.
  public static let optionCount = 2...10
  /// The most polls in a meeting.
  public static let maximumPolls = 20

  /// A draft.
  public init(question: String, options: [String], multiple: Bool = false, results: PollResults = .always) {
    self.question = question
    self.options = options
    self.multiple = multiple
    self.results = results
  }
}
