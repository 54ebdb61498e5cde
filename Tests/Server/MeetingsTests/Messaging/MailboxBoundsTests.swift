import Foundation
import Messaging
import Testing

@testable import Meetings

/// The bounds of what one identity makes the server keep.
@Suite("Bounds of mailboxes")
struct MailboxBoundsTests {
  private func sealed(_ count: Int) -> Sealed { Sealed(String(repeating: "A", count: count)) }

  @Test("threat 55: an identity's chats are bounded, as are its key changes an hour")
  func chatsAndKeys() async throws {
    let world = try await MailboxWorld()
    let (ann, bob) = (try await world.person("ann"), try await world.person("bob"))
    try await world.store.mailboxes { transaction in
      for index in 0..<MessagingLimits.chats {
        try transaction.put(
          ParticipantRecord(
            chat: ChatID("chat \(index)"), regId: bob.regId, state: .pending, isAdmin: false, delivered: 0, read: 0,
            firstMessage: 1))
      }
    }
    func start(_ invitee: MailboxCaller) -> MessagingRequest {
      .chatStart(cookie: "c", invitees: [invitee.regId], isOneToOne: false, invitePolicy: .adminsOnly, keys: [])
    }
    #expect(try await world.refusal(start(bob), by: ann) == .limitReached)
    #expect(try await world.refusal(start(ann), by: bob) == .limitReached)

    func publish(_ generation: Int) -> MessagingRequest {
      .publishKeys(keys: PublicKeys(signing: sealed(43), encryption: sealed(43), generation: generation))
    }
    for generation in [MessagingLimits.keyGenerationStep + 1, .max] {
      #expect(try await world.refusal(publish(generation), by: ann) == .badRequest)
    }
    for generation in 1...MessagingLimits.keyChangesPerHour {
      #expect(try await world.refusal(publish(generation), by: ann) == nil)
    }
    await #expect {
      try await world.apply(publish(99), by: ann)
    } throws: { error in
      guard let failure = error as? MessagingFailure, let seconds = failure.retryAfter else { return false }
      return failure.code == .limitReached && (1...3_600).contains(seconds)
    }
    // The same keys once more don't count.
    #expect(try await world.refusal(publish(MessagingLimits.keyChangesPerHour), by: ann) == nil)
    world.now += 3_600
    #expect(try await world.refusal(publish(99), by: ann) == nil)
    let last = MessagingLimits.keyGenerations
    let keys = PublicKeys(signing: sealed(43), encryption: sealed(43), generation: last - 1)
    try await world.store.mailboxes { try $0.setKeys(keys, of: bob.regId, changes: 0, hour: 0) }
    #expect(try await world.refusal(publish(last + 1), by: bob) == .badRequest)
    #expect(try await world.refusal(publish(last), by: bob) == nil)
  }

  @Test("threat 55: an identity's chats with one other are bounded, each way")
  func chatsOfOne() async throws {
    let world = try await MailboxWorld()
    let (ann, bob, cyd) = (
      try await world.person("ann"), try await world.person("bob"), try await world.person("cyd")
    )
    for index in 0..<MessagingLimits.chatsOfOne { _ = try await world.chat(ann, [bob], cookie: "\(index)") }
    func start(_ cookie: String, _ invitees: [MailboxCaller]) -> MessagingRequest {
      .chatStart(
        cookie: cookie, invitees: invitees.map(\.regId), isOneToOne: false, invitePolicy: .adminsOnly, keys: [])
    }
    #expect(try await world.refusal(start("x", [bob, cyd]), by: ann) == .limitReached)
    let other = try await world.chat(ann, [cyd], cookie: "y")
    let invitation = MessagingRequest.chatInvite(chatId: other, invitees: [bob.regId], keys: [])
    #expect(try await world.refusal(invitation, by: ann) == .limitReached)
    // A repeated request is answered, and the other side isn't touched.
    #expect(try await world.refusal(start("0", [bob]), by: ann) == nil)
    #expect(try await world.refusal(start("x", [ann]), by: bob) == nil)
  }

  @Test("threat 55: a full mailbox drops its oldest events by number and size, with a gap")
  func fullMailbox() async throws {
    let world = try await MailboxWorld()
    let (ann, bob) = (try await world.person("ann"), try await world.person("bob"))
    let chat = try await world.chat(ann, [bob])
    for _ in 0..<20 {
      try await world.apply(
        .chatKeys(chatId: chat, keys: [SealedEnvelope(to: bob.regId, sealed: sealed(1_000))]), by: ann)
    }
    let before = try await world.events(bob).count
    try await world.store.mailboxes { try $0.trim(bob.regId, toCharacters: 100_000) }
    #expect(try await world.events(bob).count == before)
    try await world.store.mailboxes { try $0.trim(bob.regId, toCharacters: 10_000) }
    let kept = try await world.events(bob).filter { if case .chatKey = $0.event { true } else { false } }.count
    #expect(kept < 8 && kept > 4)
    let purged = try await world.store.mailboxes { try $0.identity(bob.regId)?.purged ?? 0 }
    #expect(try await world.events(bob).first?.number == purged + 1)
    // The count goes down with them.
    try await world.store.mailboxes { try $0.trim(bob.regId, toCharacters: 8_000) }
    #expect(try await world.events(bob).first?.number == purged + 1)

    // The same by a request: of a mailbox that is nearly full, one event has more than a quarter.
    func store() async throws {
      try await world.apply(
        .chatKeys(chatId: chat, keys: [SealedEnvelope(to: bob.regId, sealed: sealed(1_000))]), by: ann)
    }
    try await store()
    let large = try #require(try await world.events(bob).last?.number)
    try await world.store.mailboxes { transaction in
      let sql = transaction as? SQLiteMailboxTransaction
      try sql?.run(
        "UPDATE mailbox_events SET body = printf('%.*c', ?, 'x') WHERE identity = ? AND number = ?",
        [.number(MessagingLimits.mailboxCharacters / 3), .id(bob.regId), .number(large)])
      try sql?.run(
        "UPDATE messaging_identities SET mailbox_characters = ? WHERE id = ?",
        [.number(MessagingLimits.mailboxCharacters - 100), .id(bob.regId)])
    }
    try await store()
    #expect(try await world.store.mailboxes { try $0.identity(bob.regId)?.purged } == large)
    #expect(try await world.events(bob).map(\.number) == [large + 1])

    let next = UInt64(MessagingLimits.mailboxEvents) + 999
    try await world.store.mailboxes { transaction in
      try (transaction as? SQLiteMailboxTransaction)?.run(
        "UPDATE messaging_identities SET last_event = ? WHERE id = ?", [.number(next), .id(bob.regId)])
    }
    _ = try await world.send(ann, chat, "1")
    #expect(try await world.events(bob).map(\.number) == [next + 1])
  }

  @Test("an answer's chats are bounded, and in a large chat marks go to their identity")
  func pages() async throws {
    let world = try await MailboxWorld()
    let ann = try await world.person("ann")
    var others: [MailboxCaller] = []
    for index in 0..<MessagingLimits.markedParticipants { others.append(try await world.person("user \(index)")) }
    let small = try await world.chat(ann, Array(others.dropLast()), cookie: "small")
    let large = try await world.chat(ann, others, cookie: "large")
    var counts: [Int] = []
    for chat in [small, large] {
      _ = try await world.send(ann, chat, "1")
      let outcome = try await world.apply(.messagesRead(chatId: chat, number: .init(1)), by: others[0])
      counts.append(outcome.deliveries.count)
    }
    #expect(counts == [MessagingLimits.markedParticipants, 1])

    for index in 2..<MessagingLimits.chatPage + 1 {
      _ = try await world.chat(ann, [others[index % others.count]], cookie: "\(index)")
    }
    func page(_ after: ChatID?) async throws -> (chats: [ChatInfo], isLast: Bool) {
      guard case .chats(let chats, let isLast) = try await world.apply(.chatsGet(after: after), by: ann).answer else {
        throw MessagingFailure(.unknown, "no chats")
      }
      return (chats, isLast)
    }
    let first = try await page(nil)
    #expect(first.chats.count == MessagingLimits.chatPage && !first.isLast)
    let second = try await page(first.chats.last?.chatId)
    #expect(second.chats.count == 1 && second.isLast)
  }

  @Test("threat 55: an answer with history has bounded numbers of messages and characters")
  func history() async throws {
    let world = try await MailboxWorld()
    let (ann, bob) = (try await world.person("ann"), try await world.person("bob"))
    let chat = try await world.chat(ann, [bob])
    for index in 1...MessagingLimits.history + 5 { _ = try await world.send(ann, chat, "\(index)") }
    let page = try await world.history(bob, chat)
    #expect(page.count == MessagingLimits.history && page.last?.number.value == UInt64(MessagingLimits.history + 5))
    for index in 0..<8 {
      let body = sealed(MessagingLimits.bodyCharacters)
      try await world.apply(.messageSend(chatId: chat, cookie: "large \(index)", body: body), by: ann)
    }
    let large = try await world.history(bob, chat)
    let characters = large.reduce(0) { $0 + ($1.body?.count ?? 0) }
    #expect(characters <= MessagingLimits.unacknowledgedBytes + MessagingLimits.bodyCharacters && large.count == 6)
  }

  @Test("old events go a few at a time, and each identity that loses some is noted")
  func purgedParts() async throws {
    let world = try await MailboxWorld()
    let (ann, bob) = (try await world.person("ann"), try await world.person("bob"))
    let chat = try await world.chat(ann, [bob])
    world.now += 1
    for index in 0..<3 { _ = try await world.send(ann, chat, "\(index)") }
    let old = world.time
    world.now += 1
    _ = try await world.send(ann, chat, "new")
    let all = try await world.events(bob).map(\.number)
    var counts: [Int] = []
    var gone: [UInt64] = []
    for _ in 0..<5 {
      let moment = MessageTime(milliseconds: old.milliseconds + 1)
      counts.append(try await world.store.mailboxes { try $0.purgeEvents(before: moment, limit: 3) })
      gone.append(try await world.store.mailboxes { try $0.identity(bob.regId)?.purged ?? 0 })
      let left = try await world.events(bob).map(\.number)
      #expect(left == all.filter { $0 > gone.last ?? 0 })
    }
    // Four events of each: the chat, and three messages.
    #expect(counts == [3, 3, 2, 0, 0] && gone.last == all.dropLast().last)
  }

  @Test("a file goes with its last message, and after a day when no message names it")
  func attachments() async throws {
    let world = try await MailboxWorld()
    let (ann, bob) = (try await world.person("ann"), try await world.person("bob"))
    let chat = try await world.chat(ann, [bob])
    func upload() async throws -> AttachmentID {
      let outcome = try await world.apply(.attachmentUpload(chatId: chat, bytes: 9), by: ann)
      let id = try #require(outcome.transfer?.attachment)
      try await world.store.mailboxes { transaction in
        var record = try #require(try transaction.attachment(id))
        record.isComplete = true
        try transaction.put(record)
      }
      return id
    }
    let (named, unnamed) = (try await upload(), try await upload())
    for cookie in ["1", "2"] {
      try await world.apply(
        .messageSend(chatId: chat, cookie: cookie, body: sealed(4), attachments: [named, named]), by: ann)
    }
    let later = world.now + 86_400
    #expect(try await world.store.mailboxes { try $0.purgeAttachments(before: later) } == [unnamed])
    let first = try await world.apply(.messageRecall(chatId: chat, number: .init(1)), by: ann)
    #expect(first.removedAttachments.isEmpty)
    #expect(try await world.refusal(.attachmentDownload(chatId: chat, attachment: named), by: bob) == nil)
    let second = try await world.apply(.messageRecall(chatId: chat, number: .init(2)), by: ann)
    #expect(second.removedAttachments == [named])
    #expect(try await world.refusal(.attachmentDownload(chatId: chat, attachment: named), by: bob) == .notFound)
  }

  @Test("threat 55: a description counts scalars, and has nothing invisible or line ends")
  func descriptions() async throws {
    let world = try await MailboxWorld()
    let ann = try await world.person("ann")
    let joined = "a" + String(repeating: "\u{200d}", count: MessagingLimits.descriptionCharacters)
    #expect(joined.count == 1)
    #expect(try await world.refusal(.endpointUpdate(description: joined), by: ann) == .limitReached)
    #expect(try await world.refusal(.endpointUpdate(nickname: joined), by: ann) == .limitReached)
    try await world.apply(.endpointUpdate(description: "my\n\u{202e}phone\u{200b}", nickname: "\u{200b}"), by: ann)
    guard case .endpoints(let endpoints, _, _) = try await world.apply(.endpointsGet, by: ann).answer else {
      throw MessagingFailure(.unknown, "no endpoints")
    }
    #expect(endpoints.map(\.description) == ["my phone"] && endpoints.map(\.nickname) == [""])
  }

  @Test("threat 54: an endpoint that was deregistered deregisters no other one")
  func deregisteredCaller() async throws {
    let world = try await MailboxWorld()
    let (phone, tablet) = (try await world.person("ann"), try await world.person("ann"))
    func forget(by caller: MailboxCaller) async throws -> [EndpointID] {
      let time = world.time
      return try await world.store.mailboxes { transaction in
        var logic = MailboxLogic(caller, now: time, in: transaction)
        return try logic.deregisterOthers().deregistered
      }
    }
    try await world.apply(.endpointDeregister(endpointId: phone.endpoint), by: tablet)
    await #expect {
      try await forget(by: phone)
    } throws: { ($0 as? MessagingFailure)?.code == .endpointDeregistered }
    #expect(try await world.refusal(.chatsGet(), by: tablet) == nil)
    let third = try await world.person("ann")
    #expect(try await forget(by: tablet) == [third.endpoint])
  }

  @Test("threat 55: an identity has a bounded number of attachments, of any size")
  func attachmentCount() async throws {
    let world = try await MailboxWorld()
    let (ann, bob) = (try await world.person("ann"), try await world.person("bob"))
    let chat = try await world.chat(ann, [bob])
    func fill(_ count: Int) async throws {
      try await world.store.mailboxes { transaction in
        try (transaction as? SQLiteMailboxTransaction)?.run(
          """
          WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
          INSERT INTO mailbox_attachments (id, chat, owner, bytes, complete, uses, created)
          SELECT 'file ' || (SELECT count(*) FROM mailbox_attachments) || ' ' || n, ?, ?, 1, 1, 1, 0 FROM numbers
          """, [.number(count), .text(chat.text), .id(ann.regId)])
      }
    }
    let upload = MessagingRequest.attachmentUpload(chatId: chat, bytes: 1)
    try await fill(MessagingLimits.storedAttachments - 1)
    #expect(try await world.refusal(upload, by: ann) == nil)
    #expect(try await world.refusal(upload, by: ann) == .limitReached)
    #expect(try await world.refusal(upload, by: bob) == nil)
  }

  @Test("an upload finds the disk full when others have promised what is free")
  func promisedSpace() async throws {
    let folder = TemporaryFolder()
    let files = AttachmentFiles(data: folder.path, spare: 10) { _ in 110 }
    try await files.start(AttachmentID("a"), bytes: 60)
    await #expect(throws: AttachmentFiles.Refusal.diskFull) { try await files.start(AttachmentID("b"), bytes: 41) }
    try await files.start(AttachmentID("b"), bytes: 40)
    await #expect(throws: AttachmentFiles.Refusal.diskFull) { try await files.start(AttachmentID("c"), bytes: 1) }
    // Written bytes aren't promised any more: the disk has them.
    try await files.append(Array(repeating: 1, count: 60), to: AttachmentID("a"))
    try await files.start(AttachmentID("c"), bytes: 60)
    await files.cancel(AttachmentID("b"))
    try await files.start(AttachmentID("d"), bytes: 40)
  }

  @Test("an endpoint that was reset takes its own place, and nobody else's")
  func replaced() async throws {
    let world = try await MailboxWorld()
    var old: [MailboxCaller] = []
    for secret in ["a", "b", "c"] {
      old.append(try #require(try await world.register("ann", secret: secret)))
    }
    #expect(try await world.register("ann", secret: "d", replaces: "unknown") == nil)
    let new = try #require(try await world.register("ann", secret: "d", replaces: "b"))
    #expect(try await world.refusal(.chatsGet(), by: old[1]) == .endpointDeregistered)
    #expect(try await world.refusal(.chatsGet(), by: old[0]) == nil)
    #expect(try await world.register("ann", secret: "d", replaces: "b") == new)
    _ = try await world.register("bob", secret: "x", replaces: "a")
    #expect(try await world.refusal(.chatsGet(), by: old[0]) == nil)
  }
}
