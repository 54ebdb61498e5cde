import Basics
import Foundation
import Meetings
import Messaging
import Testing

@testable import MeetingServer

@Suite("Budgets of senders, in virtual time")
struct SenderBudgetTests {
  private let ann = RegID(1)

  /// The refusal of a request; nil when it is taken.
  private func failure(
    _ budgets: inout SenderBudgets, _ bytes: Int, of id: RegID, _ now: Instant
  ) -> MessagingFailure? {
    do throws(MessagingFailure) {
      try budgets.take(bytes, of: id, now: now)
      return nil
    } catch {
      return error
    }
  }

  @Test("threat 55: three largest frames pass at once, then as many as the rate allows")
  func bytes() throws {
    var budgets = SenderBudgets()
    let frame = MessagingLimits.maximumBytes - MessagingLimits.requestOverhead
    let start = Instant.zero
    #expect(MessagingLimits.senderBytesBurst == 3 * MessagingLimits.maximumBytes)
    for _ in 0..<3 { try budgets.take(frame, of: ann, now: start) }
    let refusal = try #require(failure(&budgets, frame, of: ann, start))
    #expect(refusal.code == .tooFast && refusal.message.contains("(senderBytesPerSecond)"))
    let seconds = Int64(try #require(refusal.retryAfter))
    #expect(seconds == 4)
    // None overtakes the refused one, and others have budgets of their own.
    #expect(failure(&budgets, 1, of: ann, start + .milliseconds(499))?.retryAfter == 1)
    #expect(failure(&budgets, frame, of: RegID(2), start) == nil)
    var early = budgets
    #expect(failure(&early, frame, of: ann, start + .seconds(seconds - 1)) != nil)
    let later = start + .seconds(seconds) + .milliseconds(1)
    #expect(failure(&budgets, frame, of: ann, later) == nil)
    // A typing notice that is dropped holds up nothing.
    #expect(throws: MessagingFailure.self) {
      try budgets.take(frame, of: ann, closes: false, now: later)
    }
    #expect(failure(&budgets, 1, of: ann, later + .milliseconds(10)) == nil)
  }

  @Test("threat 55: mailboxes over budget are a debt that refuses requests, then heals")
  func deliveries() throws {
    var budgets = SenderBudgets()
    let now = Instant.zero
    for _ in 0..<MessagingLimits.deliveriesBurst / MessagingLimits.participants {
      budgets.charge(deliveries: MessagingLimits.participants, of: ann, now: now)
    }
    #expect(failure(&budgets, 1, of: ann, now) == nil)
    for _ in 0..<100 { budgets.charge(deliveries: MessagingLimits.participants, of: ann, now: now) }
    let refusal = try #require(failure(&budgets, 1, of: ann, now))
    #expect(refusal.code == .tooFast && refusal.message.contains("(deliveriesPerSecond)"))
    // The debt has an end.
    let seconds = MessagingLimits.deliveriesBurst / MessagingLimits.deliveriesPerSecond
    #expect(refusal.retryAfter == seconds)
    var early = budgets
    #expect(failure(&early, 1, of: ann, now + .seconds(Int64(seconds) - 1)) != nil)
    #expect(failure(&budgets, 1, of: ann, now + .seconds(Int64(seconds))) == nil)
  }

  @Test("an identity makes a bounded number of requests about its vault, 20 at once")
  func vaultRequests() throws {
    var budgets = SenderBudgets()
    func refusal(_ budgets: inout SenderBudgets, _ now: Instant) -> MessagingFailure? {
      do throws(MessagingFailure) {
        try budgets.takeVaultRequest(of: ann, now: now)
        return nil
      } catch {
        return error
      }
    }
    for _ in 0..<MessagingLimits.vaultRequestBurst { try budgets.takeVaultRequest(of: ann, now: .zero) }
    let failure = try #require(refusal(&budgets, .zero))
    #expect(failure.code == .limitReached && failure.message.contains("(vaultRequestsPerMinute)"))
    #expect(failure.retryAfter == 6)
    try budgets.takeVaultRequest(of: RegID(2), now: .zero)
    #expect(refusal(&budgets, .milliseconds(5_900)) != nil)
    let taken = (0..<20).count { _ in refusal(&budgets, .milliseconds(60_001)) == nil }
    #expect(taken == MessagingLimits.vaultRequestsPerMinute)
  }

