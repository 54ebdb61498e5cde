import TestVectors
import Testing

@testable import Crypto

extension HPKE.Sender {
  fileprivate func seal(_ text: [UInt8], _ aad: [UInt8] = []) throws -> [UInt8] {
    try seal(text.span, authenticating: aad.span)
  }

  fileprivate func exported(_ context: [UInt8], _ count: Int) throws -> [UInt8] {
    try export(context.span, count: count).unprotectedCopy()
  }
}

extension HPKE.Recipient {
  fileprivate func open(_ sealed: [UInt8], _ number: UInt64, _ aad: [UInt8] = []) throws -> [UInt8] {
    try open(sealed.span, number: number, authenticating: aad.span)
  }

  fileprivate func exported(_ context: [UInt8], _ count: Int) throws -> [UInt8] {
    try export(context.span, count: count).unprotectedCopy()
  }
}

@Suite("HPKE")
struct HPKETests {
  struct Setup: Decodable {
    struct Encryption: Decodable {
      let sequence: UInt64
      let pt: Hex
      let aad: Hex
      let ct: Hex
    }
    struct Export: Decodable {
      let context: Hex
      let L: Int
      let value: Hex
    }

    let mode: Int
    let kem_id: Int
    let info: Hex
    let ikmE: Hex
    let ikmR: Hex
    let ikmS: Hex?
    let psk: Hex?
    let psk_id: Hex?
    let enc: Hex
    let pkRm: Hex
    let skRm: Hex
    let key: Hex
    let exporter_secret: Hex
    let encryptions: [Encryption]
    let exports: [Export]

    func sender() throws -> HPKE.SenderMode {
      let key = try ikmS.map { try HPKE.deriveKeyPair(SecretBytes($0.bytes.span)) }
      let psk = try presharedKey()
      if let key, let psk { return .authPSK(key, psk) }
      if let key { return .auth(key) }
      return psk.map { .psk($0) } ?? .base
    }

    func recipient() throws -> HPKE.RecipientMode {
      let key = try ikmS.map { try HPKE.deriveKeyPair(SecretBytes($0.bytes.span)).publicKey }
      let psk = try presharedKey()
      if let key, let psk { return .authPSK(key, psk) }
      if let key { return .auth(key) }
      return psk.map { .psk($0) } ?? .base
    }

    private func presharedKey() throws -> HPKE.PresharedKey? {
      guard let psk, let psk_id else { return nil }
      return try HPKE.PresharedKey(SecretBytes(psk.bytes.span), id: psk_id.bytes)
    }
  }

  static var setups: [Setup] {
    get throws { try vectors(Cases<Setup>.self, "hpke.json").cases.filter { $0.kem_id == 32 } }
  }

  @Test("all four modes agree with RFC 9180 appendix A.1, both ends")
  func published() throws {
    let setups = try Self.setups
    #expect(setups.map(\.mode) == [0, 1, 2, 3])
    for setup in setups {
      let recipientKey = try HPKE.deriveKeyPair(SecretBytes(setup.ikmR.bytes.span))
      #expect(recipientKey.publicKey.rawValue == setup.pkRm.bytes)
      let ephemeral = try HPKE.deriveKeyPair(SecretBytes(setup.ikmE.bytes.span))
      let sender = try HPKE.Sender(
        to: recipientKey.publicKey, info: setup.info.bytes.span, mode: setup.sender(), ephemeral: ephemeral)
      #expect(sender.encapsulatedKey == setup.enc.bytes)
      let recipient = try HPKE.Recipient(
        encapsulatedKey: setup.enc.bytes, key: recipientKey, info: setup.info.bytes.span, mode: setup.recipient())
      for each in setup.encryptions {
        sender.skip(to: each.sequence)
        let sealed = try sender.seal(each.pt.bytes, each.aad.bytes)
        #expect(sealed == each.ct.bytes, "mode \(setup.mode), message \(each.sequence)")
        let opened = try recipient.open(sealed, each.sequence, each.aad.bytes)
        #expect(opened == each.pt.bytes)
      }
      for each in setup.exports {
        #expect(try sender.exported(each.context.bytes, each.L) == each.value.bytes)
        #expect(try recipient.exported(each.context.bytes, each.L) == each.value.bytes)
      }
    }
  }

  @Test("a message opens once, and none before the last one opens")
  func order() throws {
    let key = try X25519.PrivateKey()
    let sender = try HPKE.Sender(to: key.publicKey, info: Span(), mode: .base)
    let recipient = try HPKE.Recipient(
      encapsulatedKey: sender.encapsulatedKey, key: key, info: Span(), mode: .base)
    let text = Array("message".utf8)
    let messages = try (0..<5).map { _ in try sender.seal(text) }
    #expect(try recipient.open(messages[1], 1) == text)
    for number in [0, 1] as [UInt64] {
      #expect(throws: CryptoError.sequenceExhausted) {
        _ = try recipient.open(messages[Int(number)], number)
      }
    }
    // A forged message that claims a late number shuts nothing out.
    #expect(throws: CryptoError.authenticationFailed) {
      _ = try recipient.open(messages[2], 1_000_000)
    }
    #expect(try recipient.open(messages[2], recipient.sequence) == text)
    #expect(try recipient.open(messages[4], 4) == text)
  }

  @Test("another info, secret, sender or recipient opens nothing")
  func mismatches() throws {
    let (key, own, other) = try (X25519.PrivateKey(), X25519.PrivateKey(), X25519.PrivateKey())
    let psk = try HPKE.PresharedKey(.random(32), id: [1])
    let info: [UInt8] = [1, 2, 3]
    let sender = try HPKE.Sender(to: key.publicKey, info: info.span, mode: .authPSK(own, psk))
    let sealed = try sender.seal(info)
    func opens(_ key: X25519.PrivateKey, _ info: [UInt8], _ mode: HPKE.RecipientMode) throws -> Bool {
      let recipient = try HPKE.Recipient(
        encapsulatedKey: sender.encapsulatedKey, key: key, info: info.span, mode: mode)
      return (try? recipient.open(sealed, 0)) != nil
    }
    #expect(try opens(key, info, .authPSK(own.publicKey, psk)))
    #expect(try !opens(other, info, .authPSK(own.publicKey, psk)))
    #expect(try !opens(key, [1, 2], .authPSK(own.publicKey, psk)))
    #expect(try !opens(key, info, .authPSK(other.publicKey, psk)))
    #expect(try !opens(key, info, .authPSK(own.publicKey, HPKE.PresharedKey(.random(32), id: [1]))))
    #expect(try !opens(key, info, .auth(own.publicKey)))
    #expect(try !opens(key, info, .psk(psk)))
    #expect(try !opens(key, info, .base))
    #expect(throws: CryptoError.invalidKey) {
      _ = try HPKE.Recipient(
        encapsulatedKey: [UInt8](repeating: 0, count: 32), key: key, info: Span(), mode: .base)
    }
  }

  @Test("a preshared secret of less than 32 bytes is refused")
  func weakSecrets() {
    #expect(throws: CryptoError.self) { _ = try HPKE.PresharedKey(.random(31), id: [1]) }
    #expect(throws: CryptoError.self) { _ = try HPKE.PresharedKey(.random(32), id: []) }
  }
}
