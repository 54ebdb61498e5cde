package import Crypto
import Encryption
package import Messaging

/// The two lasting key pairs of an identity: one signs what it sends, the other opens what is sealed for it.
///
/// They leave the endpoint in the vault's sealed record alone.
package struct IdentityKeys: Sendable {
  /// Bytes of ``secret``.
  package static let secretLength = Ed25519.keyLength + X25519.length

  /// Both private keys, for the vault and the local store.
  package let secret: SecretBytes
  /// Counts the identity's key pairs from 1.
  package let generation: Int
  let signing: Ed25519.PrivateKey
  let encryption: X25519.PrivateKey

  package init(generation: Int) throws(CryptoError) {
    try self.init(secret: .random(Self.secretLength), generation: generation)
  }

  /// The keys of ``secretLength`` bytes.
  package init(secret: SecretBytes, generation: Int) throws(CryptoError) {
    guard secret.count == Self.secretLength else {
      throw .wrongLength(expected: Self.secretLength, actual: secret.count)
    }
    self.secret = secret
    self.generation = generation
    signing = try Ed25519.PrivateKey(secret.extracting(0..<Ed25519.keyLength))
    encryption = try X25519.PrivateKey(secret.extracting(Ed25519.keyLength..<Self.secretLength))
  }

  /// The halves that others get.
  package var publicKeys: IdentityPublicKeys {
    IdentityPublicKeys(signing: signing.publicKey, encryption: encryption.publicKey)
  }

  /// The halves that others get, as they are published.
  package var published: PublicKeys {
    PublicKeys(
      signing: Sealed(bytes: signing.publicKey.rawValue), encryption: Sealed(bytes: encryption.publicKey.rawValue),
      generation: generation)
  }
}

/// The public halves of an identity's keys.
package struct IdentityPublicKeys: Hashable, Sendable {
  private static let label = Array("Parley identity fingerprint 1\0".utf8)

  /// Verifies the identity's signatures.
  package let signing: Ed25519.PublicKey
  /// Others seal envelopes to the identity for this key.
  package let encryption: X25519.PublicKey

  init(signing: Ed25519.PublicKey, encryption: X25519.PublicKey) {
    self.signing = signing
    self.encryption = encryption
  }

  /// Keys as a server hands them out; nil when they are malformed.
  package init?(_ keys: PublicKeys) {
    guard let signing = keys.signing.bytes, let encryption = keys.encryption.bytes else { return nil }
    do throws(CryptoError) {
      self.signing = try Ed25519.PublicKey(signing)
      self.encryption = try X25519.PublicKey(encryption)
    } catch {
      return nil
    }
  }

  /// Stands for both keys: 32 bytes.
  package var fingerprint: [UInt8] {
    get throws(CryptoError) { try Digest.sha256(Self.label + signing.rawValue + encryption.rawValue) }
  }

  func write(to writer: inout ByteWriter) {
    writer.write(signing.rawValue)
    writer.write(encryption.rawValue)
  }

  init(reading reader: inout ByteReader) throws(KeyMessageError) {
    let signing = try reader.read(count: Ed25519.keyLength)
    let encryption = try reader.read(count: X25519.length)
    do throws(CryptoError) {
      self.signing = try Ed25519.PublicKey(signing)
      self.encryption = try X25519.PublicKey(encryption)
    } catch {
      throw .malformed
    }
  }
}
