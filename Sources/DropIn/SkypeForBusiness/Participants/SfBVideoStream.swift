public import ParleyViews
import Parley

/// A participant's video as it is received.
@preconcurrency @MainActor open class SfBVideoStream: SfBObject, SfBKeyValueObservable {
  /// The size of the newest frame in pixels; zero before the first one.
  open var dimensions: CGSize { newest.dimensions }

  override class var keys: [ObservableKey] { [.value("dimensions", \SfBVideoStream.dimensions)] }

  private let layer: CAEAGLLayer
  private let newest = NewestPicture()
  private weak var shown: VideoFrame?
  private var video: RemoteVideoTrack?
  private var isOver = false

  init(_ layer: CAEAGLLayer) {
    self.layer = layer
    super.init(internal: ())
  }

  /// Draws the newest frame. Call it for every refresh of the display, while the app is active.
  /// - Throws: `actionNotAvailable` when the stream is over.
  open func render() throws {
    try check("render()")
    guard video != nil, let frame = newest.frame, frame !== shown else { return }
    shown = frame
    layer.surface.receive(frame)
  }

  /// Sets how the video fills the layer.
  /// - Throws: `actionNotAvailable` when the stream is over.
  open func setAutoFitMode(_ mode: SfBVideoStreamAutoFitMode) throws {
    try check("setAutoFitMode(_:)")
    layer.surface.scaling = mode == .crop ? .fill : .fit
  }

  private func check(_ call: String) throws {
    guard !isOver else {
      throw SfBError.actionNotAvailable.because(
        "SfBVideoStream.\(call) was called after the stream had ended. Subscribe again when canSubscribe is true.")
    }
  }

  /// Shows what comes of a subscription; nil shows nothing for now.
  func follow(_ subscription: Subscription?) {
    guard !isOver else { return }
    guard let subscription else { return clear() }
    let size = layer.bounds.size
    let most = Double(UInt16.max)
    // A layer without a size yet may become large.
    let width = size.width >= 1 ? min(size.width * 2, most) : most
    let height = size.height >= 1 ? min(size.height * 2, most) : most
    subscription.show(width: Int(width), height: Int(height), isPinned: true)
    guard video !== subscription.video else { return }
    video?.remove(newest.sink)
    video = subscription.video
    video?.add(newest.sink)
  }

  func end() {
    isOver = true
    clear()
  }

  private func clear() {
    video?.remove(newest.sink)
    video = nil
    shown = nil
    newest.clear()
    layer.surface.clear()
  }
}
