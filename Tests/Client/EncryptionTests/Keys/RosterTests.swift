import Basics
import Crypto
import Testing

@testable import Encryption

@Suite("The roster of those who hold keys")
struct RosterTests {
  private final class Person {
    let identity: Ed25519.PrivateKey
    let meetingKey: X25519.PrivateKey
    let id: ParticipantID
    var revision: UInt32 = 0

    init(_ name: String) throws {
      identity = try Ed25519.PrivateKey()
      meetingKey = try X25519.PrivateKey()
      id = ParticipantID(rawValue: name)
    }

    func announcement(index: UInt16, name: String = "") throws -> Announcement {
      revision += 1
      return try Announcement(
        meeting: "daily", participant: id, name: name, identity: identity.publicKey, meetingKey: meetingKey.publicKey,
        senderIndex: index, revision: revision)
    }
  }

  @Test("an index stays with its first owner, and goes to the next once it is free")
  func indices() throws {
    var roster = Roster()
    let (ann, ben, cem) = try (Person("ann"), Person("ben"), Person("cem"))
    #expect(try roster.accept(ann.announcement(index: 5), bytes: [1], ownIndex: 9) == .joined)
    #expect(try roster.accept(ben.announcement(index: 5), bytes: [2], ownIndex: 9) == .joined)
    #expect(try roster.accept(cem.announcement(index: 9), bytes: [3], ownIndex: 9) == .joined)
    #expect(roster.owner(of: 5) == ann.id && roster.owner(of: 9) == nil)
    // A new name changes nothing about it.
    #expect(
      try roster.accept(ben.announcement(index: 5, name: "B"), bytes: [4], ownIndex: 9) == .updated(indexChanged: false)
    )
    #expect(roster.owner(of: 5) == ann.id)
    #expect(try roster.accept(ann.announcement(index: 7), bytes: [5], ownIndex: 9) == .updated(indexChanged: true))
    #expect(roster.owner(of: 7) == ann.id && roster.owner(of: 5) == ben.id)
    #expect(try roster.accept(cem.announcement(index: 7), bytes: [6], ownIndex: 9) == .updated(indexChanged: true))
    #expect(roster.owner(of: 7) == ann.id)
    let removed = [roster.remove(ann.id, ownIndex: 9), roster.remove(ann.id, ownIndex: 9)]
    #expect(removed == [true, false])
    #expect(roster.owner(of: 7) == cem.id)
  }

  @Test("an announcement of before, or with other keys, is refused and changes nothing")
  func replays() throws {
    var roster = Roster()
    let ann = try Person("ann")
    let old = try ann.announcement(index: 5, name: "old")
    let new = try ann.announcement(index: 6, name: "new")
    #expect(try roster.accept(new, bytes: [2], ownIndex: 0) == .joined)
    #expect(throws: KeyMessageError.replayed) { _ = try roster.accept(old, bytes: [1], ownIndex: 0) }
    #expect(try roster.accept(new, bytes: [2], ownIndex: 0) == .nothing)
    let other = try Person("ann").announcement(index: 8)
    #expect(throws: KeyMessageError.identityChanged) { _ = try roster.accept(other, bytes: [3], ownIndex: 0) }
    #expect(roster.members[ann.id]?.announcement.name == "new" && roster.owner(of: 6) == ann.id)
  }

  @Test("a roster ends at 2,000 members")
  func limit() throws {
    var roster = Roster()
    for index in 1...Roster.maximumMembers {
      _ = try roster.accept(Person("p\(index)").announcement(index: UInt16(index)), bytes: [0], ownIndex: 0)
    }
    #expect(throws: KeyMessageError.tooMany) {
      _ = try roster.accept(Person("more").announcement(index: 9_999), bytes: [0], ownIndex: 0)
    }
  }
}
