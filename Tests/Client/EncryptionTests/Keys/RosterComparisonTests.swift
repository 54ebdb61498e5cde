import Basics
import Testing

@testable import Encryption

/// When rosters that differ are an alarm, and when honest clients only missed messages (threat 30).
@Suite("The comparison of rosters")
struct RosterComparisonTests {
  private static let ben = ParticipantID(rawValue: "ben")
  private static let (own, other): ([UInt8], [UInt8]) = ([1], [9])

  /// A minute after Ben has sent a key to another roster; returns when he was asked, and when it was an alarm.
  ///
  /// - Parameters:
  ///   - framesUntil: Until when his frames come.
  ///   - resumedAt: When signalling went on after it was lost.
  ///   - answer: The roster of the answer to each request, a moment later; nil for one that is lost.
  private func outcome(
    framesUntil: TimeSpan = .zero, resumedAt: TimeSpan? = nil, answer: (_ request: Int) -> [UInt8]?
  ) -> (requests: [Int64], alarms: [Int64]) {
    let start = Instant.zero + .seconds(100)
    var comparison = RosterComparison(tolerance: .seconds(10), joinTolerance: .seconds(2))
    var (requests, alarms): ([Int64], [Int64]) = ([], [])
    var answers: [(at: Instant, hash: [UInt8])] = []
    comparison.update(Self.own, now: start)
    comparison.receive(Self.other, from: Self.ben, now: start)
    for step in Int64(1)...1_200 {
      let now = start + .milliseconds(step * 50)
      if resumedAt.map({ start + $0 == now }) ?? false { comparison.resume(now) }
      if now < start + framesUntil { comparison.noteFrame(from: Self.ben) }
      for each in answers where each.at == now { comparison.receive(each.hash, from: Self.ben, now: now) }
      guard comparison.deadline.map({ $0 <= now }) ?? false else { continue }
      comparison.handleTimeout(now: now) { _ in
        requests.append(step * 50)
        if let hash = answer(requests.count) { answers.append((now + .milliseconds(100), hash)) }
      } alarm: { _ in
        alarms.append(step * 50)
      }
    }
    return (requests, alarms)
  }

  @Test("two answers about another roster are an alarm within 11 s")
  func confirmed() {
    let seen = outcome(framesUntil: .seconds(60)) { _ in Self.other }
    #expect(seen.requests.prefix(2) == [5_000, 7_500])
    #expect(seen.alarms.count == 1 && (10_000...11_000).contains(seen.alarms[0]))
  }

  @Test("lost requests and answers are no alarm, and are made up for")
  func lost() {
    for received in 2...10 {
      let seen = outcome(framesUntil: .seconds(60)) { $0 < received ? nil : Self.own }
      #expect(seen.alarms.isEmpty && seen.requests.count == received)
    }
  }

  @Test("somebody who sends nothing any more has no key to answer with, and is no alarm")
  func silent() {
    let seen = outcome(framesUntil: .seconds(4)) { _ in nil }
    #expect(seen.alarms.isEmpty && seen.requests.count <= 4)
  }

  @Test("a server that keeps the answers back is an alarm after 40 s")
  func keptBack() {
    let seen = outcome(framesUntil: .seconds(60)) { _ in nil }
    #expect(seen.alarms.count == 1 && (40_000...43_000).contains(seen.alarms[0]))
  }

  @Test("after signalling was lost the time starts again")
  func resumed() {
    let seen = outcome(framesUntil: .seconds(60), resumedAt: .seconds(9)) { $0 < 4 ? nil : Self.own }
    #expect(seen.alarms.isEmpty)
    #expect(seen.requests.contains(14_000))
  }

  @Test("a ratchet step is asked about unless its join is known, before or soon after")
  func ratchetSteps() {
    /// A minute in which Ben's key is ratcheted at 10 s; the requests and the alarms.
    func outcome(joins: [Int], answer: [UInt8]? = nil) -> [Int] {
      let start = Instant.zero + .seconds(100)
      var comparison = RosterComparison(tolerance: .seconds(10), joinTolerance: .seconds(2))
      var (requests, alarms) = (0, 0)
      comparison.update(Self.own, now: start)
      comparison.receive(Self.own, from: Self.ben, now: start)
      for second in 1...60 {
        let now = start + .seconds(Int64(second))
        if joins.contains(second) { comparison.noteJoin(now: now) }
        if second == 10 { comparison.noteRatchet(from: Self.ben, now: now) }
        comparison.noteFrame(from: Self.ben)
        let before = requests
        comparison.handleTimeout(now: now, ask: { _ in requests += 1 }, alarm: { _ in alarms += 1 })
        if let answer, requests > before { comparison.receive(answer, from: Self.ben, now: now) }
      }
      return [requests, alarms]
    }
    #expect(outcome(joins: [2]) == [0, 0])
    #expect(outcome(joins: [14]) == [0, 0])
    #expect(outcome(joins: [], answer: Self.own) == [1, 0])
    #expect(outcome(joins: [], answer: Self.other)[1] == 1)
    #expect(outcome(joins: [])[1] == 1)
  }

  @Test("a roster ahead of one's own counts as the same once one's own has come to it")
  func ahead() {
    let start = Instant.zero + .seconds(100)
    var comparison = RosterComparison(tolerance: .seconds(10), joinTolerance: .seconds(2))
    var alarms = 0
    comparison.update([0], now: start)
    // In a storm of joins this client is always two rosters behind.
    for step in UInt8(1)...80 {
      let now = start + .milliseconds(Int64(step) * 500)
      comparison.receive([step + 2], from: Self.ben, now: now)
      comparison.update([step], now: now)
      comparison.handleTimeout(now: now, ask: { _ in }, alarm: { _ in alarms += 1 })
    }
    #expect(alarms == 0)
  }
}
