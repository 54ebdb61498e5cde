public import Observation
public import Signaling

/// Somebody else in the meeting.
@MainActor @Observable public final class RemoteParticipant: Participant {
  public let id: String
  public internal(set) var name: String
  public internal(set) var role: ParticipantRole
  public internal(set) var audioLevel = 0.0
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
