public import Signaling
/// Somebody in a meeting: the ``LocalParticipant`` or a ``RemoteParticipant``.
@MainActor public protocol Participant: AnyObject, Sendable {
  /// The id in this meeting, `p_…`; empty before the meeting is joined.
  var id: String { get }
  /// The display name. Show it as text, never as markup.
  var name: String { get }
  /// The role that the token gave.
  var role: ParticipantRole { get }
  /// How loud this participant speaks: 0 (silent) to 1. Kept by the server, at most five times a second.
  var audioLevel: Double { get }
  /// Whether this participant speaks now.
  var isSpeaking: Bool { get }
  /// How well media flows between this participant and the server.
  var quality: ConnectionQuality { get }
}

extension Participant {
  /// Whether this participant speaks now.
  public var isSpeaking: Bool { audioLevel > 0 }
}

/// What a participant may do; given by the join token.
public struct ParticipantRole: RawRepresentable, Hashable, Sendable {
  /// The role's name on the wire.
  public let rawValue: String
  /// A role of that name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Everybody who joined with an anonymous token.
  public static let guest = ParticipantRole(rawValue: "guest")
  /// May present and moderate.
  public static let presenter = ParticipantRole(rawValue: "presenter")
}
