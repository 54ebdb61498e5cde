import Basics
import Foundation
import Meetings
import Messaging
import TestSeeds
import Testing

@testable import MeetingServer

@Suite("Values of connections, in virtual time", .tellsSeeds)
struct EndpointValueTests {
  private let sealed = Sealed("AAAA")

  @Test("an endpoint gets each event once and in order, in any mix of reads and receipts")
  func delivery() {
    for seed in TestSeed.of(1)..<TestSeed.of(1) + 50 {
      var random = Numbers(state: seed)
      var (mailbox, got): ([UInt64], [UInt64]) = ([], [])
      var delivery = EventDelivery(acknowledged: 0)
      var reading: (asked: Int, after: UInt64)?
      for _ in 0..<3_000 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          // Numbers may have gaps: an event that a later one replaces goes.
          let number = (mailbox.last ?? 0) + UInt64.random(in: 1...2, using: &random)
          mailbox.append(number)
          if delivery.offer(number, bytes: Int.random(in: 1...9_000, using: &random)) { got.append(number) }
        case 1:
          let asked = delivery.beginRead()
          if asked > 0 { reading = (asked, delivery.cursor) }
        case 2:
          guard let (asked, after) = reading else { continue }
          reading = nil
          let events = mailbox.filter { $0 > after }.prefix(asked).map { (number: $0, bytes: 9_000) }
          got += events.map(\.number).prefix(delivery.endRead(events, asked: asked, last: mailbox.last ?? 0))
        default:
          if let last = got.last { delivery.acknowledge(last) }
        }
      }
      #expect(got == Array(mailbox.prefix(got.count)), "seed \(seed)")
      #expect(got.count > 300)
    }
  }

  @Test("threat 55: an endpoint that acknowledges nothing gets a bounded number of events")
  func window() {
    var delivery = EventDelivery(acknowledged: 0)
    #expect(delivery.beginRead() == EventDelivery.batch && delivery.beginRead() == 0)
    #expect(delivery.endRead([], asked: EventDelivery.batch, last: 0) == 0)
    var large = delivery
    let wanted = delivery.wantsEvents
    let taken = (1...1_000).count { delivery.offer(UInt64($0), bytes: 1) }
    #expect(wanted && taken == MessagingLimits.unacknowledged && delivery.beginRead() == 0 && !delivery.wantsEvents)
    delivery.acknowledge(10)
    #expect(!delivery.offer(1_001, bytes: 1) && delivery.beginRead() == 10)
    let half = MessagingLimits.unacknowledgedBytes / 2
    #expect((1...9).count { large.offer(UInt64($0), bytes: half) } == 2 && large.beginRead() == 0)
  }

  @Test("a suspended delivery goes on from the store, and what is gone there is skipped")
  func suspended() {
    var delivery = EventDelivery(acknowledged: 0)
    _ = delivery.endRead([], asked: delivery.beginRead(), last: 0)
    let isSent = delivery.offer(1, bytes: 1)
    delivery.suspend()
    #expect(isSent && !delivery.offer(2, bytes: 1) && delivery.cursor == 1)
    let asked = delivery.beginRead()
    delivery.skip(through: 5)
    delivery.skip(through: 4)
    #expect(delivery.cursor == 5 && delivery.endRead([(number: 6, bytes: 1)], asked: asked, last: 6) == 1)
    #expect(delivery.cursor == 6 && delivery.isCaughtUp)
  }

  @Test("a forgotten vault stays its endpoint's until a record, its end, or 2 minutes")
  func reservations() throws {
    var vaults = VaultReservations()
    let start = Instant(nanoseconds: 0)
    let (phone, tablet, other) = (caller(1, "p"), caller(1, "t"), caller(2, "o"))
    try vaults.require(phone, now: start)
    try vaults.reserve(for: phone, now: start)
    try vaults.reserve(for: phone, now: start)
    try vaults.require(phone, now: start)
    try vaults.require(other, now: start)
    #expect(throws: MessagingFailure.self) { try vaults.require(tablet, now: start) }
    #expect(throws: MessagingFailure.self) { try vaults.reserve(for: tablet, now: start) }
    let seconds = Int64(MessagingLimits.vaultReservationSeconds)
    #expect(vaults.seconds(of: phone.regId, for: tablet.endpoint, now: start + .seconds(seconds - 1)) == 2)
    try vaults.require(tablet, now: start + .seconds(seconds))
    vaults.release(tablet.endpoint, of: tablet.regId)
    #expect(throws: MessagingFailure.self) { try vaults.require(tablet, now: start) }
    vaults.release(phone.endpoint)
    try vaults.reserve(for: tablet, now: start)
    vaults.release(tablet.endpoint, of: tablet.regId)
    try vaults.reserve(for: phone, now: start)
    vaults.expire(now: start + .seconds(seconds))
    #expect(vaults.count == 0)
  }

  private func caller(_ regId: UInt64, _ endpoint: String) -> MailboxCaller {
    MailboxCaller(domain: DomainID("d"), regId: RegID(regId), endpoint: EndpointID(endpoint))
  }

  @Test("a call nobody answers ends after a minute, as does one whose endpoint is gone")
  func calls() throws {
    var table = CallTable()
    let start = Instant(nanoseconds: 0)
    let (ann, bob, tablet, eve) = (caller(1, "a"), caller(2, "b"), caller(2, "t"), caller(3, "e"))
    let call = CallID("c")
    try table.reserve(call, from: ann, to: bob.regId, medium: .voice, sealed: sealed, now: start)
    #expect(table.offers(to: bob.regId).isEmpty)
    _ = try table.ring(call, now: start)
    #expect(table.offers(to: bob.regId).count == 1 && table.offers(to: ann.regId).isEmpty)
    #expect(throws: MessagingFailure.self) { try table.step(call, .answer, sealed: nil, to: nil, by: eve) }
    #expect(throws: MessagingFailure.self) { try table.step(call, .answer, sealed: nil, to: nil, by: ann) }
    let seconds = Int64(MessagingLimits.ringSeconds)
    #expect(table.expire(now: start + .seconds(seconds - 1)).isEmpty)
    let ended = table.expire(now: start + .seconds(seconds))
    #expect(ended.map(\.to) == [ann.regId, bob.regId] && table.count == 0)

    try table.reserve(call, from: ann, to: bob.regId, medium: .voice, sealed: sealed, now: start)
    _ = try table.ring(call, now: start)
    _ = try table.step(call, .answer, sealed: sealed, to: nil, by: tablet)
    #expect(table.expire(now: start + .seconds(600)).isEmpty)
    #expect(table.lose(bob.endpoint).isEmpty)
    #expect(table.lose(tablet.endpoint).map(\.event) == [.callEnded(callId: call, end: .lost)])

    try table.reserve(call, from: ann, to: bob.regId, medium: .voice, sealed: sealed, now: start)
    _ = try table.ring(call, now: start)
    let declined = try table.step(call, .decline, sealed: nil, to: nil, by: bob)
    #expect(
      declined.contains { $0.except == bob.endpoint && $0.event == .callEnded(callId: call, end: .declinedElsewhere) })
    // The table reports each ended call once, and its meeting goes.
    #expect(table.takeEnded().map(\.0) == [call, call, call] && table.takeEnded().isEmpty)
    // Two seconds between them: as many a minute as may be.
    var now = start
    for index in 0..<MessagingLimits.calls {
      now = start + .seconds(Int64(2 * index))
      try table.reserve(
        CallID("n\(index)"), from: ann, to: RegID(UInt64(100 + index)), medium: .data, sealed: sealed, now: now)
    }
    #expect(refusal(table, ann, bob.regId, now)?.contains("You have at most") == true)
    #expect(refusal(table, bob, ann.regId, now)?.contains("The other side") == true)
  }

  private func refusal(_ table: CallTable, _ caller: MailboxCaller, _ callee: RegID, _ now: Instant) -> String? {
    var copy = table
    do throws(MessagingFailure) {
      try copy.reserve(CallID("x"), from: caller, to: callee, medium: .voice, sealed: sealed, now: now)
      return nil
    } catch {
      return error.code == .limitReached ? error.message : "\(error)"
    }
  }

  @Test("threat 55: an identity's calls have a rate and bounds, and leave others theirs")
  func callRates() throws {
    var table = CallTable()
    let start = Instant(nanoseconds: 0)
    let (eve, ann, bob) = (caller(9, "e"), caller(1, "a"), caller(2, "b"))
    for index in 0..<MessagingLimits.ringing {
      let call = CallID("r\(index)")
      try table.reserve(call, from: eve, to: ann.regId, medium: .voice, sealed: sealed, now: start)
      _ = try table.ring(call, now: start)
    }
    #expect(refusal(table, eve, ann.regId, start)?.contains("(ringing)") == true)
    #expect(refusal(table, bob, ann.regId, start) == nil && refusal(table, eve, bob.regId, start) == nil)
    // An answered call doesn't ring any more, nor does one that is over.
    _ = try table.step(CallID("r0"), .answer, sealed: sealed, to: nil, by: ann)
    _ = try table.step(CallID("r1"), .hangUp, sealed: nil, to: nil, by: eve)
    for id in ["s", "t"] {
      #expect(refusal(table, eve, ann.regId, start) == nil)
      try table.reserve(CallID(id), from: eve, to: ann.regId, medium: .voice, sealed: sealed, now: start)
    }
    #expect(refusal(table, eve, ann.regId, start)?.contains("(ringing)") == true)

    var other = CallTable()
    for index in 0..<MessagingLimits.callsPerMinute {
      let call = CallID("c\(index)")
      try other.reserve(call, from: eve, to: ann.regId, medium: .voice, sealed: sealed, now: start)
      other.abandon(call)
    }
    #expect(refusal(other, eve, ann.regId, start)?.contains("(callsPerMinute)") == true)
    #expect(refusal(other, ann, eve.regId, start) == nil)
    #expect(refusal(other, eve, ann.regId, start + .milliseconds(1_900)) != nil)
    #expect(refusal(other, eve, ann.regId, start + .seconds(2)) == nil)
  }

  @Test("threat 55: an identity invites a bounded number of others an hour")
  func invitations() throws {
    var budget = InvitationBudget()
    let start = Instant(nanoseconds: 0)
    let (ann, bob) = (RegID(1), RegID(2))
    func retryAfter(_ count: Int, of id: RegID, at seconds: Int) -> Int? {
      do throws(MessagingFailure) {
        try budget.consume(count, of: id, now: start + .seconds(Int64(seconds)))
        return nil
      } catch { return error.retryAfter }
    }
    let most = MessagingLimits.invitationsPerHour
    #expect(retryAfter(most - 249, of: ann, at: 0) == nil && retryAfter(249, of: ann, at: 0) == nil)
    let wait = try #require(retryAfter(249, of: ann, at: 0))
    #expect(retryAfter(1, of: ann, at: 7) != nil && retryAfter(1, of: ann, at: 8) == nil)
    #expect(retryAfter(most, of: bob, at: 8) == nil)
    #expect(retryAfter(249, of: ann, at: 8 + wait) == nil)
    #expect(
      MessagingRequest.chatInvite(chatId: ChatID("c"), invitees: [ann, bob, ann], keys: []).invitationCount == 2)
  }

  @Test("pushes are paced, and one domain's slow receiver leaves room for those of others")
  func pushes() {
    var pace = PushRateLimiter()
    let begin = Instant(nanoseconds: 0)
    let (slow, other) = (DomainID("slow"), DomainID("other"))
    func subject(_ regId: UInt64, _ kind: PushNotifier.Kind = .message, from sender: UInt64? = nil)
      -> PushRateLimiter.Subject
    {
      .init(regId: RegID(regId), kind: kind, sender: sender.map { RegID($0) })
    }
    func start(_ subject: PushRateLimiter.Subject, _ domain: DomainID, _ now: Instant) -> Bool {
      pace.start(subject, of: domain, now: now)
    }
    let taken = (0..<100).count { start(subject($0), slow, begin) }
    #expect(taken == PushRateLimiter.maximumOfDomain)
    #expect(start(subject(200), other, begin))
    // A dropped one is tried again as soon as there is room.
    #expect(!start(subject(50), slow, begin))
    pace.end(of: slow)
    #expect(start(subject(50), slow, begin))
    for _ in 0..<8 { pace.end(of: slow) }
    let (soon, later) = (begin + .milliseconds(1_000), begin + .seconds(5))
    #expect(!start(subject(50), slow, later - .milliseconds(1)))
    #expect(start(subject(50), slow, later))
    #expect(start(subject(1, .call, from: 2), slow, begin))
    #expect(start(subject(1, .call, from: 3), slow, begin))
    #expect(!start(subject(1, .call, from: 2), slow, soon - .milliseconds(1)))
    #expect(start(subject(1, .call, from: 2), slow, soon))
  }

  private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }
}
