import Signaling
import TestSupport
import Testing

@testable import MeetingServer

@Suite struct PollTableTests {
  private let lunch = PollDraft(question: "Lunch?", options: ["Yes", "No", "Later"])

  @Test("polls, questions and answers are bounded, and answers differ")
  func bounds() throws {
    var polls = PollTable()
    for question in ["", " \n", String(repeating: "x", count: 301)] {
      #expect(throws: PollTable.Refusal.badQuestion) {
        _ = try polls.create(PollDraft(question: question, options: ["a", "b"]))
      }
    }
    let many = (0..<11).map { "\($0)" }
    for options in [[], ["a"], many, ["a", ""], ["a", " a "], ["a", String(repeating: "x", count: 121)]] {
      #expect(throws: PollTable.Refusal.badOptions) { _ = try polls.create(PollDraft(question: "?", options: options)) }
    }
    for _ in 0..<PollDraft.maximumPolls { _ = try polls.create(lunch) }
    #expect(throws: PollTable.Refusal.tooMany) { _ = try polls.create(lunch) }
    try polls.remove(1)
    let next = try polls.create(lunch)
    #expect(next == PollDraft.maximumPolls + 1, "a number is never used again")
  }

  @Test("several choices count where allowed; a new vote replaces, an empty one withdraws")
  func several() throws {
    var polls = PollTable()
    var draft = lunch
    draft.multiple = true
    let id = try polls.create(draft)
    try polls.vote(id, [0, 2, 2], by: "ann")
    try polls.vote(id, [2], by: "bob")
    #expect(polls.info(id, moderates: false)?.options.map(\.votes) == [1, 0, 2])
    try polls.vote(id, [1], by: "ann")
    try polls.vote(id, [], by: "bob")
    let info = try #require(polls.info(id, moderates: false))
    #expect(info.options.map(\.votes) == [0, 1, 0] && info.voters == 1)
    #expect(polls.all(for: "ann", moderates: false).first?.mine == [1])
  }

  @Test("a leave takes the vote out of open polls only, so that nobody counts twice")
  func leaving() throws {
    var polls = PollTable()
    let (open, closed) = (try polls.create(lunch), try polls.create(lunch))
    for id in [open, closed] { try polls.vote(id, [0], by: "ann") }
    let isNews = try (0..<2).map { _ in try polls.set(closed, isOpen: false) { _ in true } }
    #expect(isNews == [true, false])
    let changed = [polls.forget("ann"), polls.forget("ann")]
    #expect(changed == [[open], []])
    #expect(polls.info(open, moderates: true)?.voters == 0)
    #expect(polls.info(closed, moderates: true)?.voters == 1)
    #expect(throws: PollTable.Refusal.unknown) { try polls.vote(99, [0], by: "ann") }
  }

  @Test("a reopened poll counts those present only, and a returning voter once")
  func openedAgain() throws {
    var polls = PollTable()
    let id = try polls.create(lunch)
    for voter in ["ann", "bob"] { try polls.vote(id, [0], by: voter) }
    var isNews = try polls.set(id, isOpen: false) { _ in true }
    #expect(polls.forget("ann").isEmpty && isNews)
    isNews = try polls.set(id, isOpen: true) { $0 == "bob" }
    #expect(polls.info(id, moderates: true)?.voters == 1 && isNews)
    try polls.vote(id, [1], by: "ann again")
    #expect(polls.info(id, moderates: true)?.options.map(\.votes) == [1, 1, 0])
  }
}
