/// The bounds of what clients of an encrypted meeting send one another through the server, which cannot read it.
///
/// Announcements and envelopes are bytes in base64url without padding (RFC 4648 section 5).
public enum EncryptionLimits {
  /// Bytes of an announcement, decoded.
  public static let announcementBytes = 1_024
  /// Bytes of an envelope, decoded.
  public static let envelopeBytes = 1_024
  /// Envelopes in one message.
  public static let envelopes = 256

  /// Bytes of the sealed message about a file, decoded.
  public static let fileMessageBytes = 1_536
  /// Bytes of a poll's sealed words, decoded.
  public static let pollBytes =
    4 * (PollDraft.questionCharacters + PollDraft.optionCount.upperBound * PollDraft.optionCharacters) + sealedOverhead

  /// The most bytes of the sealed form of a file: chunks of 64 KiB, which gain a tag each.
  public static func sealedFileBytes(of size: Int) -> Int { size + (size + 65_535) / 65_536 * 16 }

  /// Bytes that a chat message or a signal gains by being sealed, at most, before it is written in base64url.
  static let sealedOverhead = 64

  /// The length of the text of so many bytes, in base64url without padding.
  public static func textLength(bytes: Int) -> Int { (bytes * 4 + 2) / 3 }

  /// Whether a text is 1 to `bytes` bytes in base64url. Does not decode: its bits are the clients' business.
  public static func isEncoded(_ text: String, atMost bytes: Int) -> Bool {
    let length = text.utf8.count
    guard length > 0, length % 4 != 1, length <= textLength(bytes: bytes) else { return false }
    return text.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (97...122).contains(byte | 32) || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: "_")
    }
  }
}
