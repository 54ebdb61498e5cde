public import Observation
public import Signaling

/// Somebody else in the meeting.
@MainActor @Observable public final class RemoteParticipant: Participant {
  /// The id in this meeting, `p_…`.
  public let id: String
  /// The display name. Show it as text, never as markup.
  public internal(set) var name: String
  /// The role that the token gave.
  public internal(set) var role: ParticipantRole
  /// How loud this participant speaks: 0 (silent) to 1.
  public internal(set) var audioLevel = 0.0
  /// How well media flows between this participant and the server.
  public internal(set) var quality = ConnectionQuality.excellent
  /// Whether the connection of this participant was lost and is being brought back.
  public internal(set) var isReconnecting: Bool
  /// The tracks that this participant publishes, in the order they were published.
  public internal(set) var publications: [RemotePublication] = []

  init(_ info: ParticipantInfo) {
    id = info.id
    name = info.name
    role = ParticipantRole(rawValue: info.role)
    isReconnecting = info.connection == .reconnecting
  }

  /// The publication of a source; nil when this participant does not publish it.
  public func publication(_ source: TrackSource) -> RemotePublication? {
    publications.first { $0.source == source }
  }
}
