import Foundation
import Parley
public import ParleyViews

/// Sends the microphone and the camera to a session, and shows the camera in ``view``.
///
/// Without a camera, a test video takes its place, as in the simulator of OpenTok.
open class OTPublisher: OTPublisherKit {
  @MainActor private var shown: OTVideoView?

  /// A publisher. The preview begins at once.
  public init?(delegate: (any OTPublisherKitDelegate)?, settings: OTPublisherSettings) {
    super.init(delegate: delegate, settings: settings)
  }

  /// A publisher with settings that name no camera: the first one is taken.
  public override init?(delegate: (any OTPublisherKitDelegate)?, settings: OTPublisherKitSettings) {
    super.init(delegate: delegate, settings: settings)
  }

  /// A publisher with the default settings.
  public override init?(delegate: (any OTPublisherKitDelegate)?) { super.init(delegate: delegate) }

  /// A publisher with a name.
  public override init?(delegate: (any OTPublisherKitDelegate)?, name: String?) {
    super.init(delegate: delegate, name: name)
  }

  /// A publisher with a name and these tracks.
  public override init?(delegate: (any OTPublisherKitDelegate)?, name: String?, audioTrack: Bool, videoTrack: Bool) {
    super.init(delegate: delegate, name: name, audioTrack: audioTrack, videoTrack: videoTrack)
  }

  /// A publisher with a name and this camera.
  public init?(
    delegate: (any OTPublisherKitDelegate)?, name: String?, cameraResolution: OTCameraCaptureResolution,
    cameraFrameRate: OTCameraCaptureFrameRate
  ) {
    let settings = OTPublisherSettings()
    (settings.name, settings.cameraResolution, settings.cameraFrameRate) = (name, cameraResolution, cameraFrameRate)
    super.init(delegate: delegate, settings: settings)
  }

  override class func settings() -> OTPublisherKitSettings { OTPublisherSettings() }

  /// The preview, an ``OTVideoView``. It is out of its superview when the session ends.
  @preconcurrency @MainActor open var view: UIView? { videoView }

  @MainActor var videoView: OTVideoView {
    if let shown { return shown }
    let view = OTVideoView(frame: CGRect(x: 0, y: 0, width: 320, height: 240))
    view.name = streamName
    shown = view
    media.addPreview(view.surface) { [surface = view.surface] in surface.isMirrored = $0 }
    view.addTool { [weak self] in
      guard let self, isInVersion1, media.options.capturesAudio else { return nil }
      return publishAudio ? "Mute" : "Unmute"
    } _: { [weak self] in
      self?.publishAudio.toggle()
    }
    view.addTool { [weak self] in
      self.flatMap { $0.isInVersion1 && $0.media.canChangeCamera ? "Other camera" : nil }
    } _: { [weak self] in
      guard let self else { return }
      cameraPosition = cameraPosition == .back ? .front : .back
    }
    return view
  }

  private var isInVersion1: Bool { session?.isLegacy == true }

  /// The view, when somebody has asked for it.
  @MainActor var viewIfAny: OTVideoView? { shown }

  /// How the preview lies in the view.
  @preconcurrency @MainActor open var viewScaleBehavior: OTVideoViewScaleBehavior {
    get { videoView.scaling == .fit ? .fit : .fill }
    set { videoView.scaling = newValue == .fit ? .fit : .fill }
  }

  /// The camera in use. Setting it takes the next camera of the machine, if there are two; then the delegate is
  /// notified.
  open var cameraPosition: AVCaptureDevice.Position {
    get { AVCaptureDevice.Position(media.cameraPosition) }
    set {
      let position = CameraPosition(newValue)
      guard position != media.cameraPosition else { return }
      media.setCameraPosition(position) { [weak self] in
        guard let self else { return }
        let queue = session?.apiQueue ?? .main
        queue.async { (self.delegate as? any OTPublisherDelegate)?.publisher(self, didChangeCameraPosition: newValue) }
      }
    }
  }

  /// Without effect: the cameras of this system have no lamp that can be asked for.
  open var cameraTorch: Bool {
    get { false }
    set {}
  }

  /// Kept, and without effect on the camera.
  open var cameraZoomFactor: Float {
    get { 1 }
    set {}
  }
}

extension CameraPosition {
  fileprivate init(_ position: AVCaptureDevice.Position) {
    self =
      switch position {
      case .back: .back
      case .front: .front
      case .unspecified: .unspecified
      }
  }
}

extension AVCaptureDevice.Position {
  fileprivate init(_ position: CameraPosition) {
    self =
      switch position {
      case .back: .back
      case .front: .front
      case .unspecified: .unspecified
      }
  }
}

extension CGSize {
  init(_ size: LocalCapture.FrameSize) { self.init(width: size.width, height: size.height) }
}
