import Foundation
import Messaging
import Testing

@testable import Meetings

@Suite("Stored bytes of domains")
struct StoredBytesTests {
  private func sealed(_ count: Int) -> Sealed { Sealed(String(repeating: "A", count: count)) }

  private func usage(_ world: MailboxWorld) async throws -> Int {
    let id = world.domain.id
    return try await world.store.mailboxes { try $0.usage(of: id).bytes }
  }

  private func run(_ world: MailboxWorld, _ sql: String, _ values: [SQLiteValue] = []) async throws {
    try await world.store.mailboxes { try ($0 as? SQLiteMailboxTransaction)?.run(sql, values) }
  }

  private func bound(_ world: MailboxWorld, _ bytes: Int) async throws {
    var domain = world.domain
    domain.settings.maximumStoredBytes = bytes
    let changed = domain
    try await world.store.mailboxes { try $0.update(changed) }
  }

  /// The name of the limit that refuses a request; nil when it is carried out.
  private func limit(_ request: MessagingRequest, by caller: MailboxCaller, _ world: MailboxWorld) async throws
    -> String?
  {
    do {
      try await world.apply(request, by: caller)
      return nil
    } catch let failure as MessagingFailure where failure.code == .limitReached {
      return failure.message.split(separator: "(").last.flatMap { $0.split(separator: ")").first }.map(String.init)
    }
  }

  @Test("threat 55: stored bytes count at every change, and over a restart")
  func counting() async throws {
    let world = try await MailboxWorld()
    let (ann, bob) = (try await world.person("ann"), try await world.person("bob"))
    let id = world.domain.id
    // Two envelopes of four characters.
    let chat = try await world.chat(ann, [bob])
    func send(_ cookie: String, _ count: Int, _ attachments: [AttachmentID] = []) -> MessagingRequest {
      .messageSend(chatId: chat, cookie: cookie, body: sealed(count), attachments: attachments)
    }
    #expect(try await usage(world) == 8)
    try await world.apply(.chatUpdate(chatId: chat, subject: sealed(12), data: sealed(100)), by: ann)
    try await world.apply(.chatUpdate(chatId: chat, data: sealed(60)), by: ann)
    try await world.apply(.chatKeys(chatId: chat, keys: [.init(to: bob.regId, sealed: sealed(20))]), by: ann)
    #expect(try await usage(world) == 8 + 72 + 16)
    let upload = try await world.apply(.attachmentUpload(chatId: chat, bytes: 5_000), by: ann)
    let file = try #require(upload.transfer?.attachment)
    try await world.store.mailboxes { transaction in
      var record = try #require(try transaction.attachment(file))
      record.isComplete = true
      try transaction.put(record)
    }
    try await world.apply(send("1", 400, [file]), by: ann)
    try await world.apply(send("1", 400, [file]), by: ann)
    try await world.apply(send("2", 40), by: bob)
    let overhead = MessagingLimits.messageOverhead
    #expect(try await usage(world) == 96 + 5_000 + 440 + 2 * overhead)
    #expect(try await world.store.mailboxes { try $0.storedMessageBytes(of: ann.regId) } == 400 + overhead)
    for json in [#"{"private":{"a":1}}"#, #"{"private":{}}"#] {
      _ = try await world.store.mailboxes { transaction in
        let known = try transaction.keyRecord(of: "ann", in: id)
        return try transaction.put(keyRecord: json, ifStill: known, of: "ann", in: id)
      }
    }
    #expect(try await usage(world) == 96 + 5_000 + 440 + 2 * overhead + 14)

    await world.store.close()
    let again = try await SQLiteMeetingStore.open(folder: world.folder.path)
    #expect(try await again.mailboxes { try $0.usages() }.map(\.bytes) == [96 + 5_000 + 440 + 2 * overhead + 14])
    await again.close()

    let next = try await MailboxWorld(over: world)
    try await next.apply(.messageRecall(chatId: chat, number: .init(1)), by: ann)
    #expect(try await usage(next) == 96 + 40 + 2 * overhead + 14)
    try await next.apply(.chatLeave(chatId: chat), by: bob)
    try await next.apply(.chatLeave(chatId: chat), by: ann)
    #expect(try await usage(next) == 14)
    #expect(try await next.store.mailboxes { try $0.storedMessageBytes(of: ann.regId) } == 0)
    // An upload that never came is free after its day.
    let other = try await next.chat(ann, [bob], cookie: "other")
    try await next.apply(.attachmentUpload(chatId: other, bytes: 7_000), by: ann)
    #expect(try await usage(next) == 14 + 8 + 7_000)
    let later = next.now + 86_400
    _ = try await next.store.mailboxes { try $0.purgeAttachments(before: later) }
    #expect(try await usage(next) == 14 + 8)
    _ = try await next.store.mailboxes { try DomainRemoval.start(id, now: later, in: $0) }
    #expect(try await next.store.mailboxes { try $0.usages() }.isEmpty)
  }

