/// The bounds that both ends hold messages to, checked before anything is parsed or stored.
public enum SignalingLimits {
  /// Bytes in one text frame from a client.
  public static let maximumBytes = 256 * 1024
  /// Bytes in one text frame from a server: the `welcome` to a meeting of hundreds is long.
  public static let maximumServerBytes = 4 * 1024 * 1024
  /// Levels of nested objects and arrays.
  public static let maximumDepth = 16
  /// Characters in a chat message.
  public static let chatCharacters = 4_000
  /// Bytes in a chat message of an encrypted meeting, sealed and written in base64url.
  public static let sealedChatBytes = EncryptionLimits.textLength(
    bytes: 4 * chatCharacters + EncryptionLimits.sealedOverhead)
  /// Characters in a display name.
  public static let nameCharacters = 80
  /// Bytes in a join token.
  public static let tokenBytes = 8_192

  /// Whether a join token is no longer than servers take, with `psat=` before it or without.
  public static func takes(token text: some StringProtocol) -> Bool {
    text.utf8.count <= tokenBytes + (text.hasPrefix("psat=") ? 5 : 0)
  }
  /// Entries in `tracks`.
  public static let tracks = 16
  /// Seconds from the opening of the socket to `join` or `resume`.
  public static let joinSeconds = 10
}
