import Crypto
import Foundation
import TestVectors
import Testing

@testable import Encryption

/// Messages of each client, read by the other: the tests of the JavaScript client use the same file.
@Suite("Keys of both clients")
struct CrossClientTests {
  struct Vectors: Decodable {
    struct Found: Decodable {
      let code: Hex
      let envelopeKey: Hex
      let names: [String]
      let indices: [UInt16]
      let binding: Hex
      let rosterHash: Hex
      let safetyCode: String
      let pairCode: String
      let ratcheted: Hex
    }

    let secret: String
    let meeting: String
    let baseKey: Hex
    let identityOfAnn: Hex
    let identityOfBen: Hex
    let meetingKeyOfAnn: Hex
    let meetingKeyOfBen: Hex
    let announcements: [Hex]
    let envelope: Hex
    let scriptEnvelope: Hex
    let found: Found
  }

  @Test("announcements, codes, hashes and envelopes are those of the JavaScript client")
  func agreement() throws {
    let all = try vectors(Vectors.self, "keys.json")
    let secret = try #require(LinkSecret(text: all.secret))
    let code = try secret.key("announcement", meeting: all.meeting)
    let envelopeKey = try secret.key("envelope", meeting: all.meeting)
    #expect(code.unprotectedCopy() == all.found.code.bytes)
    #expect(envelopeKey.unprotectedCopy() == all.found.envelopeKey.bytes)
    let ann = try Announcement(verifying: all.announcements[0].bytes, code: code)
    let ben = try Announcement(verifying: all.announcements[1].bytes, code: code)
    #expect([ann.name, ben.name] == all.found.names && [ann.senderIndex, ben.senderIndex] == all.found.indices)
    #expect(try ann.binding() == all.found.binding.bytes)
    var roster = Roster()
    _ = try roster.accept(ben, bytes: all.announcements[1].bytes, ownIndex: ann.senderIndex)
    #expect(try roster.hash(own: ann) == all.found.rosterHash.bytes)
    #expect(try SafetyCode.digits(of: [ann.identity, ben.identity]) == all.found.safetyCode)
    #expect(try SafetyCode.digits(of: ben.identity, and: ann.identity) == all.found.pairCode)
    let baseKey = SecretBytes(all.baseKey.bytes.span)
    #expect(try SFrameSuite.aes128GCM.ratchet(baseKey).unprotectedCopy() == all.found.ratcheted.bytes)

    let ownKeys = try LocalKeys(
      identity: Ed25519.PrivateKey(SecretBytes(all.identityOfAnn.bytes.span)),
      meetingKey: X25519.PrivateKey(SecretBytes(all.meetingKeyOfAnn.bytes.span)))
    #expect(ownKeys.identity.publicKey == ann.identity && ownKeys.meetingKey.publicKey == ann.meetingKey)
    let benKeys = try LocalKeys(
      identity: Ed25519.PrivateKey(SecretBytes(all.identityOfBen.bytes.span)),
      meetingKey: X25519.PrivateKey(SecretBytes(all.meetingKeyOfBen.bytes.span)))
    let message = PairMessage.key(
      SenderKeyMessage(
        epoch: 3, baseKey: baseKey, rosterHash: all.found.rosterHash.bytes,
        tracks: [1: .camera, 2: .microphone, 15: .chat]))
    for envelope in [all.envelope, all.scriptEnvelope] {
      let receiving = try PairChannel(own: benKeys, ownBinding: ben.binding(), peer: ann, secret: envelopeKey)
      #expect(try receiving.open(envelope.bytes) == message)
    }
    let sending = try PairChannel(own: ownKeys, ownBinding: ann.binding(), peer: ben, secret: envelopeKey)
    let made = try sending.seal(message)
    #expect(made.count == all.envelope.bytes.count)
    // This is the file's `envelope`.
    if ProcessInfo.processInfo.environment["PRINT_ENVELOPE"] != nil {
      print("envelope:", made.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
    }
  }
}
