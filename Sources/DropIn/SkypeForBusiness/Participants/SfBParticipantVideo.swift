public import ParleyViews
import Parley

/// A participant's video, in one meeting.
@preconcurrency @MainActor open class SfBParticipantVideo: SfBParticipantService {
  /// Whether they have paused it.
  @SfBObserved open internal(set) var isPaused = false
  /// Whether ``subscribe(_:)`` can be called: they send video, and are among those who may be watched
  /// (``SfBConfigurationManager/maxVideoChannels``).
  @SfBObserved open private(set) var canSubscribe = false

  override class var keys: [ObservableKey] {
    super.keys + [
      .value("isPaused", \SfBParticipantVideo.isPaused), .value("canSubscribe", \SfBParticipantVideo.canSubscribe),
    ]
  }

  private var publication: RemotePublication?
  private var stream: SfBVideoStream?

  override init(internal: Void) { super.init(internal: ()) }

  /// Begins to receive the video. ``SfBVideoStream/render()`` draws it to `layer`. An earlier stream ends. While the
  /// conversation is on hold nothing is drawn, and the stream continues afterwards.
  /// - Throws: `videoLicenseNotAccepted`, `actionNotAvailable` while
  ///   ``canSubscribe`` is false.
  @discardableResult open func subscribe(_ layer: CAEAGLLayer) throws -> SfBVideoStream {
    try checkLicense()
    try require(canSubscribe, "subscribe(_:)", "canSubscribe")
    endStream()
    let stream = SfBVideoStream(layer)
    self.stream = stream
    receive()
    return stream
  }

  /// Ends receiving the video. Its stream is of no use any more.
  /// - Throws: `videoLicenseNotAccepted`, `actionNotAvailable` when nothing was subscribed to.
  open func unsubscribe() throws {
    try checkLicense()
    guard stream != nil else {
      throw SfBError.actionNotAvailable.because("The picture cannot be unsubscribed from: it is not subscribed to.")
    }
    endStream()
  }

  func checkLicense() throws {
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
      // A watcher subscribes again, also when the new publication is received already, as after a loss of the
      // connection.
      if publication != nil { setSubscribable(false) }
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
