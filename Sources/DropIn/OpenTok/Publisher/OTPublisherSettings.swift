public import Foundation

/// The settings of a publisher. Values out of range are ignored, as with OpenTok.
open class OTPublisherKitSettings: NSObject {
  /// The stream's name for the others.
  open var name: String?
  /// Whether it has an audio track.
  open var audioTrack = true
  /// Whether it has a video track.
  open var videoTrack = true
  /// Bits a second of the audio, 6,000 to 510,000.
  open var audioBitrate: Int32 = 40_000 {
    didSet { if !(6_000...510_000).contains(audioBitrate) { audioBitrate = oldValue } }
  }
  /// Whether silence is not sent.
  open var enableOpusDtx = false
  /// Whether a screen is sent in several sizes.
  open var scalableScreenshare = false
  /// Whether subscribers with a slow network may be left with the audio alone. The server always does.
  open var subscriberAudioFallbackEnabled = true
  /// Whether the video is given up when the app's network is slow. Without effect: it gets smaller.
  open var publisherAudioFallbackEnabled = false
  /// Without effect: no client reports to others what it measures.
  open var senderStatsTrack = false
  /// Whether the microphone goes on while the audio is muted. Without effect: it does.
  open var allowAudioCaptureWhileMuted = false
  /// The codecs for the video. Without effect: every codec is offered, and one that all can decode is sent.
  open var videoCodecPreference: OTVideoCodecPreference?

  public override init() { super.init() }
}

/// How a publisher with a camera and a view publishes.
open class OTPublisherSettings: OTPublisherKitSettings {
  /// A capturer of the app's own; nil takes the camera.
  open var videoCapture: (any OTVideoCapture)?
  /// The size of the camera's frames.
  open var cameraResolution = OTCameraCaptureResolution.medium
  /// The camera's frames a second.
  open var cameraFrameRate = OTCameraCaptureFrameRate.rate30FPS

  public override init() { super.init() }
}

/// The size of a camera's frames, in pixels.
public enum OTCameraCaptureResolution: Int, Sendable {
  /// 352 × 288.
  case low = 0
  /// 640 × 480.
  case medium = 1
  /// 1280 × 720.
  case high = 2
  /// 1920 × 1080.
  case high1080p = 3

  var size: (width: Int, height: Int) {
    switch self {
    case .low: (352, 288)
    case .medium: (640, 480)
    case .high: (1_280, 720)
    case .high1080p: (1_920, 1_080)
    }
  }
}

/// A camera's frames a second.
public enum OTCameraCaptureFrameRate: Int, Sendable {
  /// 30.
  case rate30FPS = 30
  /// 15.
  case rate15FPS = 15
  /// 7.
  case rate7FPS = 7
  /// 1.
  case rate1FPS = 1
}

/// The content of a publisher's video.
public enum OTPublisherKitVideoType: Int32, Sendable {
  case camera = 1
  /// A screen: few frames a second, sharp.
  case screen = 2
}

/// The share of the network that video may take.
public enum OTVideoBitratePreset: Int, Sendable {
  /// Bitrates that favour quality.
  case `default` = 0
  /// Lower bitrates than by default.
  case bwSaver = 1
  /// Much lower bitrates than by default.
  case extraBwSaver = 2
  /// The limit ``OTPublisherKit/maxVideoBitrate``.
  case custom = 3
}

/// Why a publisher's video went or came back, or its quality changed.
public enum OTPublisherVideoEventReason: Int32, Sendable {
  /// Of a layer that nothing holds back.
  case none = 0
  /// `publishVideo` was changed.
  case publisherPropertyChanged = 1
  /// The network became slower or faster.
  case qualityChanged = 3
  /// There is no room in the network for more.
  case qualityDegradationBandwidth = 5
  /// Encoding does not keep up.
  case qualityDegradationCPU = 6
  /// Something else holds the video back.
  case qualityDegradationOther = 7
  /// The video is sent in another codec.
  case codecChange = 8
  /// The video is sent in other sizes, or in more or fewer.
  case resolutionChange = 9
}
