public import Crypto

/// The key of one file, which stands in the sealed message about it. It is random and never used for another file.
public struct FileKey: Sendable, Hashable {
  /// Bytes of the key.
  public static let length = 32

  let bytes: SecretBytes

  /// The key for a file that is to be sent.
  public init() throws(CryptoError) { bytes = try .random(Self.length) }

  /// The key in a message, in base64url; nil when it has another length.
  public init?(text: String) {
    guard var bytes = Base64URL.decode(text), bytes.count == Self.length else { return nil }
    self.bytes = SecretBytes(wiping: &bytes)
  }

  /// Its text, for the sealed message and for nothing else.
  public var text: String { Base64URL.encode(bytes.bytes) }

  /// Nothing of the key goes into a hash, which may be printed or timed.
  public func hash(into hasher: inout Hasher) { hasher.combine(Self.length) }
}

extension FileKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Always `<redacted>`.
  public var description: String { "<redacted>" }
  /// Always `<redacted>`.
  public var debugDescription: String { "<redacted>" }
  /// A mirror without children, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
