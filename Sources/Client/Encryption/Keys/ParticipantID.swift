/// A participant's id of one meeting, as signalling has it.
public struct ParticipantID: RawRepresentable, Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The id's text, at most ``maximumLength`` bytes.
  public let rawValue: String

  /// Bytes of the longest id.
  public static let maximumLength = 128

  /// The id of a text.
  public init(rawValue: String) { self.rawValue = rawValue }

  public var description: String { rawValue }

  /// By bytes, so that Swift and JavaScript sort alike.
  public static func < (a: ParticipantID, b: ParticipantID) -> Bool {
    a.rawValue.utf8.lexicographicallyPrecedes(b.rawValue.utf8)
  }
}
