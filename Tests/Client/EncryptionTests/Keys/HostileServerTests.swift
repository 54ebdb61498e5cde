import Basics
import Crypto
import TestSeeds
import Testing

@testable import Encryption

/// Attacks of a server on keys and frames, as far as they need no media (threat 30).
@Suite("A hostile server", .tellsSeeds)
struct HostileServerTests {
  /// The last byte of the signed fields: part of the nonce. Before it stand index and revision, and before these the
  /// keys.
  private func offsetOfMeetingKey(in announcement: [UInt8]) -> Int { announcement.count - 32 - 64 - 16 - 6 - 32 }

  @Test("bad input 2: swapping a key in an announcement is seen, and no key is sent")
  func swappedKey() throws {
    let room = try EncryptedRoom(seed: TestSeed.of(1))
    let mallory = try X25519.PrivateKey()
    room.server = { message, recipient in
      if case .announcement(var bytes, let sender) = message, sender.rawValue == "ann" {
        let offset = self.offsetOfMeetingKey(in: bytes)
        bytes.replaceSubrange(offset..<(offset + 32), with: mallory.publicKey.rawValue)
        return [(.announcement(bytes, from: sender), .zero)]
      }
      return [(message, .zero)]
    }
    let ann = try room.join("ann")
    let ben = try room.join("ben")
    room.run(for: .seconds(2))
    #expect(ben.events.contains(.refused(ann.id, .wrongSecret)))
    #expect(ben.keys.members.isEmpty && !ben.keys.waitingFor.contains(ann.id))
    #expect(room.envelopes == 0 || ben.keys.members.isEmpty)
    try room.send(from: "ben")
    room.run(for: .seconds(1))
    #expect(ann.count(ben.id) == 0)
  }

  @Test("bad input 2: a member who swaps another's announced key fails its signature")
  func swappedKeyByMember() throws {
    let secret = try LinkSecret()
    let code = try secret.key("announcement", meeting: "daily")
    let identity = try Ed25519.PrivateKey()
    let announcement = try Announcement(
      meeting: "daily", participant: ParticipantID(rawValue: "ann"), name: "Ann", identity: identity.publicKey,
      meetingKey: X25519.PrivateKey().publicKey, senderIndex: 7, revision: 1)
    var bytes = try announcement.signed(by: identity, code: code)
    let offset = offsetOfMeetingKey(in: bytes)
    bytes.replaceSubrange(offset..<(offset + 32), with: try X25519.PrivateKey().publicKey.rawValue)
    bytes.removeLast(32)
    bytes += try HMAC.code(of: bytes.span, key: code.bytes, using: .sha256)
    #expect(throws: KeyMessageError.wrongSignature) { _ = try Announcement(verifying: bytes, code: code) }
  }

  @Test("bad input 3: replayed announcements and envelopes are refused; epochs only rise")
  func replays() throws {
    let room = try EncryptedRoom(seed: TestSeed.of(2))
    var recorded: [(EncryptedRoom.Message, ParticipantID)] = []
    room.server = { message, recipient in
      switch message {
      case .announcement, .envelope:
        recorded.append((message, recipient))
        // Each comes a second time, a while later.
        return [(message, .zero), (message, .milliseconds(700))]
      case .frame, .left: return [(message, .zero)]
      }
    }
    let ann = try room.join("ann")
    let ben = try room.join("ben")
    room.run(for: .seconds(5))
    #expect(ben.events.contains(.refused(ann.id, .replayed)))
    let number = try room.send(from: "ann")
    room.run(for: .seconds(1))
    #expect(ben.hasOpened(number, of: ann.id))
    #expect(!recorded.isEmpty)
  }

