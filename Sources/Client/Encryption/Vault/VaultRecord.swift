package import Crypto

/// The sealed form of a vault's contents, as a server keeps it.
///
/// A fresh content key seals the contents. It is wrapped twice: by the vault key, and for the recovery key (HPKE). All
/// is AES-256-GCM and authenticates owner, version and parameters, so that a server can neither exchange records nor
/// say that an old one is new.
package struct VaultRecord: Hashable, Sendable {
  private static let form: UInt8 = 1
  private static let label = Array("Parley vault record 1\0".utf8)
  private static let recoveryLabel = Array("Parley vault recovery 1\0".utf8)
  private static let keyLength = 32
  private static let wrappedLength = AEADNonce.length + keyLength + AESGCM.tagLength
  private static let recoveryLength = HPKE.encapsulatedKeyLength + keyLength + AESGCM.tagLength
  private static let maximumOwnerLength = 1_024
  /// The most bytes of ``sealed``.
  package static let maximumLength = VaultContents.maximumLength + 512

  /// Rises with each record of an owner, over ``forget`` too.
  package let version: UInt64
  package let parameters: VaultParameters
  package let sealed: [UInt8]

  /// A record as a server sends it.
  package init(version: UInt64, parameters: VaultParameters, sealed: [UInt8]) throws(VaultError) {
    guard sealed.count <= Self.maximumLength else { throw .tooLong }
    self.version = version
    self.parameters = parameters
    self.sealed = sealed
  }

  /// A record as servers write it, in base64url.
  package init(version: Int, parameters: VaultParameters, sealedText: String) throws(VaultError) {
    guard let sealed = Base64URL.decode(sealedText), let version = UInt64(exactly: version) else { throw .malformed }
    try self.init(version: version, parameters: parameters, sealed: sealed)
  }

  /// ``sealed`` in base64url.
  package var sealedText: String { Base64URL.encode(sealed) }

  package init(
    sealing contents: VaultContents, key: VaultKey, recovery: X25519.PublicKey?, owner: String, version: UInt64,
    parameters: VaultParameters
  ) throws(VaultError) {
    let subject = try Self.subject(owner, version, parameters)
    var writer = ByteWriter()
    do throws(CryptoError) {
      let contentKey = try SecretBytes.random(Self.keyLength)
      writer.write(Self.form)
      writer.write(try Self.seal(contentKey.bytes, key.bytes, authenticating: subject + writer.bytes))
      if let recovery {
        writer.write(UInt8(1))
        let sender = try HPKE.Sender(to: recovery, info: Self.recoveryLabel.span, mode: .base)
        let wrapped = try sender.seal(contentKey.bytes, authenticating: subject.span)
        writer.write(sender.encapsulatedKey)
        writer.write(wrapped)
      } else {
        writer.write(UInt8(0))
      }
      var plain = (recovery?.rawValue ?? []) + contents.bytes.unprotectedCopy()
      let body = SecretBytes(wiping: &plain)
      writer.write(try Self.seal(body.bytes, contentKey, authenticating: subject + writer.bytes))
    } catch {
      throw .failed
    }
    try self.init(version: version, parameters: parameters, sealed: writer.bytes)
  }

  /// Opens it with the passcode's key.
  ///
  /// - Throws: ``VaultError/doesNotOpen``, ``VaultError/malformed``.
  package func open(_ key: VaultKey, owner: String) throws(VaultError) -> OpenedVault {
    let parts = try Parts(sealed)
    let subject = try Self.subject(owner, version, parameters)
    let contentKey = try Self.open(parts.wrapped, key.bytes, authenticating: subject + [Self.form])
    return try open(parts, contentKey, subject)
  }

  /// Opens it with the recovery key.
  ///
  /// - Throws: ``VaultError/noRecovery`` besides.
  package func open(_ recovery: RecoveryKey, owner: String) throws(VaultError) -> OpenedVault {
    let parts = try Parts(sealed)
    guard let sealedKey = parts.recovery else { throw .noRecovery }
    let subject = try Self.subject(owner, version, parameters)
    let privateKey = try recovery.privateKey()
    let contentKey: SecretBytes
    do throws(CryptoError) {
      let encapsulated = Array(sealedKey.prefix(HPKE.encapsulatedKeyLength))
      let recipient = try HPKE.Recipient(
        encapsulatedKey: encapsulated, key: privateKey, info: Self.recoveryLabel.span, mode: .base)
      var plain = try recipient.open(
        Array(sealedKey.dropFirst(HPKE.encapsulatedKeyLength)).span, authenticating: subject.span)
      contentKey = SecretBytes(wiping: &plain)
    } catch {
      throw .doesNotOpen
    }
    return try open(parts, contentKey, subject)
  }

  private func open(_ parts: Parts, _ contentKey: SecretBytes, _ subject: [UInt8]) throws(VaultError) -> OpenedVault {
    let body = try Self.open(parts.body, contentKey, authenticating: subject + parts.head)
    do throws(CryptoError) {
      guard parts.recovery != nil else { return OpenedVault(contents: try Self.contents(body), recovery: nil) }
      guard body.count >= X25519.length else { throw CryptoError.authenticationFailed }
      let key = try X25519.PublicKey(body.extracting(0..<X25519.length).unprotectedCopy())
      return OpenedVault(contents: try Self.contents(body.extracting(X25519.length..<body.count)), recovery: key)
    } catch {
      throw .malformed
    }
  }

  private static func contents(_ bytes: SecretBytes) throws(CryptoError) -> VaultContents {
    do throws(VaultError) { return try VaultContents(bytes) } catch { throw CryptoError.tooLong }
  }

  // MARK: Form

  /// The parts of a sealed record.
  private struct Parts {
    var wrapped: [UInt8]
    var recovery: [UInt8]?
    /// All before the body, which authenticates it.
    var head: [UInt8]
    var body: [UInt8]

    init(_ sealed: [UInt8]) throws(VaultError) {
      var reader = ByteReader(sealed)
      do throws(KeyMessageError) {
        guard try reader.read(UInt8.self) == VaultRecord.form else { throw KeyMessageError.malformed }
        wrapped = try reader.read(count: VaultRecord.wrappedLength)
        switch try reader.read(UInt8.self) {
        case 0: recovery = nil
        case 1: recovery = try reader.read(count: VaultRecord.recoveryLength)
        default: throw KeyMessageError.malformed
        }
        head = Array(sealed.prefix(reader.offset))
        body = try reader.read(count: reader.remaining)
      } catch {
        throw .malformed
      }
    }
  }

  /// Names the owner, version and parameters that a record belongs to.
  private static func subject(_ owner: String, _ version: UInt64, _ parameters: VaultParameters) throws(VaultError)
    -> [UInt8]
  {
    guard owner.utf8.count <= maximumOwnerLength else { throw .tooLong }
    var writer = ByteWriter()
    writer.write(label)
    writer.write(text: owner)
    writer.write(version)
    writer.write(parameters.bytes)
    return writer.bytes
  }

  /// A fresh nonce and the ciphertext: a key seals few messages, so random nonces do not meet.
  private static func seal(
    _ plain: Span<UInt8>, _ key: SecretBytes, authenticating data: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    let nonce = try SecureRandom.bytes(AEADNonce.length)
    return nonce + (try AESGCM.seal(plain, key: key, nonce: AEADNonce(nonce.span), authenticating: data.span))
  }

  private static func open(
    _ sealed: [UInt8], _ key: SecretBytes, authenticating data: [UInt8]
  ) throws(VaultError) -> SecretBytes {
    guard sealed.count >= AEADNonce.length + AESGCM.tagLength else { throw .malformed }
    do throws(CryptoError) {
      let nonce = try AEADNonce(sealed.span.extracting(0..<AEADNonce.length))
      var plain = try AESGCM.open(
        sealed.span.extracting(AEADNonce.length..<sealed.count), key: key, nonce: nonce, authenticating: data.span)
      return SecretBytes(wiping: &plain)
    } catch {
      throw .doesNotOpen
    }
  }

  /// Stands for the record in a client's memory of what it has seen.
  package func digest() throws(VaultError) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(version)
    writer.write(parameters.bytes)
    writer.write(sealed)
    do throws(CryptoError) { return try Digest.sha256(writer.bytes) } catch { throw .failed }
  }
}
