public import FoundationEssentials
public import Observation
public import RTC
public import Signaling

/// A track that somebody else publishes.
///
/// ```swift
/// for publication in participant.publications {
///   print(publication.source.rawValue, publication.isMuted ? "muted" : "live")
/// }
/// ```
@MainActor @Observable public final class RemotePublication {
  /// The id in this meeting, `t_…`.
  public let id: String

  public let kind: MediaKind

  /// The source, such as the camera.
  public let source: TrackSource

  /// The name that its sender gave it, such as what a shared screen shows; nil where it goes by the participant's. Show
  /// it as text.
  public let name: String?

  /// When it was published, by the server's clock, to the millisecond: the same for everybody in the meeting. Nil from
  /// servers that do not say.
  public let created: Date?

  /// Whether it is muted: nothing of it is received.
  public internal(set) var isMuted: Bool

  /// Whether it was a host, not its sender, who muted it.
  public internal(set) var isMutedByHost: Bool

  /// The codec it is sent in, while this client can't decode that and so doesn't get it; nil otherwise. It comes by
  /// itself when its sender goes over to another codec, which the server asks for as far as that helps.
  public internal(set) var undecodableCodec: CodecInfo?

  /// How it is received; nil while it is not.
  public internal(set) var subscription: Subscription?

  /// The publisher; nil when that participant has left.
  ///
  /// ```swift
  /// let owner = publication.participant?.name ?? "somebody who has left"
  /// ```
  @ObservationIgnored public internal(set) weak var participant: RemoteParticipant?

  init(_ info: PublicationInfo, participant: RemoteParticipant) {
    id = info.id
    kind = info.kind == .audio ? .audio : .video
    source = info.source
    name = info.name
    created = info.created
    isMuted = info.muted
    isMutedByHost = info.mutedByHost == true
    self.participant = participant
  }
}