  @Test("an announcement with other keys under a known id is an alarm; the old keys stay")
  func secondIdentity() throws {
    let room = try EncryptedRoom(seed: TestSeed.of(3))
    let ann = try room.join("ann")
    let ben = try room.join("ben")
    room.run(for: .seconds(1))
    let other = try KeyExchange(
      meeting: room.meeting, participant: ann.id, name: "Ann", identity: Ed25519.PrivateKey(), secret: room.secret,
      now: room.now)
    try other.announce(now: room.now)
    guard case .announce(let bytes)? = other.pollEffect() else { throw CryptoError.failed }
    ben.keys.receive(announcement: bytes, from: ann.id, now: room.now)
    ann.keys.receive(announcement: bytes, from: ann.id, now: room.now)
    let number = try room.send(from: "ann")
    room.run(for: .seconds(1))
    #expect(ben.events.contains(.refused(ann.id, .identityChanged)))
    #expect(ann.events.contains(.refused(ann.id, .identityChanged)))
    #expect(ben.hasOpened(number, of: ann.id))
    // Passed on as somebody else's, or in another meeting, it counts as little.
    ben.keys.receive(announcement: bytes, from: ParticipantID(rawValue: "cem"), now: room.now)
    room.run(for: .seconds(1))
    let elsewhere = try KeyExchange(
      meeting: "weekly", participant: ParticipantID(rawValue: "dora"), name: "Dora", identity: Ed25519.PrivateKey(),
      secret: room.secret, now: room.now)
    try elsewhere.announce(now: room.now)
    guard case .announce(let foreign)? = elsewhere.pollEffect() else { throw CryptoError.failed }
    ben.keys.receive(announcement: foreign, from: ParticipantID(rawValue: "dora"), now: room.now)
    try room.send(from: "ben")
    #expect(ben.events.contains(.refused(ParticipantID(rawValue: "cem"), .misdirected)))
    #expect(ben.events.contains(.refused(ParticipantID(rawValue: "dora"), .wrongSecret)))
    #expect(ben.keys.members == [ann.id])
  }

  @Test("bad input 5: somebody hidden gets keys only with the secret, and is in the code")
  func hiddenMember() throws {
    let room = try EncryptedRoom(seed: TestSeed.of(4))
    let ann = try room.join("ann")
    let ben = try room.join("ben")
    room.run(for: .seconds(2))
    let code = ann.keys.safetyCode
    let outsider = try room.join("outsider", secret: LinkSecret())
    room.run(for: .seconds(3))
    var number = try room.send(from: "ann")
    room.run(for: .seconds(1))
    #expect(ann.events.contains(.refused(outsider.id, .wrongSecret)))
    #expect(outsider.events.contains(.refused(ann.id, .wrongSecret)))
    #expect(outsider.count(ann.id) == 0 && ann.keys.safetyCode == code)
    let insider = try room.join("insider")
    room.run(for: .seconds(3))
    number = try room.send(from: "ann")
    room.run(for: .seconds(1))
    #expect(insider.hasOpened(number, of: ann.id))
    #expect(ann.keys.safetyCode != code && ann.keys.safetyCode == ben.keys.safetyCode)
    #expect(ann.keys.safetyCode == insider.keys.safetyCode)
    #expect(ben.events.contains(.member(insider.id, name: "insider")))
  }

  @Test("bad input 6: two rosters have two codes, and it is an alarm after 10 s")
  func twoRosters() throws {
    let room = try EncryptedRoom(seed: TestSeed.of(5))
    // Ann never hears of Eve.
    room.server = { message, recipient in
      switch message {
      case .announcement(_, let sender), .envelope(_, let sender), .left(let sender, _):
        if recipient.rawValue == "ann", sender.rawValue == "eve" { return [] }
      case .frame: break
      }
      return [(message, .zero)]
    }
    let eve = try room.join("eve")
    let ann = try room.join("ann")
    let ben = try room.join("ben")
    room.run(for: .seconds(9))
    #expect(!ann.events.contains(.rosterMismatch(ben.id)))
    #expect(ann.keys.safetyCode != ben.keys.safetyCode && ben.keys.safetyCode == eve.keys.safetyCode)
    room.run(for: .seconds(4))
    #expect(ann.events.contains(.rosterMismatch(ben.id)))
    // Ann sends her no key either.
    try room.send(from: "ann")
    room.run(for: .seconds(1))
    #expect(eve.count(ann.id) == 0)
  }

