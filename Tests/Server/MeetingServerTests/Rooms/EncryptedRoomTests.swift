import Basics
import Meetings
import Signaling
import Testing

@testable import MeetingServer

@Suite("Encrypted rooms: their mode, and announcements")
struct EncryptedRoomTests {
  private func refusal(_ body: () throws -> Void) -> MeetingRoom.Refusal? {
    do {
      try body()
      return nil
    } catch {
      return error as? MeetingRoom.Refusal
    }
  }

  // MARK: Mode

  @Test(
    "threat 45: the first join decides the mode once, and others are refused by name",
    arguments: [true, false])
  func decided(isEncrypted: Bool) throws {
    let room = try EncryptedRoom()
    let ann = try room.join("ann", e2ee: isEncrypted)
    guard case .welcome(let welcome)? = ann.received.first else {
      Issue.record("no welcome")
      return
    }
    #expect(welcome.meeting.e2ee == (isEncrypted ? true : nil))
    #expect(welcome.announcements == (isEncrypted ? [] : nil))
    #expect(refusal { try room.join("ben", e2ee: !isEncrypted) } == (isEncrypted ? .encryptionRequired : .notEncrypted))
    #expect(refusal { try room.join("eve", e2ee: !isEncrypted, role: .organizer) } != nil, "hosts too")
    try room.join("cem", e2ee: isEncrypted)
    // A record from before the decision doesn't take it back.
    var old = room.record
    old.subject = "other"
    room.apply(.changeMeeting(MeetingRecord(copying: old, revision: 7)))
    #expect(room.machine.meeting.subject == "other" && room.machine.meeting.isEncrypted == isEncrypted)
    #expect(refusal { try room.join("dan", e2ee: !isEncrypted) } != nil)
  }

  @Test("a record of the mode decides before joins, and a join without one is plain")
  func recorded() throws {
    let encrypted = try EncryptedRoom(isEncrypted: true)
    #expect(refusal { try encrypted.join("ann", e2ee: nil) } == .encryptionRequired)
    try encrypted.join("ben", e2ee: true)
    let plain = try EncryptedRoom(isEncrypted: false)
    #expect(refusal { try plain.join("ann", e2ee: true) } == .notEncrypted)
    try plain.join("ben", e2ee: nil)
    #expect(!plain.machine.isEncrypted)
  }

  @Test("a join that comes to nothing decides nothing")
  func undecided() throws {
    let room = try EncryptedRoom()
    #expect(refusal { try room.join("ann", e2ee: true, isOffered: false) } == .badOffer("no"))
    #expect(room.machine.meeting.isEncrypted == nil && room.machine.undecidedMode == nil)
    room.storeFails = true
    let failed = refusal { try room.join("ann", e2ee: true) }
    #expect(failed == .unavailable("the meeting's mode can't be written down"))
    #expect(room.machine.roster.isEmpty && room.machine.meeting.isEncrypted == nil)
    room.storeFails = false
    try room.join("ben", e2ee: false)
    #expect(room.machine.meeting.isEncrypted == false)
  }

  @Test("the mode another process wrote counts, and joins with the other are refused")
  func elsewhere() throws {
    let room = try EncryptedRoom()
    room.storedMode = false
    #expect(refusal { try room.join("ann", e2ee: true) } == .notEncrypted)
    room.storedMode = true
    #expect(refusal { try room.join("ann", e2ee: false) } == .encryptionRequired)
    #expect(room.machine.roster.isEmpty)
  }

  @Test(
    "a tenant's policy allows one mode, or both",
    arguments: [
      (EncryptionPolicy.off, [false]), (.offered, [true, false]), (.preselected, [true, false]), (.required, [true]),
    ])
  func policy(policy: EncryptionPolicy, allowed: [Bool]) throws {
    for isEncrypted in [true, false] {
      let room = try EncryptedRoom()
      room.tenant.policy.encryption = policy
      let found = refusal { try room.join("ann", e2ee: isEncrypted) }
      let expected: MeetingRoom.Refusal? =
        allowed.contains(isEncrypted) ? nil : isEncrypted ? .notEncrypted : .encryptionRequired
      #expect(found == expected)
      #expect(policy.mode(decided: nil) == (allowed.count == 2 ? nil : allowed[0]))
    }
  }

  @Test("participants who wait with the other mode are sent away when the mode is decided")
  func waiters() throws {
    let room = try EncryptedRoom(accessLevel: .locked)
    let (ben, cem) = (try room.join("ben", e2ee: false), try room.join("cem", e2ee: true))
    #expect(ben.failure == nil && cem.failure == nil && room.machine.meeting.isEncrypted == nil)
    try room.join("ann", e2ee: true, role: .moderator)
    #expect(ben.failure == .encryptionRequired && cem.failure == nil)
    #expect(room.machine.lobby.waiters.map(\.id) == ["cem"])
  }

  // MARK: Announcements

