public import Crypto

/// A person's lasting identity: the Ed25519 key by which others recognise them from meeting to meeting.
///
/// Without one, each meeting has a guest key of its own. The server sees the public key in announcements, so a lasting
/// one also shows it that the same device comes again.
///
/// ```swift
/// var options = JoinOptions(name: "Ann")
/// options.identity = try LastingIdentity()
/// ```
public struct LastingIdentity: Sendable {
  /// Bytes of ``seed``.
  public static let seedLength = Ed25519.keyLength

  /// The private key (RFC 8032 section 5.1.5), for what keeps it sealed: a file, or the key vault.
  public let seed: SecretBytes

  package let key: Ed25519.PrivateKey

  public init() throws(CryptoError) { try self.init(seed: .random(Self.seedLength)) }

  /// The identity that was kept, of ``seedLength`` bytes.
  public init(seed: SecretBytes) throws(CryptoError) {
    key = try Ed25519.PrivateKey(seed)
    self.seed = seed
  }

  /// The half that others see and remember.
  public var publicKey: Ed25519.PublicKey { key.publicKey }
}

extension LastingIdentity: Equatable {
  /// Whether two are the same key.
  public static func == (a: LastingIdentity, b: LastingIdentity) -> Bool { a.publicKey == b.publicKey }
}

extension LastingIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Always `<redacted>`.
  public var description: String { "<redacted>" }
  /// Always `<redacted>`.
  public var debugDescription: String { "<redacted>" }
  /// A mirror without children, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