  @Test("bad input 6: a join that only the sender sees is an alarm in 13 s")
  func joinSeenByOne() throws {
    let room = try EncryptedRoom(seed: TestSeed.of(12))
    // Ben never hears of Eve, and derives the key of each ratchet step without an envelope.
    room.server = { message, recipient in
      switch message {
      case .announcement(_, let sender), .envelope(_, let sender), .left(let sender, _):
        if recipient.rawValue == "ben", sender.rawValue == "eve" { return [] }
      case .frame: break
      }
      return [(message, .zero)]
    }
    func talk(seconds: Int) throws {
      for _ in 0..<(seconds * 2) {
        try room.send(from: "ann")
        room.run(for: .milliseconds(500))
      }
    }
    let ann = try room.join("ann")
    let ben = try room.join("ben")
    try talk(seconds: 5)
    try room.join("cem")
    try talk(seconds: 3)
    // A join that both know of costs no request.
    let envelopes = room.envelopes
    try talk(seconds: 20)
    #expect(room.envelopes == envelopes && !ben.events.contains(.rosterMismatch(ann.id)))
    try room.join("eve")
    try talk(seconds: 9)
    #expect(!ben.events.contains(.rosterMismatch(ann.id)))
    try talk(seconds: 4)
    #expect(ben.events.contains(.rosterMismatch(ann.id)))
  }

