public import Observation
public import RTC
public import Signaling

/// A track that somebody else publishes.
@MainActor @Observable public final class RemotePublication {
  /// The id in this meeting, `t_…`.
  public let id: String
  /// Sound or picture.
  public let kind: MediaKind
  /// What it shows or lets hear.
  public let source: TrackSource
  /// Whether its sender has muted it.
  public internal(set) var isMuted: Bool
  /// How it is received; nil while it is not.
  public internal(set) var subscription: Subscription?
  /// Who publishes it; nil when that participant has left.
  @ObservationIgnored public internal(set) weak var participant: RemoteParticipant?

  init(_ info: PublicationInfo, participant: RemoteParticipant) {
    id = info.id
    kind = info.kind == .audio ? .audio : .video
    source = info.source
    isMuted = info.muted
    self.participant = participant
  }
}
