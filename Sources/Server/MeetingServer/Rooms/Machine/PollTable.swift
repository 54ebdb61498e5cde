import Basics
import Signaling

/// The polls of a meeting, and the votes in them. A value without side effects.
///
/// Every participant has one vote in a poll, and may change it while the poll is open. A participant who leaves an open
/// poll's meeting loses the vote: after a rejoin it is a new participant, and must not count twice. A closed poll
/// doesn't change.
///
/// After a restart nobody is there. The votes in open polls are put aside, and each counts again when its owner is
/// back.
struct PollTable: Sendable {
  enum Refusal: Error, Sendable, Hashable {
    case tooMany, badQuestion, badOptions, notSealed, unknown, closed, notOne, noSuchOption

    var sentence: String {
      switch self {
      case .tooMany: "A meeting has at most \(PollDraft.maximumPolls) polls. Take one away first."
      case .badQuestion: "A question has 1 to \(PollDraft.questionCharacters) characters."
      case .badOptions:
        "A poll has \(PollDraft.optionCount.lowerBound) to \(PollDraft.optionCount.upperBound) different answers of 1 to "
          + "\(PollDraft.optionCharacters) characters."
      case .notSealed: "A poll of an encrypted meeting comes with sealed words, which this one has not."
      case .unknown: "There is no such poll."
      case .closed: "The poll is closed."
      case .notOne: "One answer can be chosen in this poll."
      case .noSuchOption: "The poll has no such answer."
      }
    }
  }

  private struct Poll {
    var id: Int
    var draft: PollDraft
    var isOpen = true
    var votes: [String: Set<Int>] = [:]
    /// Votes of before a restart whose owners aren't back. They don't count.
    var aside: [String: Set<Int>] = [:]
    var counts: [Int]
  }

  /// A poll as it is stored: its votes, and their owners as far as they can be identified.
  struct Kept: Sendable, Codable {
    var id: Int
    var draft: PollDraft
    var isOpen: Bool
    var votes: [String: Set<Int>]
    var holders: [String: Holder]
    /// Votes that didn't count when the poll was stored, since their owners hadn't come back after an earlier restart.
    var aside: [String: Set<Int>]?
  }

  private var polls: [Poll] = []
  private var last = 0
  /// Polls whose present state isn't in the journal.
  private var changed: Set<Int> = []

  /// Creates an open poll; returns its number. `isSealed` in an encrypted meeting: the words are ciphertext, of which
  /// nothing but the size can be judged.
  mutating func create(_ draft: PollDraft, isSealed: Bool = false) throws(Refusal) -> Int {
    guard polls.count < PollDraft.maximumPolls else { throw .tooMany }
    var draft = draft
    let question: String
    if isSealed {
      guard EncryptionLimits.isEncoded(draft.question, atMost: EncryptionLimits.pollBytes) else {
        throw .notSealed
      }
      question = draft.question
    } else {
      guard let clean = Self.clean(draft.question, PollDraft.questionCharacters) else { throw .badQuestion }
      question = clean
    }
    guard PollDraft.optionCount.contains(draft.options.count) else { throw .badOptions }
    let options = draft.options.compactMap { Self.clean($0, PollDraft.optionCharacters) }
    guard options.count == draft.options.count, Set(options).count == options.count else { throw .badOptions }
    draft.question = question
    draft.options = options
    last += 1
    polls.append(Poll(id: last, draft: draft, counts: Array(repeating: 0, count: options.count)))
    changed.insert(last)
    return last
  }

  /// Closes a poll, or opens it again; false when it was so already. Opening puts aside the votes of participants who
  /// are gone, since they may come back and vote again. After a restart each participant gets its own vote back.
  mutating func set(_ id: Int, isOpen: Bool, isThere: (String) -> Bool) throws(Refusal) -> Bool {
    let index = try index(of: id)
    guard polls[index].isOpen != isOpen else { return false }
    polls[index].isOpen = isOpen
    changed.insert(id)
    if isOpen {
      for (voter, vote) in polls[index].votes where !isThere(voter) {
        replace(index, [], by: voter)
        polls[index].aside[voter] = vote
      }
    }
    return true
  }

  mutating func remove(_ id: Int) throws(Refusal) {
    polls.remove(at: try index(of: id))
    changed.insert(id)
  }

  /// Replaces the vote of `voter`; an empty list withdraws it.
  mutating func vote(_ id: Int, _ options: [Int], by voter: String) throws(Refusal) {
    try check(id, options)
    replace(try index(of: id), Set(options), by: voter)
  }

  /// Throws when these options can't be a vote now.
  func check(_ id: Int, _ options: [Int]) throws(Refusal) {
    let poll = polls[try index(of: id)]
    guard poll.isOpen else { throw .closed }
    let choice = Set(options)
    guard choice.allSatisfy(poll.counts.indices.contains) else { throw .noSuchOption }
    guard poll.draft.multiple || choice.count <= 1 else { throw .notOne }
  }