  @Test("bad input 7: frames in another's slot or of another source are dropped, reported")
  func wrongSlot() throws {
    let room = try EncryptedRoom(seed: TestSeed.of(6))
    let ann = try room.join("ann")
    let ben = try room.join("ben")
    let cem = try room.join("cem")
    room.run(for: .seconds(2))
    room.server = { message, recipient in
      if case .frame(let bytes, let sender, let source, let number) = message, recipient == cem.id {
        if sender == ann.id { return [(.frame(bytes, from: ben.id, source: source, number: number), .zero)] }
        return [(.frame(bytes, from: sender, source: .screen, number: number), .zero)]
      }
      return [(message, .zero)]
    }
    try room.send(from: "ann")
    room.run(for: .seconds(1))
    #expect(cem.drops == [.wrongSender])
    try room.send(from: "ben")
    room.run(for: .seconds(1))
    #expect(cem.drops == [.wrongSender, .wrongTrack])
    #expect(cem.opened.isEmpty)
    var plain: [UInt8] = []
    for frame in [[0xF8, 0xFF, 0xFE], [0x90, 0x10, 1, 2, 3], [UInt8](repeating: 0, count: 100), []] as [[UInt8]] {
      #expect(throws: FrameDrop.self) {
        try cem.keys.open(
          frame.span, from: ann.id, source: .camera, metadata: Span(), now: room.now, appendingTo: &plain)
      }
    }
    #expect(plain.isEmpty)
  }

  @Test("bad input 7: an old frame is dropped, within the grace and after it")
  func oldFrames() throws {
    let room = try EncryptedRoom(seed: TestSeed.of(7))
    let ann = try room.join("ann")
    let ben = try room.join("ben")
    room.run(for: .seconds(2))
    var sealed: [UInt8] = []
    let plain = EncryptedRoom.plaintext(0, of: ann.id)
    try ann.keys.seal(plain.span, track: 1, metadata: Span(), now: room.now, appendingTo: &sealed)
    func open() -> FrameDrop? {
      var out: [UInt8] = []
      do throws(FrameDrop) {
        try ben.keys.open(
          sealed.span, from: ann.id, source: .camera, metadata: Span(), now: room.now, appendingTo: &out)
        return nil
      } catch { return error }
    }
    #expect(open() == nil)
    #expect(open() == .refused(.replayed))
    try room.join("cem")
    room.run(for: .seconds(1))
    try room.send(from: "ann")
    room.run(for: .seconds(1))
    #expect(open() == .refused(.replayed))
    room.run(for: .seconds(11))
    #expect(open() == .noKey)
  }

  @Test("the announcement of somebody who was removed brings nobody back")
  func replayedDeparture() throws {
    let room = try EncryptedRoom(seed: TestSeed.of(11))
    let ann = try room.join("ann")
    let eve = try room.join("eve")
    room.run(for: .seconds(2))
    let announcement = eve.keys.ownBytes
    try room.leave("eve", isRemoved: true)
    room.run(for: .seconds(3))
    ann.keys.receive(announcement: announcement, from: eve.id, now: room.now)
    let number = try room.send(from: "ann")
    room.run(for: .seconds(1))
    #expect(ann.events.contains(.refused(eve.id, .replayed)) && ann.keys.members.isEmpty)
    #expect(!eve.hasOpened(number, of: ann.id))
  }

  @Test("bad input 8: an index claimed twice stays with its first owner")
  func indexConflict() throws {
    let room = try EncryptedRoom(seed: TestSeed.of(8))
    let ann = try room.join("ann")
    room.run(for: .seconds(6))
    let index = ann.keys.own.senderIndex
    // Somebody who has announced the same index a moment ago, without knowing.
    let bob = try KeyExchange(
      meeting: room.meeting, participant: ParticipantID(rawValue: "bob"), name: "Bob", identity: Ed25519.PrivateKey(),
      secret: room.secret, now: room.now)
    bob.own = try Announcement(
      meeting: room.meeting, participant: bob.participant, name: "Bob", identity: bob.own.identity,
      meetingKey: bob.own.meetingKey, senderIndex: index, revision: 1)
    bob.announcedAt = room.now
    let claim = try bob.own.signed(by: bob.local.identity, code: bob.codeKey)
    ann.keys.receive(announcement: claim, from: bob.participant, now: room.now)
    #expect(ann.keys.own.senderIndex == index)
    #expect(ann.keys.roster.owner(of: index) == nil)
    bob.receive(announcement: ann.keys.ownBytes, from: ann.id, now: room.now)
    #expect(bob.own.senderIndex != index && bob.roster.owner(of: index) == ann.id)
    ann.keys.receive(announcement: bob.ownBytes, from: bob.participant, now: room.now)
    #expect(ann.keys.roster.owner(of: bob.own.senderIndex) == bob.participant)
    // The claim of before counts no more.
    ann.keys.receive(announcement: claim, from: bob.participant, now: room.now)
    #expect(ann.keys.roster.owner(of: bob.own.senderIndex) == bob.participant)
  }

  @Test("bad input 8: a key id of nobody is dropped, whoever the server says it is")
  func nobodysKeyID() throws {
    let room = try EncryptedRoom(seed: TestSeed.of(13))
    let ann = try room.join("ann")
    let ben = try room.join("ben")
    room.run(for: .seconds(2))
    var free = UInt16(1)
    while [ann, ben].contains(where: { $0.keys.own.senderIndex == free }) { free += 1 }
    for sender in [free, 0xFFFF] {
      let id = FrameKeyID(sender: sender, track: 1, epoch: ann.keys.epoch ?? 0).rawValue
      let sealer = try SFrameSealer(baseKey: SecretBytes.random(32), keyID: id)
      var frame: [UInt8] = []
      try sealer.seal(([1, 2, 3] as [UInt8]).span, metadata: Span(), appendingTo: &frame)
      for claimed in [ann.id, ParticipantID(rawValue: "nobody")] {
        var plain: [UInt8] = []
        #expect(throws: FrameDrop.wrongSender) {
          try ben.keys.open(
            frame.span, from: claimed, source: .camera, metadata: Span(), now: room.now, appendingTo: &plain)
        }
        #expect(plain.isEmpty)
      }
    }
    // None of it is a reason to wait for somebody.
    #expect(ben.keys.waitingFor.isEmpty)
  }

  @Test("misdirected or altered envelopes and floods before announcements change nothing")
  func envelopes() throws {
    let room = try EncryptedRoom(seed: TestSeed.of(9))
    var toBen: [[UInt8]] = []
    room.server = { message, recipient in
      if case .envelope(let bytes, _) = message, recipient.rawValue == "ben" { toBen.append(bytes) }
      return [(message, .zero)]
    }
    let ann = try room.join("ann")
    let ben = try room.join("ben")
    let cem = try room.join("cem")
    room.run(for: .seconds(3))
    var random = SeededRandom(seed: TestSeed.of(10))
    let envelope = try #require(toBen.first)
    cem.keys.receive(envelope: envelope, from: ann.id, now: room.now)
    for _ in 0..<2_000 {
      var altered = envelope
      altered[random.below(altered.count)] ^= UInt8(1 << random.below(8))
      ben.keys.receive(envelope: altered, from: ann.id, now: room.now)
      ben.keys.receive(envelope: Array(altered.prefix(random.below(altered.count))), from: ann.id, now: room.now)
      ben.keys.receive(envelope: altered, from: ParticipantID(rawValue: "x\(random.below(1_000))"), now: room.now)
      ben.keys.receive(announcement: random.bytes(random.below(400)), from: ann.id, now: room.now)
    }
    let number = try room.send(from: "ann")
    room.run(for: .seconds(1))
    #expect(ben.hasOpened(number, of: ann.id) && cem.hasOpened(number, of: ann.id))
  }
}
