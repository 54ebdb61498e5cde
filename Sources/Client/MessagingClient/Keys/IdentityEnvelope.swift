package import Crypto
package import Encryption
package import Messaging

/// A message from one identity to another, outside of chats: a chat key, or the signalling of a call.
///
/// The form is: version, sender, the encapsulated key, ciphertext and tag, and the sender's signature over all of it.
/// HPKE's auth mode alone would let a thief of the recipient's keys pose as anybody towards it; the signature does not.
package enum IdentityEnvelope {
  private static let version: UInt8 = 1
  private static let headLength = 1 + 8

  /// The content of an envelope; one kind does not open as another.
  package enum Purpose: String, Sendable {
    case chatKey = "chat key"
    case call
  }

  /// The recipient, and what the plaintext belongs to: an envelope of one chat or call does not open in another.
  package struct Context: Sendable {
    let purpose: Purpose
    let recipient: RegID
    let subject: String

    package init(_ purpose: Purpose, to recipient: RegID, subject: String) {
      self.purpose = purpose
      self.recipient = recipient
      self.subject = subject
    }

    fileprivate func info(_ from: IdentityPublicKeys, _ to: IdentityPublicKeys) throws(CryptoError) -> [UInt8] {
      var writer = ByteWriter()
      writer.write(Array("Parley identity envelope 1\0".utf8))
      writer.write(text: purpose.rawValue)
      writer.write(text: subject)
      writer.write(recipient.value)
      writer.write(try from.fingerprint)
      writer.write(try to.fingerprint)
      return writer.bytes
    }
  }

  /// The envelope for one recipient.
  package static func seal(
    _ plaintext: SecretBytes, _ context: Context, from id: RegID, _ own: IdentityKeys, to recipient: IdentityPublicKeys
  ) throws(CryptoError) -> [UInt8] {
    let info = try context.info(own.publicKeys, recipient)
    let sender = try HPKE.Sender(to: recipient.encryption, info: info.span, mode: .auth(own.encryption))
    var writer = ByteWriter()
    writer.write(version)
    writer.write(id.value)
    let head = writer.bytes
    writer.write(sender.encapsulatedKey)
    writer.write(try sender.seal(plaintext.bytes, authenticating: head.span))
    writer.write(try own.signing.sign((info + writer.bytes).span))
    return writer.bytes
  }

  /// The identity that an envelope names as its sender; nil when it is malformed.
  package static func sender(of envelope: [UInt8]) -> RegID? {
    var reader = ByteReader(envelope)
    guard let first = try? reader.read(UInt8.self), first == version else { return nil }
    return (try? reader.read(UInt64.self)).map { RegID($0) }
  }

  /// The plaintext of an envelope.
  ///
  /// - Throws: ``KeyMessageError/malformed``, ``KeyMessageError/wrongSignature``,
  ///   ``KeyMessageError/authenticationFailed``.
  package static func open(
    _ envelope: [UInt8], _ context: Context, from sender: IdentityPublicKeys, to own: IdentityKeys
  ) throws(KeyMessageError) -> SecretBytes {
    let signed = envelope.count - Ed25519.signatureLength
    let start = headLength + HPKE.encapsulatedKeyLength
    guard signed >= start + AESGCM.tagLength, envelope[0] == version else { throw .malformed }
    let info: [UInt8]
    do throws(CryptoError) { info = try context.info(sender, own.publicKeys) } catch { throw .failed }
    let message = info + envelope.prefix(signed)
    let signature = envelope.span.extracting(signed..<envelope.count)
    guard sender.signing.verifies(signature, of: message.span) else { throw .wrongSignature }
    do throws(CryptoError) {
      let recipient = try HPKE.Recipient(
        encapsulatedKey: Array(envelope[headLength..<start]), key: own.encryption, info: info.span,
        mode: .auth(sender.encryption))
      var plaintext = try recipient.open(
        envelope.span.extracting(start..<signed), authenticating: envelope.span.extracting(0..<headLength))
      return SecretBytes(wiping: &plaintext)
    } catch {
      throw .authenticationFailed
    }
  }
}
