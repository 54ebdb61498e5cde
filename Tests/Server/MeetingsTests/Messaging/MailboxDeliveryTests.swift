import Foundation
import Messaging
import Testing

@testable import Meetings

@Suite("Mailbox deliveries")
struct MailboxDeliveryTests {
  @Test("an envelope that an identity made for itself stays, whoever sends it others")
  func envelopes() async throws {
    let world = try await MailboxWorld()
    let (ann, bob) = (try await world.person("ann"), try await world.person("bob"))
    let chat = try await world.chat(ann, [bob])
    let other = SealedEnvelope(to: ann.regId, sealed: Sealed("BBBB"))
    try await world.apply(.chatKeys(chatId: chat, keys: [other]), by: bob)
    guard case .chat(let info) = try await world.apply(.chatGet(chatId: chat), by: ann).answer else {
      throw MessagingFailure(.unknown, "no chat")
    }
    #expect(info.key == Sealed("BBBB") && info.ownKey == Sealed("AAAA"))
  }

  @Test("registering again with the same secret takes no place; ephemeral endpoints go")
  func repeated() async throws {
    let world = try await MailboxWorld()
    let first = try #require(try await world.register("ann", isPersistent: false, secret: "own"))
    let again = try #require(try await world.register("ann", isPersistent: false, secret: "own"))
    let phone = try await world.register("ann", secret: "phone")
    let bob = try #require(try await world.register("bob", isPersistent: false, secret: "own"))
    #expect(again == first && phone?.endpoint != first.endpoint && bob.endpoint != first.endpoint)
    let now = world.now
    #expect(try await world.store.mailboxes { try $0.purgeEndpoints(before: now) }.isEmpty)
    let gone = try await world.store.mailboxes { try $0.purgeEndpoints(before: now + 86_400) }
    #expect(Set(gone) == [first.endpoint, bob.endpoint])
  }

  @Test("a waiting chat is small on disk, is read in its present state, before its keys")
  func references() async throws {
    let world = try await MailboxWorld()
    var people: [MailboxCaller] = []
    for index in 0..<40 { people.append(try await world.person("user \(index)")) }
    let (ann, bob) = (people[0], people[1])
    let chat = try await world.chat(ann, Array(people.dropFirst()))
    for person in people.dropFirst() { try await world.apply(.chatJoin(chatId: chat), by: person) }
    let largest = try await world.store.mailboxes { transaction in
      try (transaction as? SQLiteMailboxTransaction)?.rows("SELECT max(length(body)) FROM mailbox_events") {
        $0.integer(0)
      }.first
    }
    #expect(try #require(largest) < 200)
    let keys = [SealedEnvelope(to: bob.regId, sealed: Sealed("BBBB"))]
    try await world.apply(.chatKeys(chatId: chat, keys: keys), by: ann)
    try await world.apply(.chatUpdate(chatId: chat, subject: Sealed("CCCC")), by: ann)
    let kinds = try await world.events(bob).map { event in
      switch event.event {
      case .chatAdded(let info, ann.regId) where info.subject == Sealed("CCCC"): "added"
      case .chatChanged(let info, _) where info.participants.allSatisfy({ $0.state == .active }): "changed"
      case .chatJoined(chat, _): "joined"
      case .chatKey(chat, Sealed("BBBB"), ann.regId): "key"
      default: "\(event.event)"
      }
    }
    // Joining makes a short event for each participant, without the whole chat.
    #expect(kinds == ["added"] + Array(repeating: "joined", count: 39) + ["key", "changed"])
    for _ in 0..<2 { try await world.apply(.chatUpdate(chatId: chat, subject: Sealed("DDDD")), by: ann) }
    try await world.apply(.chatKeys(chatId: chat, keys: keys), by: ann)
    try await world.apply(.chatUpdate(chatId: chat, subject: Sealed("EEEE")), by: ann)
    let last = try await world.events(bob).suffix(3).map { event in
      switch event.event {
      case .chatChanged: "changed"
      case .chatKey: "key"
      default: "\(event.event)"
      }
    }
    #expect(last == ["changed", "key", "changed"])
  }
}
