import Crypto
import Encryption
import Signaling

/// The polls of an encrypted meeting: their words are sealed, their votes are indices.
struct SealedPolls {
  /// The question in place of one that does not open, or that the server shows again as another poll.
  static let unreadable = "A poll that this device cannot read."
  private static let maximumPolls = 1_000

  private var sealing: PollSealing?
  /// The poll of each sealed form, and the sealed form of each poll: they belong together.
  private var polls: [String: Int] = [:]
  private var seals: [Int: String] = [:]

  /// A meeting that has begun again numbers its polls from 1.
  mutating func rejoin() {
    sealing = nil
    seals = [:]
  }

  private mutating func sealing(_ secret: LinkSecret, _ meeting: String) throws(CryptoError) -> PollSealing {
    if let sealing { return sealing }
    let made = try PollSealing(secret: secret, meeting: meeting)
    sealing = made
    return made
  }

  private static func rules(multiple: Bool, _ results: PollResults) -> String {
    "\(multiple ? "multiple" : "single") \(results.rawValue)"
  }

  /// A draft as it goes to the server: numbers in place of the answers.
  mutating func seal(_ draft: PollDraft, _ secret: LinkSecret, meeting: String) throws(CryptoError) -> PollDraft {
    var sealed = draft
    sealed.question = try sealing(secret, meeting).seal(
      .init(question: draft.question, options: draft.options),
      rules: Self.rules(multiple: draft.multiple, draft.results))
    sealed.options = (1...max(draft.options.count, 1)).map { String($0) }
    return sealed
  }

  /// A poll as people see it; without answers when it does not open.
  mutating func open(_ info: PollInfo, _ secret: LinkSecret, meeting: String) -> PollInfo {
    var poll = info
    let words = try? sealing(secret, meeting).open(
      info.question, rules: Self.rules(multiple: info.multiple, info.results))
    guard let words, words.options.count == info.options.count, belongs(info.question, to: info.id) else {
      poll.question = Self.unreadable
      poll.options = []
      return poll
    }
    poll.question = words.question
    for (index, text) in words.options.enumerated() { poll.options[index].text = text }
    return poll
  }

  private mutating func belongs(_ seal: String, to id: Int) -> Bool {
    guard polls[seal] ?? id == id, seals[id] ?? seal == seal else { return false }
    if polls.count >= Self.maximumPolls { polls = [:] }
    polls[seal] = id
    seals[id] = seal
    return true
  }
}
