public import Signaling

/// Somebody in a meeting: the ``LocalParticipant`` or a ``RemoteParticipant``.
///
/// ```swift
/// let everybody: [any Participant] = [meeting.local] + meeting.participants
/// print(everybody.map(\.name).joined(separator: ", "))
/// ```
@MainActor public protocol Participant: AnyObject, Sendable {
  /// The id in this meeting, `p_…`; empty before the meeting is joined.
  ///
  /// ```swift
  /// let isMe = meeting.speakers.first?.id == meeting.local.id
  /// ```
  var id: String { get }

  /// The display name. Show it as text, never as markup.
  ///
  /// ```swift
  /// let names = meeting.speakers.map { $0.name }
  /// ```
  var name: String { get }

  /// The role that the token or a host gave.
  ///
  /// ```swift
  /// let presenters = meeting.participants.filter { $0.role == .presenter }
  /// ```
  var role: ParticipantRole { get }

  /// What this participant may do.
  ///
  /// ```swift
  /// let hosts = meeting.participants.filter { $0.permissions.contains(.moderate) }
  /// ```
  var permissions: Set<ParticipantPermission> { get }

  /// The place in the row of raised hands: who has the smallest number raised it first. Nil while the hand is down.
  ///
  /// ```swift
  /// let wantsToSpeak = participant.hand != nil
  /// ```
  var hand: Int? { get }

  /// How loud this participant speaks: 0 (silent) to 1. Kept by the server, at most five times a second.
  ///
  /// ```swift
  /// let loudest = meeting.participants.max { $0.audioLevel < $1.audioLevel }
  /// ```
  var audioLevel: Double { get }

  /// Whether this participant speaks now.
  ///
  /// ```swift
  /// for participant in meeting.participants where participant.isSpeaking { print("\(participant.name) speaks.") }
  /// ```
  var isSpeaking: Bool { get }

  /// How well media flows between this participant and the server.
  ///
  /// ```swift
  /// let troubled = meeting.participants.filter { $0.quality == .poor || $0.quality == .lost }
  /// ```
  var quality: ConnectionQuality { get }
}

extension Participant {
  /// Whether this participant speaks now.
  ///
  /// ```swift
  /// composer.compose([.init(name: participant.name, frame: frame, isSpeaking: participant.isSpeaking)], time: frame.time)
  /// ```
  public var isSpeaking: Bool { audioLevel > 0 }
}

/// What a participant may do; given by the join token.
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
  ///
  /// ```swift
  /// print("\(participant.name) (\(participant.role.rawValue))")
  /// ```
  public let rawValue: String

  /// A role of that name.
  ///
  /// ```swift
  /// let interpreter = ParticipantRole(rawValue: "interpreter")
  /// ```
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Whose meeting it is.
  ///
  /// ```swift
  /// let organizer = meeting.participants.first { $0.role == .organizer }
  /// ```
  public static let organizer = ParticipantRole(rawValue: "organizer")

  /// Everybody who joined with an anonymous token.
  ///
  /// ```swift
  /// let guests = meeting.participants.filter { $0.role == .guest }
  /// ```
  public static let guest = ParticipantRole(rawValue: "guest")

  /// May present and moderate.
  ///
  /// ```swift
  /// let canModerate = meeting.local.role == .presenter
  /// ```
  public static let presenter = ParticipantRole(rawValue: "presenter")
}
