public import Basics
public import FoundationEssentials
public import Observation
public import Signaling

/// Somebody else in the meeting.
///
/// ```swift
/// for participant in meeting.participants {
///   print(participant.name, participant.publication(.camera) == nil ? "without a camera" : "with a camera")
/// }
/// ```
@MainActor @Observable public final class RemoteParticipant: Participant {
  /// The id in this meeting, `p_…`.
  public let id: String

  /// The display name. Show it as text, never as markup.
  public internal(set) var name: String

  /// The role that the token or a host gave.
  public internal(set) var role: ParticipantRole

  /// The join token's data about this participant, for the app: OpenTok's connection data. Nil when it says nothing.
  public internal(set) var data: String?

  /// When this participant came, in whole seconds by the server's clock; nil before that is known.
  public internal(set) var created: Date?

  /// The permissions: first the token's, then those that hosts give.
  public internal(set) var permissions: Set<ParticipantPermission>

  /// The place in the row of raised hands; nil while the hand is down.
  public internal(set) var hand: Int?

  /// The key by which this participant signs in an encrypted meeting; nil before it is known, and elsewhere.
  public internal(set) var identity: ParticipantIdentity?

  /// How loud this participant speaks: 0 (silent) to 1.
  public internal(set) var audioLevel = 0.0

  /// How well media flows between this participant and the server.
  public internal(set) var quality = ConnectionQuality.excellent

  /// Whether the connection of this participant was lost and is being brought back.
  public internal(set) var isReconnecting: Bool

  /// The tracks that this participant publishes, in the order they were published.
  public internal(set) var publications: [RemotePublication] = []

  @ObservationIgnored weak var meeting: Meeting?

  init(_ info: ParticipantInfo) {
    id = info.id
    name = info.name
    role = ParticipantRole(rawValue: info.role)
    data = info.data
    created = info.created
    isReconnecting = info.connection == .reconnecting
    permissions = ParticipantPermission.of(role: ParticipantRole(rawValue: info.role), named: info.permissions)
    hand = info.hand
  }

  /// The publication of a source; nil when this participant does not publish it.
  ///
  /// ```swift
  /// participant.publication(.camera)?.subscription?.video?.add(ClosureVideoSink { frame in show(frame) })
  /// ```
  public func publication(_ source: TrackSource) -> RemotePublication? {
    publications.first { $0.source == source }
  }
}
