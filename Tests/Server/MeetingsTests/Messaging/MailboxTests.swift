import Foundation
import Messaging
import TestSeeds
import Testing

@testable import Meetings

@Suite("Mailboxes", .tellsSeeds)
struct MailboxTests {
  @Test("threat 54: a chat has one order without gaps; foreign requests change nothing")
  func order() async throws {
    let world = try await MailboxWorld()
    let (ann, bob, eve) = (
      try await world.person("ann"), try await world.person("bob"), try await world.person("eve")
    )
    let chat = try await world.chat(ann, [bob])
    #expect(try await world.chat(ann, [bob]) == chat)
    #expect(try await world.send(ann, chat, "1") == 1)
    #expect(try await world.send(bob, chat, "1") == 2)
    #expect(try await world.send(ann, chat, "1") == 1)
    #expect(try await world.history(bob, chat).map(\.number.value) == [1, 2])
    // Nobody else learns that the chat exists.
    for request: MessagingRequest in [
      .messageSend(chatId: chat, cookie: "x", body: Sealed("AAAA")),
      .history(chatId: chat, from: .init(1), through: .init(2)), .chatGet(chatId: chat), .chatLeave(chatId: chat),
      .messagesRead(chatId: chat, number: .init(1)), .typing(chatId: chat),
      .chatInvite(chatId: chat, invitees: [eve.regId], keys: []), .attachmentUpload(chatId: chat, bytes: 5),
      .messageRecall(chatId: chat, number: .init(1)),
    ] { #expect(try await world.refusal(request, by: eve) == .notFound, "\(request)") }
    #expect(try await world.events(eve).isEmpty)
    // Marks beyond the newest message are refused.
    #expect(try await world.refusal(.messagesRead(chatId: chat, number: .init(3)), by: bob) == .badRequest)
    try await world.apply(.messagesRead(chatId: chat, number: .init(2)), by: bob)
    try await world.apply(.messagesRead(chatId: chat, number: .init(1)), by: bob)
    let marks = try await world.events(ann).compactMap { event -> UInt64? in
      if case .marks(_, bob.regId, _, let read) = event.event { read.value } else { nil }
    }
    #expect(marks == [2])
  }

  @Test("two identities have one chat, which nobody joins, until one of them leaves it")
  func oneToOne() async throws {
    let world = try await MailboxWorld()
    let (ann, bob, eve) = (
      try await world.person("ann"), try await world.person("bob"), try await world.person("eve")
    )
    let chat = try await world.chat(ann, [bob], isOneToOne: true)
    let again = MessagingRequest.chatStart(
      cookie: "d", invitees: [ann.regId], isOneToOne: true, invitePolicy: .adminsOnly, keys: [])
    await #expect {
      try await world.apply(again, by: bob)
    } throws: { ($0 as? MessagingFailure)?.code == .alreadyExists && ($0 as? MessagingFailure)?.chat == chat }
    let invitation = MessagingRequest.chatInvite(chatId: chat, invitees: [eve.regId], keys: [])
    #expect(try await world.refusal(invitation, by: ann) == .notAllowed)
    try await world.apply(.chatLeave(chatId: chat), by: ann)
    #expect(try await world.refusal(again, by: bob) == nil)
  }

