// Publishers and subscribers with a class of an app's own.
import OpenTok

class QuietPublisher: OTPublisher {
  override init?(delegate: OTPublisherKitDelegate?) {
    super.init(delegate: delegate, name: "quiet", audioTrack: false, videoTrack: false)
  }
  override var view: UIView? { nil }
  override var publishAudio: Bool {
    get { false }
    set {}
  }
}

class CapturingKit: OTPublisherKit {
  override init?(delegate: OTPublisherKitDelegate?, settings: OTPublisherKitSettings) {
    settings.videoTrack = false
    super.init(delegate: delegate, settings: settings)
  }
}

class TaggedSubscriber: OTSubscriber {
  var tag = 0
  override init?(stream: OTStream, delegate: OTSubscriberKitDelegate?) {
    super.init(stream: stream, delegate: delegate)
  }
  override var audioVolume: Double {
    get { 50 }
    set { super.audioVolume = newValue }
  }
}
