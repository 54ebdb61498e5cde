import Media
import Signaling

extension Meeting {
  /// Whether the address asks for a track of this source to start muted. Publishing after joining is the person's own
  /// decision.
  func startsMuted(_ source: TrackSource) -> Bool {
    guard !joinedOnce, case .address(let address, _) = location else { return false }
    return switch source {
    case .microphone: address.startsWithAudioMuted
    case .camera: address.startsWithVideoMuted
    case .screen, .screenAudio: false
    }
  }

  /// Reports why an own track sends nothing.
  func take(_ problem: PublisherProblem, of publication: LocalPublication) {
    guard state != .ended, local.publications.contains(where: { $0 === publication }) else { return }
    switch problem {
    case .sourceEnded(let error): emit(.sourceEnded(publication, error))
    case .encoderFailed(let error):
      emit(.problem("Nothing is sent of the track \(publication.source.rawValue): \(error)"))
    }
  }
}
