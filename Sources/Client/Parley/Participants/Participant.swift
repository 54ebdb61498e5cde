public import Basics
import Signaling

/// Somebody in a meeting: the ``LocalParticipant`` or a ``RemoteParticipant``.
///
/// ```swift
/// let everybody: [any Participant] = [meeting.local] + meeting.participants
/// print(everybody.map(\.name).joined(separator: ", "))
/// ```
@MainActor public protocol Participant: AnyObject, Sendable {
  /// The id in this meeting, `p_…`; empty before the meeting is joined.
  var id: String { get }

  /// The display name. Show it as text, never as markup.
  var name: String { get }

  /// The role that the token or a host gave.
  var role: ParticipantRole { get }

  /// The permissions of this participant.
  var permissions: Set<ParticipantPermission> { get }

  /// The place in the row of raised hands: who has the smallest number raised it first. Nil while the hand is down.
  var hand: Int? { get }

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

/// A participant's role; given by the join token.
///
/// ```swift
/// switch meeting.local.role {
/// case .presenter: print("You may present and moderate.")
/// case .guest: print("You are a guest.")
/// default: print("You are \(meeting.local.role.rawValue).")
/// }
/// ```
public struct ParticipantRole: RawRepresentable, Hashable, Sendable {
  /// The role's name on the wire.
  public let rawValue: String

  /// A role of that name.
  ///
  /// ```swift
  /// let interpreter = ParticipantRole(rawValue: "interpreter")
  /// ```
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The organiser of the meeting.
  public static let organizer = ParticipantRole(rawValue: "organizer")

  /// Everybody who joined with an anonymous token.
  public static let guest = ParticipantRole(rawValue: "guest")

  /// May present and moderate.
  public static let presenter = ParticipantRole(rawValue: "presenter")
}