  @Test("an announcement goes to others, the latest is kept, and leaves with its sender")
  func announcements() throws {
    let room = try EncryptedRoom()
    let (ann, ben) = (try room.join("ann"), try room.join("ben"))
    _ = (ann.drain(), ben.drain())
    room.send(.announce("AAAA"), from: ann)
    room.send(.announce("BBBB"), from: ann)
    let sent = ["AAAA", "BBBB"].map { ServerMessage.announcement(.init(participant: "ann", announcement: $0)) }
    #expect(ben.drain() == sent && ann.drain().isEmpty)
    func known(_ client: EncryptedRoom.Client) -> [ParticipantAnnouncement]? {
      client.drain().compactMap { message -> [ParticipantAnnouncement]? in
        switch message {
        case .welcome(let welcome): welcome.announcements
        case .resumed(_, _, _, _, let announcements): announcements
        default: nil
        }
      }.first
    }
    let cem = try room.join("cem")
    #expect(known(cem) == [.init(participant: "ann", announcement: "BBBB")])
    room.detach(cem)
    room.send(.announce("CCCC"), from: ben)
    try room.resume(cem)
    #expect(
      known(cem) == [
        .init(participant: "ann", announcement: "BBBB"), .init(participant: "ben", announcement: "CCCC"),
      ])
    room.detach(ann)
    try room.resume(ann)
    #expect(known(ann)?.first == .init(participant: "ann", announcement: "BBBB"), "its own too")
    room.send(.leave, from: ann)
    let dan = try room.join("dan")
    #expect(known(dan) == [.init(participant: "ben", announcement: "CCCC")])
    // A session whose socket is lost is still a participant's.
    room.detach(ben)
    let eva = try room.join("eva")
    #expect(known(eva)?.map(\.participant) == ["ben"])
    room.pass(.seconds(40))
    let fay = try room.join("fay")
    #expect(known(fay) == [])
  }

  @Test("plain meetings, the lobby and hidden people have no announcements or envelopes")
  func refused() throws {
    let messages: [ClientMessage] = [.announce("AAAA"), .keyEnvelopes([.init(to: "ben", envelope: "AAAA")])]
    func codes(_ client: EncryptedRoom.Client) -> [SignalingErrorCode] {
      client.drain().compactMap { if case .error(let code, _, false, 7) = $0 { code } else { nil } }
    }
    let plain = try EncryptedRoom()
    let (ann, ben) = (try plain.join("ann", e2ee: nil), try plain.join("ben", e2ee: nil))
    _ = (ann.drain(), ben.drain())
    for message in messages { plain.send(message, from: ann, id: 7) }
    #expect(codes(ann) == [.notEncrypted, .notEncrypted] && ben.drain().isEmpty)

    let locked = try EncryptedRoom(accessLevel: .locked)
    let host = try locked.join("ben", role: .moderator)
    let waiter = try locked.join("ann")
    _ = (host.drain(), waiter.drain())
    for message in messages { locked.send(message, from: waiter, id: 7) }
    #expect(codes(waiter) == [.notAllowed, .notAllowed] && host.drain().isEmpty)
    #expect(locked.machine.announcements == [])

    let room = try EncryptedRoom()
    let (seen, hidden) = (try room.join("ben"), try room.join("ann", role: .hidden))
    _ = (seen.drain(), hidden.drain())
    for message in messages { room.send(message, from: hidden, id: 7) }
    #expect(codes(hidden) == [.notAllowed, .notAllowed] && seen.drain().isEmpty)
    room.send(.announce("BBBB"), from: seen)
    #expect(hidden.drain() == [.announcement(.init(participant: "ben", announcement: "BBBB"))])
  }

  @Test("threat 46: nothing of keys is logged, reported or written to the journal")
  func records() throws {
    let room = try EncryptedRoom()
    let (ann, ben) = (try room.join("ann"), try room.join("ben"))
    room.send(.announce("MARKERaMARKER"), from: ann)
    room.send(.keyEnvelopes([.init(to: "ben", envelope: "MARKERbMARKER")]), from: ann)
    room.send(.keyEnvelopes([.init(to: "nobody", envelope: "MARKERcMARKER")]), from: ann)
    room.send(.leave, from: ann)
    room.apply(.end(.removed, "over"))
    #expect(ben.received.contains { "\($0)".contains("MARKERb") }, "what is looked for would be found")
    #expect(!room.records.isEmpty && !room.records.contains { $0.contains("MARKER") })
  }

  // MARK: Text

  @Test("in an encrypted room chat and signals may be as long as the longest sealed text")
  func text() throws {
    let longest = String(repeating: "A", count: SignalingLimits.sealedChatBytes)
    let signal = String(repeating: "A", count: Signal.maximumSealedData)
    for isEncrypted in [true, false] {
      let room = try EncryptedRoom()
      let ann = try room.join("ann", e2ee: isEncrypted)
      func answer(_ message: ClientMessage, _ id: Int) -> SignalingErrorCode? {
        _ = ann.drain()
        room.send(message, from: ann, id: id)
        room.apply(.journalWritten(through: room.machine.journal.writes, true))
        return ann.drain().lazy.compactMap { if case .error(let code, _, _, id) = $0 { code } else { nil } }.first
      }
      #expect(answer(.chat(text: longest, to: nil, id: 1), 1) == (isEncrypted ? nil : .badMessage))
      #expect(answer(.chat(text: longest + "A", to: nil, id: 2), 2) == .badMessage)
      room.pass(.seconds(5))
      #expect(answer(.signal(.init(data: signal), to: nil, id: 3), 3) == (isEncrypted ? nil : .tooLarge))
      #expect(answer(.signal(.init(data: signal + "A"), to: nil, id: 4), 4) == .tooLarge)
    }
  }
}

extension MeetingRecord {
  /// The same meeting at another revision, without its mode.
  fileprivate init(copying other: MeetingRecord, revision: Int) {
    self.init(
      id: other.id, tenant: other.tenant, room: other.room, kind: other.kind, subject: other.subject,
      accessLevel: other.accessLevel, created: other.created, revision: revision)
  }
}
