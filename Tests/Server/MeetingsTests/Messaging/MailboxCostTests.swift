import Foundation
import Messaging
import Testing

@testable import Meetings

/// The costs of requests in the store.
@Suite("Costs of mailboxes")
struct MailboxCostTests {
  private func sealed(_ count: Int) -> Sealed { Sealed(String(repeating: "A", count: count)) }

  /// The bytes that ten messages and their marks add to the log of the database.
  private func logBytes(data: Int, envelope: Int) async throws -> Int {
    let world = try await MailboxWorld()
    let (ann, bob) = (try await world.person("ann"), try await world.person("bob"))
    let chat = try await world.chat(ann, [bob])
    try await world.apply(.chatUpdate(chatId: chat, data: sealed(data)), by: ann)
    for (from, to) in [(ann, ann), (bob, bob), (ann, bob), (bob, ann)] {
      let envelope = SealedEnvelope(to: to.regId, sealed: sealed(envelope))
      try await world.apply(.chatKeys(chatId: chat, keys: [envelope]), by: from)
    }
    let log = world.folder.path + "/parley.sqlite-wal"
    func size() throws -> Int {
      try #require(try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int)
    }
    let before = try size()
    for index in 1...10 {
      let number = try await world.send(ann, chat, "\(index)")
      try await world.apply(.messagesRead(chatId: chat, number: .init(number)), by: bob)
    }
    return try size() - before
  }

  @Test("a short message and its marks cost the same in a chat with much data and keys")
  func shortMessages() async throws {
    let small = try await logBytes(data: 4, envelope: 4)
    let large = try await logBytes(data: MessagingLimits.dataCharacters, envelope: MessagingLimits.shortCharacters)
    // Rewriting the data would add a million bytes.
    #expect(small > 0 && large < small + 100_000, "\(small), \(large)")
  }

  @Test("threat 55: a repeated invitation replaces the last; only members change a group")
  func pending() async throws {
    let world = try await MailboxWorld()
    let (ann, bob) = (try await world.person("ann"), try await world.person("bob"))
    let chat = try await world.chat(ann, [bob])
    func keys(_ index: Int) -> [SealedEnvelope] { [SealedEnvelope(to: bob.regId, sealed: sealed(4 * index))] }
    for index in 2...6 {
      try await world.apply(.chatInvite(chatId: chat, invitees: [bob.regId], keys: keys(index)), by: ann)
    }
    let invitations = try await world.events(bob).compactMap { event -> Sealed? in
      if case .chatAdded(let info, ann.regId) = event.event { info.key } else { nil }
    }
    #expect(invitations == [sealed(24), sealed(24)])

    let update = MessagingRequest.chatUpdate(chatId: chat, data: sealed(4))
    #expect(try await world.refusal(update, by: bob) == .notAllowed)
    try await world.apply(.chatJoin(chatId: chat), by: bob)
    #expect(try await world.refusal(update, by: bob) == nil)
    let pair = try await world.chat(ann, [bob], isOneToOne: true, cookie: "pair")
    #expect(try await world.refusal(.chatUpdate(chatId: pair, data: sealed(4)), by: bob) == nil)
  }

  @Test("a change of a chat reads envelopes only for those who get it at once")
  func changedChat() async throws {
    let world = try await MailboxWorld()
    let (ann, bob) = (try await world.person("ann"), try await world.person("bob"))
    let chat = try await world.chat(ann, [bob])
    let time = world.time
    let outcome = try await world.store.mailboxes { transaction in
      var logic = MailboxLogic(ann, now: time, in: transaction)
      logic.isReader = { $0 == ann.regId }
      return try logic.apply(.chatUpdate(chatId: chat, data: Sealed("AAAA")))
    }
    func keys(_ event: MessagingEvent?) -> [Sealed?] {
      if case .chatChanged(let info, _) = event { [info.key, info.ownKey] } else { [] }
    }
    let (own, other) = (
      outcome.deliveries.first { $0.to == ann.regId }, outcome.deliveries.first { $0.to == bob.regId }
    )
    #expect(own?.isWhole == true && keys(own?.event.event) == [nil, sealed(4)])
    #expect(other?.isWhole == false && keys(other?.event.event) == [nil, nil])
    #expect(keys(try await world.events(bob).last?.event) == [sealed(4), nil])
  }

  @Test("a chat's texts and envelopes go with it, and an envelope with its participant")
  func removed() async throws {
    let world = try await MailboxWorld()
    let (ann, bob) = (try await world.person("ann"), try await world.person("bob"))
    let chat = try await world.chat(ann, [bob])
    try await world.apply(.chatUpdate(chatId: chat, subject: sealed(4), data: sealed(8)), by: ann)
    func stored(_ caller: MailboxCaller) async throws -> (ChatTexts, ChatEnvelopes) {
      try await world.store.mailboxes { (try $0.texts(of: chat), try $0.envelopes(of: caller.regId, in: chat)) }
    }
    #expect(try await stored(bob) == (ChatTexts(subject: sealed(4), data: sealed(8)), ChatEnvelopes(key: sealed(4))))
    try await world.apply(.chatLeave(chatId: chat), by: bob)
    #expect(try await stored(bob).1 == ChatEnvelopes())
    try await world.apply(.chatLeave(chatId: chat), by: ann)
    #expect(try await stored(ann) == (ChatTexts(), ChatEnvelopes()))
  }
}