  @Test("a chat always has an admin, and later members don't read what was before")
  func admins() async throws {
    let world = try await MailboxWorld()
    let (ann, bob, eve) = (
      try await world.person("ann"), try await world.person("bob"), try await world.person("eve")
    )
    let chat = try await world.chat(ann, [bob])
    _ = try await world.send(ann, chat, "before")
    for request: MessagingRequest in [
      .chatInvite(chatId: chat, invitees: [eve.regId], keys: []),
      .participantRemove(chatId: chat, regId: ann.regId), .participantPromote(chatId: chat, regId: bob.regId),
      .messageRecall(chatId: chat, number: .init(1)),
    ] { #expect(try await world.refusal(request, by: bob) == .notAllowed, "\(request)") }
    #expect(try await world.refusal(.participantDemote(chatId: chat, regId: ann.regId), by: ann) == .notAllowed)
    try await world.apply(.chatInvite(chatId: chat, invitees: [eve.regId], keys: []), by: ann)
    #expect(try await world.send(bob, chat, "after") == 2)
    #expect(try await world.history(eve, chat).map(\.number.value) == [2])
    #expect(try await world.refusal(.messageDelete(chatId: chat, number: .init(1)), by: eve) == .notFound)
    // Deleted is deleted for oneself, and recalled for everybody.
    try await world.apply(.messageDelete(chatId: chat, number: .init(2)), by: eve)
    #expect(try await world.history(eve, chat).isEmpty)
    try await world.apply(.messageRecall(chatId: chat, number: .init(2)), by: ann)
    let recalled = try await world.history(bob, chat).last
    #expect(recalled?.state == .recalled && recalled?.body == nil)
    let waiting = try await world.events(bob).compactMap { event -> StoredMessage? in
      if case .message(_, let message) = event.event { message } else { nil }
    }
    #expect(waiting.map(\.body) == [Sealed("Qk9E"), nil])
    // The next admin is somebody who has joined.
    try await world.apply(.chatJoin(chatId: chat), by: bob)
    try await world.apply(.chatLeave(chatId: chat), by: ann)
    #expect(try await world.refusal(.participantRemove(chatId: chat, regId: eve.regId), by: bob) == nil)
  }

  @Test("an identity has 3 persistent and 7 ephemeral endpoints, and reuses a freed place")
  func quota() async throws {
    let world = try await MailboxWorld()
    var first: MailboxCaller?
    for index in 0..<10 {
      let caller = try await world.register("ann", isPersistent: index < 3)
      first = first ?? caller
      #expect(caller != nil)
    }
    #expect(try await world.register("ann") == nil)
    #expect(try await world.register("ann", isPersistent: false) == nil)
    let ann = try #require(first)
    let bob = try await world.person("bob")
    #expect(try await world.refusal(.endpointDeregister(endpointId: ann.endpoint), by: bob) == .notFound)
    let outcome = try await world.apply(.endpointDeregister(endpointId: ann.endpoint), by: ann)
    #expect(outcome.deregistered == [ann.endpoint])
    #expect(try await world.refusal(.chatsGet(), by: ann) == .endpointDeregistered)
    #expect(try await world.register("ann")?.regId == ann.regId)
    // Its secret opens nothing any more, and no wrong one does.
    let (id, other) = (world.domain.id, try #require(try await world.register("cid", secret: "right")))
    for (endpoint, secret, code): (EndpointID, String, MessagingFailure.Code) in [
      (ann.endpoint, "s", .endpointDeregistered), (other.endpoint, "wrong", .tokenRejected),
    ] {
      let resume = EndpointMessage.Resume(domain: id, endpoint: endpoint, secret: secret, acknowledged: .init(0))
      await #expect {
        try await world.store.mailboxes { _ = try EndpointRegistration.resume(resume, in: $0) }
      } throws: { ($0 as? MessagingFailure)?.code == code }
    }
  }

  @Test("identities are looked up both ways in their domain only; keys only get newer")
  func identities() async throws {
    let world = try await MailboxWorld()
    let (ann, bob) = (try await world.person("ann"), try await world.person("bob"))
    let outcome = try await world.apply(
      .identitiesGet(appUserIds: ["bob", "nobody"], regIds: [ann.regId, RegID(5)]), by: ann)
    guard case .identities(let found) = outcome.answer else { throw MessagingFailure(.unknown, "") }
    #expect(found.map(\.appUserId) == ["bob", "ann"] && found.map(\.regId) == [bob.regId, ann.regId])
    #expect(found.allSatisfy { $0.pin.count == 8 && $0.pin.allSatisfy { "0123456789abcdef".contains($0) } })
    let many = MessagingRequest.identitiesGet(
      appUserIds: Array(repeating: "x", count: MessagingLimits.lookup + 1))
    #expect(try await world.refusal(many, by: ann) == .limitReached)
    _ = try await world.chat(ann, [bob])
    let key = Sealed(String(repeating: "A", count: 43))
    let second = PublicKeys(signing: key, encryption: key, generation: 2)
    #expect(try await world.refusal(.publishKeys(keys: second), by: ann) == nil)
    let older = PublicKeys(signing: key, encryption: key, generation: 1)
    #expect(try await world.refusal(.publishKeys(keys: older), by: ann) == .versionConflict)
    let short = PublicKeys(signing: Sealed("AAAA"), encryption: key, generation: 3)
    #expect(try await world.refusal(.publishKeys(keys: short), by: ann) == .badRequest)
    #expect(try await world.events(bob).contains { $0.event == .keysChanged(regId: ann.regId, keys: second) })
  }

  @Test("threat 55: what is over a limit is refused by its name")
  func limits() async throws {
    let world = try await MailboxWorld()
    let (ann, bob) = (try await world.person("ann"), try await world.person("bob"))
    let chat = try await world.chat(ann, [bob])
    func sealed(_ count: Int) -> Sealed { Sealed(String(repeating: "A", count: count)) }
    let short = MessagingLimits.shortCharacters + 4
    let tooLong = String(repeating: "x", count: MessagingLimits.descriptionCharacters + 1)
    let over: [(String, MessagingRequest)] = [
      ("bodyCharacters", .messageSend(chatId: chat, cookie: "1", body: sealed(MessagingLimits.bodyCharacters + 4))),
      (
        "attachments",
        .messageSend(
          chatId: chat, cookie: "1", body: sealed(4),
          attachments: Array(repeating: AttachmentID("a"), count: MessagingLimits.attachments + 1))
      ),
      ("shortCharacters", .typing(chatId: chat, sealed: sealed(short))),
      ("shortCharacters", .chatEventSend(chatId: chat, sealed: sealed(short))),
      ("shortCharacters", .chatUpdate(chatId: chat, subject: sealed(short))),
      ("dataCharacters", .chatUpdate(chatId: chat, data: sealed(MessagingLimits.dataCharacters + 4))),
      ("shortCharacters", .chatKeys(chatId: chat, keys: [.init(to: bob.regId, sealed: sealed(short))])),
      ("descriptionCharacters", .endpointUpdate(description: tooLong)),
      ("descriptionCharacters", .endpointUpdate(nickname: tooLong)),
      ("attachmentBytes", .attachmentUpload(chatId: chat, bytes: MessagingLimits.attachmentBytes + 1)),
      (
        "participants",
        .chatKeys(
          chatId: chat,
          keys: Array(repeating: .init(to: bob.regId, sealed: sealed(4)), count: MessagingLimits.participants + 1))
      ),
      (
        "participants",
        .chatInvite(chatId: chat, invitees: (1...UInt64(MessagingLimits.participants)).map { RegID($0) }, keys: [])
      ),
      ("lookup", .identitiesGet(appUserIds: Array(repeating: "ann", count: MessagingLimits.lookup + 1))),
    ]
    for (name, request) in over {
      await #expect("\(request)") {
        try await world.apply(request, by: ann)
      } throws: { error in
        guard let failure = error as? MessagingFailure else { return false }
        return failure.code == .limitReached && failure.message.contains("(\(name))")
      }
    }
    let cookie = String(repeating: "c", count: MessagingLimits.cookieBytes + 1)
    let long = MessagingRequest.messageSend(chatId: chat, cookie: cookie, body: sealed(4))
    #expect(try await world.refusal(long, by: ann) == .badRequest)
    #expect(try await world.send(ann, chat, "1") == 1)
    // Promised bytes count, and a file that never came goes after a day.
    let most = MessagingLimits.storedAttachmentBytes / MessagingLimits.attachmentBytes
    let promise = MessagingRequest.attachmentUpload(chatId: chat, bytes: MessagingLimits.attachmentBytes)
    for _ in 0..<most { try await world.apply(promise, by: ann) }
    #expect(try await world.refusal(promise, by: ann) == .limitReached)
    #expect(try await world.refusal(promise, by: bob) == nil)
    let later = world.now + 1
    #expect(try await world.store.mailboxes { try $0.purgeAttachments(before: later) }.count == most + 1)
    #expect(try await world.refusal(promise, by: ann) == nil)
  }

