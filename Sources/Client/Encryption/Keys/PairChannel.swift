internal import Crypto

/// The two HPKE contexts between this client and one other, one a direction.
///
/// An envelope is: version, flags, when flag 1 is set the encapsulated key and the sender's signature over it, the
/// message's number, and the ciphertext. The bytes before the ciphertext are authenticated with it. Numbers only rise,
/// so nothing opens twice; a direction has one context for as long as both ends live, so that no old one can be brought
/// back.
final class PairChannel {
  private static let version: UInt8 = 1
  private static let hasSetup: UInt8 = 1
  private static let label = Array("Parley channel 1\0".utf8)
  private static let pskID = Array("Parley link secret 1".utf8)
  private static let encapsulatedKeyLength = HPKE.encapsulatedKeyLength

  private let own: LocalKeys
  private let ownBinding: [UInt8]
  private let peer: Announcement
  private let peerBinding: [UInt8]
  private let psk: HPKE.PresharedKey
  private var sender: Outgoing?
  private var recipient: Incoming?
  // Whether the peer has shown that it has the outgoing context.
  private var isEstablished = false

  private struct Outgoing {
    let context: HPKE.Sender
    let signature: [UInt8]
  }

  private struct Incoming {
    let context: HPKE.Recipient
    let encapsulatedKey: [UInt8]
  }

  init(own: LocalKeys, ownBinding: [UInt8], peer: Announcement, secret: SecretBytes) throws(KeyMessageError) {
    self.own = own
    self.ownBinding = ownBinding
    self.peer = peer
    do throws(CryptoError) {
      peerBinding = try peer.binding()
      psk = try HPKE.PresharedKey(secret, id: Self.pskID)
    } catch {
      throw .failed
    }
  }

  /// An envelope with `message`.
  func seal(_ message: PairMessage) throws(KeyMessageError) -> [UInt8] {
    do throws(CryptoError) {
      let outgoing = try setUp()
      var writer = ByteWriter()
      writer.write(Self.version)
      writer.write(isEstablished ? 0 : Self.hasSetup)
      if !isEstablished {
        writer.write(outgoing.context.encapsulatedKey)
        writer.write(outgoing.signature)
      }
      writer.write(outgoing.context.sequence)
      var plaintext = message.encoded
      let secret = SecretBytes(wiping: &plaintext)
      writer.write(try outgoing.context.seal(secret.bytes, authenticating: writer.bytes.span))
      return writer.bytes
    } catch {
      throw .failed
    }
  }

  private func setUp() throws(CryptoError) -> Outgoing {
    if let sender { return sender }
    let info = Self.info(from: ownBinding, to: peerBinding)
    let context = try HPKE.Sender(to: peer.meetingKey, info: info.span, mode: .psk(psk))
    let signature = try own.identity.sign((info + context.encapsulatedKey).span)
    let outgoing = Outgoing(context: context, signature: signature)
    sender = outgoing
    return outgoing
  }

  /// The message in an envelope of the peer.
  ///
  /// - Throws: ``KeyMessageError/malformed``, ``KeyMessageError/wrongSignature``, ``KeyMessageError/replayed``,
  ///   ``KeyMessageError/authenticationFailed``.
  func open(_ envelope: [UInt8]) throws(KeyMessageError) -> PairMessage {
    var reader = ByteReader(envelope)
    guard try reader.read(UInt8.self) == Self.version else { throw .malformed }
    let flags = try reader.read(UInt8.self)
    guard flags & ~Self.hasSetup == 0 else { throw .malformed }
    var incoming = recipient
    if flags & Self.hasSetup != 0 {
      let key = try reader.read(count: Self.encapsulatedKeyLength)
      let signature = try reader.read(count: Ed25519.signatureLength)
      incoming = try accept(key, signature)
    }
    guard let incoming else { throw .authenticationFailed }
    let number = try reader.read(UInt64.self)
    let start = reader.offset
    let header = envelope.span.extracting(0..<start)
    let sealed = envelope.span.extracting(start..<envelope.count)
    var plaintext: [UInt8]
    do throws(CryptoError) {
      plaintext = try incoming.context.open(sealed, number: number, authenticating: header)
    } catch {
      throw error == .sequenceExhausted ? .replayed : .authenticationFailed
    }
    // Only an envelope that opened decides which context is the peer's.
    recipient = incoming
    let message = try PairMessage(decoding: plaintext)
    // The array's memory is of no use to anybody now.
    _ = SecretBytes(wiping: &plaintext)
    if case .acknowledgement = message { isEstablished = true }
    return message
  }

  private func accept(_ key: [UInt8], _ signature: [UInt8]) throws(KeyMessageError) -> Incoming {
    if let recipient {
      guard recipient.encapsulatedKey == key else { throw .replayed }
      return recipient
    }
    let info = Self.info(from: peerBinding, to: ownBinding)
    guard peer.identity.verifies(signature.span, of: (info + key).span) else { throw .wrongSignature }
    do throws(CryptoError) {
      let context = try HPKE.Recipient(encapsulatedKey: key, key: own.meetingKey, info: info.span, mode: .psk(psk))
      return Incoming(context: context, encapsulatedKey: key)
    } catch {
      throw .authenticationFailed
    }
  }

  private static func info(from sender: [UInt8], to recipient: [UInt8]) -> [UInt8] { label + sender + recipient }
}

/// A client's own keys in one meeting.
struct LocalKeys: Sendable {
  let identity: Ed25519.PrivateKey
  let meetingKey: X25519.PrivateKey
}