  @Test("threat 55: storedMessageBytes and domainBytes refuse only what adds")
  func bounds() async throws {
    let world = try await MailboxWorld()
    let (ann, bob) = (try await world.person("ann"), try await world.person("bob"))
    let chat = try await world.chat(ann, [bob])
    func send(_ cookie: String, _ count: Int = 4) -> MessagingRequest {
      .messageSend(chatId: chat, cookie: cookie, body: sealed(count))
    }
    #expect(try await limit(send("1", 1_000), by: ann, world) == nil)
    let most = MessagingLimits.storedMessageBytes - MessagingLimits.messageOverhead
    let set = "UPDATE messaging_identity_usage SET bytes = ? WHERE identity = ?"
    try await run(world, set, [.number(most - 3), .id(ann.regId)])
    #expect(try await limit(send("2"), by: ann, world) == "storedMessageBytes")
    // A repeated message is answered, another identity isn't concerned, and recalling one makes room.
    #expect(try await limit(send("1"), by: ann, world) == nil)
    #expect(try await limit(send("2"), by: bob, world) == nil)
    #expect(try await limit(.messageRecall(chatId: chat, number: .init(1)), by: ann, world) == nil)
    #expect(try await limit(send("2"), by: ann, world) == nil)

    try await bound(world, try await usage(world) + 50)
    let start = MessagingRequest.chatStart(
      cookie: "x", invitees: [bob.regId], isOneToOne: false, invitePolicy: .adminsOnly, subject: sealed(52), keys: [])
    for request in [
      send("3"), start, .chatUpdate(chatId: chat, data: sealed(52)), .attachmentUpload(chatId: chat, bytes: 51),
    ] {
      #expect(try await limit(request, by: ann, world) == "domainBytes", "\(request)")
    }
    for request: MessagingRequest in [
      .chatUpdate(chatId: chat, data: sealed(48)), .chatUpdate(chatId: chat, data: sealed(8)),
      .messagesRead(chatId: chat, number: .init(2)), .messageRecall(chatId: chat, number: .init(3)),
    ] {
      #expect(try await limit(request, by: ann, world) == nil, "\(request)")
    }
    try await bound(world, 0)
    #expect(try await limit(.messageRecall(chatId: chat, number: .init(2)), by: ann, world) == nil)
    #expect(try await limit(.chatLeave(chatId: chat), by: bob, world) == nil)
    #expect(try await world.store.mailboxes { try $0.usages().map(\.isNearlyFull) } == [true])
    // Without a bound of its own, the environment's holds: sandboxBytes and domainBytes.
    #expect(MessagingDomain.Environment.sandbox.storedBytes == MessagingLimits.sandboxBytes)
    #expect(MessagingDomain.Environment.production.storedBytes == MessagingLimits.domainBytes)
  }

  @Test("the messages of a chat that is left go a few at a time, also after a restart")
  func largeChat() async throws {
    let world = try await MailboxWorld()
    let ann = try await world.person("ann")
    let bob = try await world.person("bob")
    let chat = try await world.chat(ann, [bob])
    let count = 2 * MailboxUpkeep.rows + 500
    try await run(
      world,
      """
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
      INSERT INTO mailbox_messages (chat, number, sender, endpoint, cookie, time, body, attachments)
      SELECT ?, n, ?, 'e', 'k' || n, 0, 'AAAA', '' FROM numbers
      """, [.number(count), .text(chat.text), .id(ann.regId)])
    #expect(try await usage(world) == 8 + count * (MessagingLimits.messageOverhead + 4))
    try await world.apply(.chatLeave(chatId: chat), by: bob)
    let left = try await world.apply(.chatLeave(chatId: chat), by: ann)
    #expect(left.leavesUpkeep)
    let next = try await MailboxWorld(over: world)
    var rest: [Int] = []
    repeat {
      rest.append(try await usage(next) / (MessagingLimits.messageOverhead + 4))
    } while try await next.upkeep() != nil
    #expect(rest == [count - MailboxUpkeep.rows, 500, 0])
  }

  @Test("new keys reach everybody who shares a chat, in batches and over a restart")
  func manyContacts() async throws {
    let world = try await MailboxWorld()
    let ann = try await world.person("ann")
    let count = 2_600
    try await run(
      world,
      """
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
      INSERT INTO messaging_identities (id, domain, user, pin, created)
      SELECT n, ?, 'user ' || n, 'pin ' || n, 0 FROM numbers
      """, [.number(count), .text(world.domain.id.text)])
    try await run(
      world,
      """
      INSERT INTO mailbox_participants (chat, identity, state, admin, delivered, read, first_message)
      SELECT 'chat ' || (id / 100), id, 'active', 0, 0, 0, 1 FROM messaging_identities WHERE id <= ?1
      UNION ALL SELECT DISTINCT 'chat ' || (id / 100), ?2, 'active', 0, 0, 0, 1 FROM messaging_identities WHERE id <= ?1
      """, [.number(count), .id(ann.regId)])
    let keys = PublicKeys(signing: sealed(43), encryption: sealed(43), generation: 1)
    let first = try await world.apply(.publishKeys(keys: keys), by: ann)
    var reached = first.deliveries.map(\.to)
    #expect(first.leavesUpkeep && reached.count < MailboxUpkeep.rows + MessagingLimits.participants)
    let next = try await MailboxWorld(over: world)
    while let part = try await next.upkeep() {
      guard case .announced(let outcome, let caller) = part else { continue }
      #expect(caller.regId == ann.regId && outcome.deliveries.count < MailboxUpkeep.rows + MessagingLimits.participants)
      reached += outcome.deliveries.map(\.to)
    }
    #expect(reached.count == count + 1 && Set(reached).count == count + 1)
    let event = try await next.store.mailboxes { try $0.events(of: RegID(UInt64(count)), after: 0, limit: 9) }
    #expect(event.map(\.event) == [.keysChanged(regId: ann.regId, keys: keys)])
  }
}