  @Test("threat 55: the budgets of many identities are bounded in number")
  func many() throws {
    var budgets = SenderBudgets()
    for number in 1...60_001 { try budgets.take(1, of: RegID(UInt64(number)), now: .zero) }
    #expect(budgets.count <= 60_000)
  }
}

extension MailboxHubTests {
  /// A chat of the two, made by the first.
  private func chat(_ world: World, _ ann: MailboxCaller, _ bob: MailboxCaller, _ socket: Socket) async throws -> ChatID
  {
    try await world.apply(
      .chatStart(cookie: "c", invitees: [bob.regId], isOneToOne: true, invitePolicy: .adminsOnly, keys: []), by: ann)
    guard case .chatAdded(let chat, _)? = socket.events.first?.event else { throw UnexpectedMessage(nil) }
    return chat.chatId
  }

  private func code(_ body: () async throws -> Bool) async throws -> MessagingFailure.Code? {
    do {
      _ = try await body()
      return nil
    } catch let failure as MessagingFailure {
      return failure.code
    }
  }

  @Test("threat 55: a sender's bytes are bounded over all of its endpoints")
  func senderBytes() async throws {
    try await inWorld { world in
      let (ann, _) = try await world.endpoint("ann", seconds: 3_600)
      let (tablet, _) = try await world.endpoint("ann", seconds: 3_600, device: "tablet")
      let (bob, socket) = try await world.endpoint("bob", seconds: 3_600)
      let id = try await chat(world, ann, bob, socket)
      #expect(ann.regId == tablet.regId && ann.endpoint != tablet.endpoint)
      let body = Sealed(String(repeating: "A", count: 99_000))
      func send(_ index: Int, by caller: MailboxCaller) async throws -> MessagingFailure.Code? {
        try await code {
          try await world.admit(.messageSend(chatId: id, cookie: "\(index)", body: body), by: caller)
        }
      }
      for index in 0..<10 {
        let expected: MessagingFailure.Code? = index < 7 ? nil : .tooFast
        #expect(try await send(index, by: index % 2 == 0 ? ann : tablet) == expected, "\(index)")
      }
      #expect(try await world.store.mailboxes { try $0.chat(id)?.lastMessage } == 7)
      #expect(try await send(0, by: bob) == nil)
      world.clock.instant.withLock { $0 = .milliseconds(2_000) }
      #expect(try await send(7, by: tablet) == nil)
      #expect(try await send(8, by: ann) == nil)
      #expect(try await send(9, by: ann) == .tooFast)
    }
  }

  @Test("threat 55: typing over budget is dropped; messages and ends of calls still come")
  func passingBytes() async throws {
    try await inWorld { world in
      let (ann, _) = try await world.endpoint("ann", seconds: 3_600)
      let (bob, socket) = try await world.endpoint("bob", seconds: 3_600)
      let id = try await chat(world, ann, bob, socket)
      let typing = MessagingRequest.typing(
        chatId: id, sealed: Sealed(String(repeating: "A", count: MessagingLimits.shortCharacters)))
      func count() -> Int { socket.passing.count { if case .typing = $0 { true } else { false } } }
      for _ in 0..<40 { #expect(try await world.admit(typing, by: ann)) }
      // The reader's budget ends first, and then the sender's.
      #expect(count() == MessagingLimits.passingBytesBurst / (MessagingLimits.shortCharacters + 450))
      let dropped = await world.hub.counters.passingDropped.current
      #expect(dropped == UInt64(40 - count()))
      var admitted = 0
      for _ in 0..<20 { if try await world.admit(typing, by: ann) { admitted += 1 } }
      #expect((1..<10).contains(admitted))
      #expect(try await world.admit(.messageSend(chatId: id, cookie: "1", body: Sealed("AAAA")), by: ann))
      #expect(socket.events.contains { if case .message = $0.event { true } else { false } })
      let end = PassingEvent.callEnded(callId: CallID("c"), end: .unanswered)
      await world.hub.send(end, to: bob.endpoint)
      #expect(socket.passing.last == end)
      // A second later there is room for as many as its rate allows, besides what was left.
      let before = count()
      world.clock.instant.withLock { $0 = $0 + .seconds(1) }
      let event = PassingEvent.typing(
        chatId: id, from: ann.regId, sealed: Sealed(String(repeating: "A", count: MessagingLimits.shortCharacters)))
      for _ in 0..<40 { await world.hub.send(event, to: bob.endpoint) }
      let rate = MessagingLimits.passingBytesPerSecond / (MessagingLimits.shortCharacters + 450)
      #expect((rate...rate + 1).contains(count() - before))
    }
  }
}