  @Test("events stay until every endpoint has them, 30 days at most, and a gap is told")
  func keeping() async throws {
    let world = try await MailboxWorld()
    let (ann, bob) = (try await world.person("ann"), try await world.person("bob"))
    let tablet = try await world.person("bob")
    let chat = try await world.chat(ann, [bob])
    for index in 0..<5 { _ = try await world.send(ann, chat, "\(index)") }
    let all = try await world.events(bob)
    let last = try #require(all.last?.number)
    try await world.acknowledge(last, by: bob)
    #expect(try await world.events(bob) == all)
    try await world.acknowledge(last - 1, by: tablet)
    #expect(try await world.events(bob).map(\.number) == [last])
    // More than there is isn't acknowledged.
    try await world.acknowledge(last + 9, by: tablet)
    #expect(try await world.events(bob).count == 1)
    world.now += 31 * 86_400
    let old = MessageTime(milliseconds: world.time.milliseconds - 30 * 86_400_000)
    #expect(try await world.store.mailboxes { try $0.purgeEvents(before: old, limit: 1_000) } > 0)
    #expect(try await world.events(bob).isEmpty)
    let identity = try await world.store.mailboxes { try $0.identity(bob.regId) }
    #expect(identity?.purged == last)
    // The messages are there all the same.
    #expect(try await world.history(tablet, chat).count == 5)
  }

