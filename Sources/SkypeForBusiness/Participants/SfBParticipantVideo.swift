public import ParleyViews
import Parley
import Synchronization

/// A participant's picture.
@MainActor public final class SfBParticipantVideo: SfBParticipantService {
  /// Whether they have paused it.
  @SfBObserved public internal(set) var isPaused = false
  /// Whether ``subscribe(_:)`` can be called: they send a picture, and are among those who may be watched
  /// (``SfBConfigurationManager/maxVideoChannels``).
  @SfBObserved public private(set) var canSubscribe = false

  override class var keys: [ObservableKey] {
    super.keys + [
      .value("isPaused", \SfBParticipantVideo.isPaused), .value("canSubscribe", \SfBParticipantVideo.canSubscribe),
    ]
  }

  private var publication: RemotePublication?
  private var stream: SfBVideoStream?

  /// Begins to receive the picture. It is drawn to `layer` by ``SfBVideoStream/render()``. A stream that was subscribed to before ends.
  /// While the conversation is on hold nothing is drawn, and the stream goes on afterwards.
  /// - Throws: `videoLicenseNotAccepted`, `invalidArgument` without a layer, `actionNotAvailable` while ``canSubscribe`` is false.
  public func subscribe(_ layer: CAEAGLLayer?) throws -> SfBVideoStream {
    try checkLicense()
    guard let layer else {
      throw SfBError.invalidArgument.because("There is no layer to show the picture on: nil was given.")
    }
    try require(canSubscribe, "subscribe(_:)", "canSubscribe")
    endStream()
    let stream = SfBVideoStream(layer)
    self.stream = stream
    receive()
    return stream
  }

  /// Ends receiving the picture. Its stream is of no use any more.
  /// - Throws: `videoLicenseNotAccepted`, `actionNotAvailable` when nothing was subscribed to.
  public func unsubscribe() throws {
    try checkLicense()
    guard stream != nil else {
      throw SfBError.actionNotAvailable.because("The picture cannot be unsubscribed from: it is not subscribed to.")
    }
    endStream()
  }

  private func checkLicense() throws {
    try participant?.conversation?.application.configurationManager.checkVideoLicense()
  }

  private func endStream() {
    stream?.end()
    stream = nil
    publication?.subscription?.show(width: 0, height: 0)
  }

  /// Whether the server sends it, or would.
  var isReceivable: Bool { publication?.subscription?.video != nil }

  func refresh(_ publication: RemotePublication?) {
    if self.publication !== publication {
      self.publication = publication
      endStream()
    }
    state = publication == nil ? .disconnected : .connected
    isPaused = publication?.isMuted ?? false
    if !isReceivable { setSubscribable(false) }
    receive()
  }

  /// Brings what the server sends in line with what is shown: nothing of what nobody watches, nor of anything on hold.
  func receive() {
    let subscription = publication?.subscription
    let isShown = stream != nil && participant?.conversation?.audioService.isOnHold != true
    if !isShown { subscription?.show(width: 0, height: 0) }
    stream?.follow(isShown ? subscription : nil)
  }

  func setSubscribable(_ can: Bool) {
    canSubscribe = can
    if !can { endStream() }
  }

  override func end() {
    setSubscribable(false)
    publication = nil
    isPaused = false
    super.end()
  }
}

/// A participant's picture as it is received.
@MainActor public final class SfBVideoStream: SfBObject, SfBKeyValueObservable {
  /// The size of the newest picture in pixels; zero before the first one.
  public var dimensions: CGSize {
    newest.frame.map { CGSize(width: $0.width, height: $0.height) } ?? .zero
  }

  private let layer: CAEAGLLayer
  private let newest = NewestFrame()
  private weak var shown: VideoFrame?
  private var video: RemoteVideoTrack?
  private var isOver = false

  init(_ layer: CAEAGLLayer) {
    self.layer = layer
    super.init(internal: ())
  }

  /// Draws the newest picture. Call it for every refresh of the display, while the app is active.
  /// - Throws: `actionNotAvailable` when the stream is over.
  public func render() throws {
    try check("render()")
    guard video != nil, let frame = newest.frame, frame !== shown else { return }
    shown = frame
    layer.surface.receive(frame)
  }

  /// How the picture fills the layer.
  /// - Throws: `actionNotAvailable` when the stream is over.
  public func setAutoFitMode(_ mode: SfBVideoStreamAutoFitMode) throws {
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
    video?.remove(newest)
    video = subscription.video
    video?.add(newest)
  }

  func end() {
    isOver = true
    clear()
  }

  private func clear() {
    video?.remove(newest)
    video = nil
    shown = nil
    newest.clear()
    layer.surface.clear()
  }
}

/// Keeps the picture that came last.
private final class NewestFrame: VideoSink {
  private let state = Mutex<VideoFrame?>(nil)

  var frame: VideoFrame? { state.withLock { $0 } }
  func receive(_ frame: VideoFrame) { state.withLock { $0 = frame } }
  func clear() { state.withLock { $0 = nil } }
}
