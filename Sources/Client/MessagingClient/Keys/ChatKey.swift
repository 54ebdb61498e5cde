package import Crypto
import Encryption

/// A chat's key of one generation. Messages, subjects and events have keys of their own that follow from it.
package struct ChatKey: Sendable, Equatable {
  package static let length = 32
  private static let saltLength = 16
  private static let idLabel = Array("Parley chat key id 1\0".utf8)
  // Each key seals one message, so the nonce need not differ.
  private static let nonce = [UInt8](repeating: 0, count: AEADNonce.length)

  /// Names the key in messages. Nothing of the key follows from it.
  package let id: ChatKeyID
  let secret: SecretBytes

  package init() throws(CryptoError) { try self.init(secret: .random(Self.length)) }

  /// The key of ``length`` bytes.
  package init(secret: SecretBytes) throws(CryptoError) {
    guard secret.count == Self.length else { throw .wrongLength(expected: Self.length, actual: secret.count) }
    self.secret = secret
    let code = try HMAC.code(of: Self.idLabel.span, key: secret.bytes, using: .sha256)
    id = ChatKeyID(rawValue: code.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// Seals under a key of its own: the salt, then ciphertext and tag. `context` is authenticated.
  func seal(_ plaintext: [UInt8], _ purpose: Purpose, context: [UInt8]) throws(CryptoError) -> [UInt8] {
    let salt = try SecureRandom.bytes(Self.saltLength)
    let key = try key(purpose, salt: salt)
    return try salt
      + AESGCM.seal(plaintext.span, key: key, nonce: AEADNonce(Self.nonce.span), authenticating: context.span)
  }

  /// Opens what ``seal(_:_:context:)`` gave.
  func open(_ sealed: [UInt8], _ purpose: Purpose, context: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard sealed.count >= Self.saltLength + AESGCM.tagLength else { throw .authenticationFailed }
    let key = try key(purpose, salt: Array(sealed.prefix(Self.saltLength)))
    return try AESGCM.open(
      sealed.span.extracting(Self.saltLength..<sealed.count), key: key, nonce: AEADNonce(Self.nonce.span),
      authenticating: context.span)
  }

  private func key(_ purpose: Purpose, salt: [UInt8]) throws(CryptoError) -> SecretBytes {
    let root = try HKDF.extract(salt: salt.span, secret: secret.bytes, using: .sha256)
    return try HKDF.expand(root, info: purpose.label.span, count: 32, using: .sha256)
  }

  /// A use of the key; a text of one purpose does not open as another.
  enum Purpose: String {
    case message, subject, data, event

    var label: [UInt8] { Array("Parley chat \(rawValue) 1\0".utf8) }
  }
}

/// Names a chat key.
package struct ChatKeyID: RawRepresentable, Hashable, Sendable, Codable {
  package let rawValue: UInt64
  package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The keys of a chat, the newest last. Earlier ones open earlier messages.
package struct ChatKeyRing: Sendable, Equatable {
  static let maximumKeys = 200

  private(set) var keys: [ChatKey] = []
  /// Whether somebody has left who knows the newest key: the next message needs another.
  package internal(set) var needsRotation = false

  package init() {}

  /// The key for what is sent.
  package var current: ChatKey? { keys.last }

  subscript(id: ChatKeyID) -> ChatKey? { keys.last { $0.id == id } }

  /// Adds an earlier key, which opens earlier messages.
  @discardableResult mutating func insert(_ key: ChatKey) -> Bool {
    guard self[key.id] == nil else { return false }
    keys.insert(key, at: 0)
    if keys.count > Self.maximumKeys { keys.removeFirst() }
    return true
  }

  /// Adds a key as the newest. False when it was known; it stays where it is then.
  @discardableResult mutating func add(_ key: ChatKey) -> Bool {
    guard self[key.id] == nil else { return false }
    if keys.count == Self.maximumKeys { keys.removeFirst() }
    keys.append(key)
    needsRotation = false
    return true
  }

  func write(to writer: inout ByteWriter) {
    writer.write(UInt16(truncatingIfNeeded: keys.count))
    writer.write(UInt8(needsRotation ? 1 : 0))
    for key in keys { writer.write(key.secret.bytes) }
  }

  init(reading reader: inout ByteReader) throws(KeyMessageError) {
    let count = Int(try reader.read(UInt16.self))
    guard count <= Self.maximumKeys else { throw .tooMany }
    needsRotation = try reader.read(UInt8.self) != 0
    for _ in 0..<count {
      var bytes = try reader.read(count: ChatKey.length)
      do throws(CryptoError) { keys.append(try ChatKey(secret: SecretBytes(wiping: &bytes))) } catch { throw .failed }
    }
  }
}