  /// Removes a former participant's votes from open polls; returns the polls that changed.
  mutating func forget(_ voter: String) -> [Int] {
    var changed: [Int] = []
    for index in polls.indices where polls[index].isOpen && polls[index].votes[voter] != nil {
      replace(index, [], by: voter)
      changed.append(polls[index].id)
    }
    return changed
  }

  private mutating func replace(_ index: Int, _ choice: Set<Int>, by voter: String) {
    changed.insert(polls[index].id)
    for option in polls[index].votes[voter] ?? [] { polls[index].counts[option] -= 1 }
    for option in choice { polls[index].counts[option] += 1 }
    polls[index].votes[voter] = choice.isEmpty ? nil : choice
  }

  // MARK: Journal

  /// The polls that have changed or were removed since the last call.
  mutating func takeChanged() -> Set<Int> {
    defer { changed = [] }
    return changed
  }

  /// Marks every poll as changed, so that all are persisted again and removed ones are deleted again.
  mutating func keepAgain() {
    if last > 0 { changed.formUnion(1...last) }
  }

  /// A poll for the journal; nil when there is none.
  func kept(_ id: Int, holder: (String) -> Holder?) -> Kept? {
    polls.first { $0.id == id }.map { poll in
      let voters = poll.votes.merging(poll.aside) { vote, _ in vote }.keys
      let holders = voters.compactMap { voter in holder(voter).map { (voter, $0) } }
      return Kept(
        id: poll.id, draft: poll.draft, isOpen: poll.isOpen, votes: poll.votes,
        holders: Dictionary(holders) { first, _ in first }, aside: poll.aside.isEmpty ? nil : poll.aside)
    }
  }

  /// Restores the polls of before a restart. The votes in open polls wait for their owners. Votes of participants whom
  /// nothing identifies are dropped: they vote again under another id, and must not count twice.
  mutating func restore(_ kept: [Kept], isKnown: (String) -> Bool) {
    for old in kept.sorted(by: { $0.id < $1.id }) {
      var poll = Poll(
        id: old.id, draft: old.draft, isOpen: old.isOpen, counts: Array(repeating: 0, count: old.draft.options.count))
      let choices = Set(poll.counts.indices)
      let votes = old.votes.mapValues(choices.intersection)
      var aside = (old.aside ?? [:]).mapValues(choices.intersection)
      if old.isOpen {
        aside.merge(votes) { _, vote in vote }
      } else {
        poll.votes = votes
      }
      poll.aside = aside.filter { isKnown($0.key) }
      for option in poll.votes.values.joined() { poll.counts[option] += 1 }
      polls.append(poll)
      last = max(last, old.id)
    }
  }

  /// Gives the votes of somebody who has come back after a restart to their new participant id. Votes that were put
  /// aside count from now on, even in a poll that was closed since: they were given in time. Of two votes of one person
  /// only one stays. Returns the polls whose counts changed.
  mutating func rename(_ old: String, to voter: String) -> [Int] {
    var more: [Int] = []
    for index in polls.indices {
      if let vote = polls[index].aside.removeValue(forKey: old) {
        changed.insert(polls[index].id)
        guard polls[index].votes[voter] == nil else { continue }
        replace(index, vote, by: voter)
        more.append(polls[index].id)
      } else if polls[index].votes[voter] == nil, let vote = polls[index].votes.removeValue(forKey: old) {
        polls[index].votes[voter] = vote
        changed.insert(polls[index].id)
      }
    }
    return more
  }

  /// A poll as everybody sees it, or every host; nil when there is none.
  func info(_ id: Int, moderates: Bool) -> PollInfo? {
    polls.first { $0.id == id }.map { Self.info($0, moderates: moderates) }
  }

  /// Every poll as one participant sees it, its own votes included.
  func all(for voter: String, moderates: Bool) -> [PollInfo] {
    polls.map { poll in
      var info = Self.info(poll, moderates: moderates)
      info.mine = (poll.votes[voter] ?? []).sorted()
      return info
    }
  }

  private static func info(_ poll: Poll, moderates: Bool) -> PollInfo {
    let isSeen =
      switch poll.draft.results {
      case .always: true
      case .whenClosed: moderates || !poll.isOpen
      case .moderators: moderates
      }
    return PollInfo(
      id: poll.id, question: poll.draft.question,
      options: zip(poll.draft.options, poll.counts).map { .init(text: $0, votes: isSeen ? $1 : nil) },
      multiple: poll.draft.multiple, results: poll.draft.results, isOpen: poll.isOpen,
      voters: isSeen ? poll.votes.count : nil)
  }

  private func index(of id: Int) throws(Refusal) -> Int {
    guard let index = polls.firstIndex(where: { $0.id == id }) else { throw .unknown }
    return index
  }

  private static func clean(_ text: String, _ most: Int) -> String? {
    // The bound in bytes stops characters made of thousands of combining marks.
    guard text.utf8.count <= most * 4, text.count <= most else { return nil }
    return DisplayName.clean(text, most: most)
  }
}
