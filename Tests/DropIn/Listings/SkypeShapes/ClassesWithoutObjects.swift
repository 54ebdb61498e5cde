// Subclasses of what apps make no objects of: the headers call `init` unavailable, also where the superclass has one.
import SkypeForBusiness
import UIKit

class LoudSpeaker: SfBSpeaker {
  override var activeEndpoint: SfBSpeakerEndpoint {
    get { super.activeEndpoint }
    set { super.activeEndpoint = newValue }
  }
}

class HeldAudio: SfBAudioService {
  override var canToggleMute: Bool { !isOnHold && super.canToggleMute }
  override func toggleMute() throws { try super.toggleMute() }
}

class SmallVideo: SfBParticipantVideo {
  override func subscribe(_ renderTarget: CAEAGLLayer) throws -> SfBVideoStream {
    let stream = try super.subscribe(renderTarget)
    try stream.setAutoFitMode(.crop)
    return stream
  }
}
