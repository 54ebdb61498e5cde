import Basics
import Crypto
import TestSeeds
import Testing

@testable import Encryption

@Suite("Envelopes between two", .tellsSeeds)
struct PairChannelTests {
  struct Person {
    let keys: LocalKeys
    let announcement: Announcement
    let binding: [UInt8]

    init(_ name: String) throws {
      keys = try LocalKeys(identity: Ed25519.PrivateKey(), meetingKey: X25519.PrivateKey())
      announcement = try Announcement(
        meeting: "daily", participant: ParticipantID(rawValue: name), name: name, identity: keys.identity.publicKey,
        meetingKey: keys.meetingKey.publicKey, senderIndex: 1, revision: 1)
      binding = try announcement.binding()
    }

    func channel(to other: Person, secret: SecretBytes) throws -> PairChannel {
      try PairChannel(own: keys, ownBinding: binding, peer: other.announcement, secret: secret)
    }
  }

  let secret: SecretBytes
  let (ann, ben, cem): (Person, Person, Person)

  init() throws {
    secret = try .random(32)
    (ann, ben, cem) = try (Person("ann"), Person("ben"), Person("cem"))
  }

  @Test("messages of every kind arrive, and setup goes along until it is acknowledged")
  func messages() throws {
    let (there, back) = try (ann.channel(to: ben, secret: secret), ben.channel(to: ann, secret: secret))
    let key = PairMessage.key(
      SenderKeyMessage(
        epoch: .max, baseKey: try .random(32), rosterHash: [UInt8](repeating: 3, count: 32),
        tracks: [0: .screen, 15: .chat]))
    let first = try there.seal(key)
    #expect(try back.open(first) == key)
    #expect(try there.open(back.seal(.acknowledgement(epoch: .max))) == .acknowledgement(epoch: .max))
    let second = try there.seal(key)
    #expect(second.count == first.count - 96)
    #expect(try back.open(second) == key)
    #expect(try back.open(there.seal(.request)) == .request)
  }

  @Test("lost envelopes are no trouble, late ones are refused")
  func losses() throws {
    let (there, back) = try (ann.channel(to: ben, secret: secret), ben.channel(to: ann, secret: secret))
    let envelopes = try (0..<6).map { _ in try there.seal(.request) }
    #expect(try back.open(envelopes[2]) == .request)
    #expect(try back.open(envelopes[5]) == .request)
    for late in [envelopes[0], envelopes[2], envelopes[4], envelopes[5]] {
      #expect(throws: KeyMessageError.replayed) { _ = try back.open(late) }
    }
  }

  @Test("a member who knows the link cannot seal in another's name")
  func impersonation() throws {
    let forger = try PairChannel(own: cem.keys, ownBinding: ann.binding, peer: ben.announcement, secret: secret)
    let back = try ben.channel(to: ann, secret: secret)
    #expect(throws: KeyMessageError.wrongSignature) { _ = try back.open(forger.seal(.request)) }
    #expect(try back.open(ann.channel(to: ben, secret: secret).seal(.request)) == .request)
  }

  @Test("envelopes for another, of another link or answering their own sender don't open")
  func misdirection() throws {
    let envelope = try ann.channel(to: ben, secret: secret).seal(.request)
    #expect(throws: KeyMessageError.self) { _ = try cem.channel(to: ann, secret: secret).open(envelope) }
    #expect(throws: KeyMessageError.self) { _ = try ann.channel(to: ben, secret: secret).open(envelope) }
    #expect(throws: KeyMessageError.authenticationFailed) {
      _ = try ben.channel(to: ann, secret: .random(32)).open(envelope)
    }
  }

  @Test("another context for a direction is refused, so an old one can't be brought back")
  func oneContext() throws {
    let old = try ann.channel(to: ben, secret: secret).seal(.request)
    let back = try ben.channel(to: ann, secret: secret)
    #expect(try back.open(ann.channel(to: ben, secret: secret).seal(.request)) == .request)
    #expect(throws: KeyMessageError.replayed) { _ = try back.open(old) }
  }

  @Test("envelopes with any content trap nothing")
  func fuzz() throws {
    var random = SeededRandom(seed: TestSeed.of(1))
    for _ in 0..<20_000 {
      var bytes = random.bytes(random.below(120))
      if !bytes.isEmpty { bytes[0] = UInt8(random.below(5)) }
      _ = try? PairMessage(decoding: bytes)
    }
    let tooMany: [UInt8] = [1] + [UInt8](repeating: 0, count: 72) + [2, 1, 1, 1, 2]
    #expect(throws: KeyMessageError.malformed) { _ = try PairMessage(decoding: tooMany) }
  }
}
