public import Crypto

/// The secret in the fragment of an encrypted meeting's link, `#e2ee=` and 43 characters. The server never sees it.
public struct LinkSecret: Sendable, Hashable {
  /// Bytes of the secret.
  public static let length = 32
  /// Characters of its text.
  public static let textLength = 43

  private let bytes: SecretBytes

  /// A new secret, for a new meeting.
  public init() throws(CryptoError) { bytes = try .random(Self.length) }

  /// The secret that a link has; nil when its text is cut, damaged or not the only form of its bytes.
  public init?(text: some StringProtocol) {
    guard text.utf8.count == Self.textLength, var bytes = Base64URL.decode(text), bytes.count == Self.length else {
      return nil
    }
    self.bytes = SecretBytes(wiping: &bytes)
  }

  /// The secret that an app's own shared secret gives for one session, for apps whose people have no link.
  ///
  /// It is as hard to guess as `shared` is: the server can try texts against announcements.
  public init(shared: String, session: String) throws(CryptoError) {
    let info = Array("parley opentok link secret".utf8)
    let root = try HKDF.extract(salt: Array(session.utf8).span, secret: Array(shared.utf8).span, using: .sha256)
    bytes = try HKDF.expand(root, info: info.span, count: Self.length, using: .sha256)
  }

  /// The text of the fragment's `e2ee`. For links that people are shown and for nothing else.
  public var text: String { Base64URL.encode(bytes.bytes) }

  /// Nothing of the secret goes into a hash, which may be printed or timed.
  public func hash(into hasher: inout Hasher) { hasher.combine(Self.length) }

  /// A key of a meeting for one purpose.
  func key(_ purpose: String, meeting: String) throws(CryptoError) -> SecretBytes {
    let salt = Array("Parley link secret 1".utf8)
    var info = ByteWriter()
    info.write(text: purpose)
    info.write(text: meeting)
    let root = try HKDF.extract(salt: salt.span, secret: bytes.bytes, using: .sha256)
    return try HKDF.expand(root, info: info.bytes.span, count: 32, using: .sha256)
  }
}

extension LinkSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Always `<redacted>`.
  public var description: String { "<redacted>" }
  /// Always `<redacted>`.
  public var debugDescription: String { "<redacted>" }
  /// A mirror without children, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