  @Test("whatever people do, each sees the same messages in the same order", arguments: [1, 2] as [UInt64])
  func simulation(seed: UInt64) async throws {
    var random = SeededGenerator(TestSeed.of(seed))
    let world = try await MailboxWorld()
    var people: [MailboxCaller] = []
    for name in ["ann", "bob", "cid", "dan"] { people.append(try await world.person(name)) }
    var chats: [ChatID] = []
    for step in 0..<300 {
      let caller = people.randomElement(using: &random) ?? people[0]
      let other = people.randomElement(using: &random) ?? people[0]
      let chat = chats.randomElement(using: &random)
      world.now += 1
      guard let chat, step % 40 != 0 else {
        chats.append(try await world.chat(caller, people.filter { $0 != caller }, cookie: "c\(step)"))
        continue
      }
      let request: MessagingRequest =
        switch Int.random(in: 0..<10, using: &random) {
        case 0: .chatInvite(chatId: chat, invitees: [other.regId], keys: [])
        case 1: .participantRemove(chatId: chat, regId: other.regId)
        case 2: .messageRecall(chatId: chat, number: .init(UInt64.random(in: 0..<20, using: &random)))
        case 3: .messagesRead(chatId: chat, number: .init(UInt64.random(in: 0..<20, using: &random)))
        case 4: .chatLeave(chatId: chat)
        default: .messageSend(chatId: chat, cookie: "\(step % 97)", body: Sealed("AAAA"))
        }
      _ = try await world.refusal(request, by: caller)
    }
    // Each mailbox rises, and what it says of a message is what the chat has.
    for person in people {
      let events = try await world.events(person)
      #expect(zip(events, events.dropFirst()).allSatisfy { $0.number < $1.number })
      var last: [ChatID: UInt64] = [:]
      for event in events {
        guard case .message(let chat, let message) = event.event else { continue }
        #expect(message.number.value > last[chat] ?? 0)
        last[chat] = message.number.value
      }
    }
    for chat in chats {
      let record = try await world.store.mailboxes { try $0.chat(chat) }
      guard let record else { continue }
      let numbers = try await world.store.mailboxes { transaction in
        try (0..<record.lastMessage).compactMap { try transaction.message($0 + 1, of: chat)?.number.value }
      }
      #expect(numbers.count == Int(record.lastMessage))
      let admins = try await world.store.mailboxes { try $0.participants(of: chat).filter(\.isAdmin) }
      #expect(!admins.isEmpty)
    }
    // The counted bytes are those that there are.
    let id = world.domain.id
    let (counted, stored) = try await world.store.mailboxes { transaction in
      let sql = try #require(transaction as? SQLiteMailboxTransaction)
      let stored = try sql.rows(
        """
        SELECT (SELECT coalesce(sum(coalesce(length(body), 0) + 300), 0) FROM mailbox_messages)
          + (SELECT coalesce(sum(coalesce(length(key), 0) + coalesce(length(own_key), 0)), 0) FROM mailbox_envelopes)
        """
      ) { Int($0.integer(0)) }
      return (try transaction.usage(of: id).bytes, stored.first)
    }
    #expect(counted == stored)
    #expect(try await world.store.integrityCheck() == ["ok"])
  }
}
