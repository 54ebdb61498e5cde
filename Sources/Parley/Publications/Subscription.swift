public import RTC

/// A publication of somebody else that this client receives. The server decides which: everything while there is room, and the
/// screens and the latest speakers first when there is not.
@MainActor public final class Subscription {
  /// What is received.
  public let publication: RemotePublication
  /// The received track, to attach sinks to.
  public let track: RemoteTrack
  /// The slot (m-section) that carries it.
  let mid: MID

  init(_ publication: RemotePublication, track: RemoteTrack, mid: MID) {
    self.publication = publication
    self.track = track
    self.mid = mid
  }

  /// Who publishes it; nil when that participant has left.
  public var participant: RemoteParticipant? { publication.participant }
  /// The video track; nil for audio.
  public var video: RemoteVideoTrack? { if case .video(let track) = track { track } else { nil } }
  /// The audio track; nil for video.
  public var audio: RemoteAudioTrack? { if case .audio(let track) = track { track } else { nil } }
}

/// A received track of either kind.
public enum RemoteTrack: Sendable {
  /// Pictures.
  case video(RemoteVideoTrack)
  /// Sound.
  case audio(RemoteAudioTrack)
}
