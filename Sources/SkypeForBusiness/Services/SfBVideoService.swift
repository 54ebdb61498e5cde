public import ParleyViews
import Parley

/// One's own picture. Every call fails with `videoLicenseNotAccepted` until ``SfBConfigurationManager/setEndUserAcceptedVideoLicense()``.
@preconcurrency @MainActor public final class SfBVideoService: SfBConversationService {
  /// The camera in use; nil while none is.
  @SfBObserved public private(set) var activeCamera: SfBCamera?

  /// Whether ``setActiveCamera(_:)`` can be called.
  public var canSetActiveCamera: Bool { conversation?.isEstablished == true && isAllowed }
  /// Whether ``setPaused(_:)`` can be called.
  public var canSetPaused: Bool { canStop }

  override class var keys: [ObservableKey] {
    super.keys + [
      .value("activeCamera", \SfBVideoService.activeCamera), .value("canSetPaused", \SfBVideoService.canSetPaused),
      .value("canSetActiveCamera", \SfBVideoService.canSetActiveCamera),
    ]
  }

  override var isAllowed: Bool { conversation?.may(.publishVideo) == true }

  private var source: SharedVideoSource?
  private var publication: LocalPublication?
  private var previews: [SfBVideoPreview] = []
  private var isPaused = false
  /// Counts starts and stops, so that a start that was taken back is known.
  private var turn = 0

  /// Starts to send the camera's picture.
  /// - Throws: `videoLicenseNotAccepted`, or `actionNotAvailable` while ``canStart`` is false or the network is a mobile one and
  ///   ``SfBConfigurationManager/requireWifiForVideo`` is true.
  public override func start() throws {
    try checkLicense()
    try require(canStart, "start()", "canStart")
    if let conversation, conversation.application.requiresWifi(for: .video) {
      let text = "Video is not sent over a mobile network (requireWifiForVideo)."
      conversation.alert(.videoOverWiFiBlocked, .error, ErrorCode(.actionNotAvailable), text)
      throw SfBError.actionNotAvailable.because(text)
    }
    try super.start()
  }

  /// Ends sending the camera's picture.
  public override func stop() throws {
    try checkLicense()
    try super.stop()
  }

  /// Takes the picture of another camera, without a break for the others.
  public func setActiveCamera(_ camera: SfBCamera?) throws {
    try checkLicense()
    try require(canSetActiveCamera, "setActiveCamera(_:)", "canSetActiveCamera")
    guard let camera else {
      throw SfBError.invalidArgument.because("There is no camera to use: one of the devices manager's is expected.")
    }
    use(camera)
  }

  /// Pauses the picture, or goes on with it. `selfParticipant.video.isPaused` follows a moment later.
  public func setPaused(_ paused: Bool) throws {
    try checkLicense()
    try require(canSetPaused, "setPaused(_:)", "canSetPaused")
    isPaused = paused
    apply()
    Task { [weak self] in
      guard let self, self.isRunning, self.isPaused == paused else { return }
      self.conversation?.selfParticipant.video.isPaused = paused
    }
  }

  /// Shows one's own picture in a view, mirrored, also before it is sent.
  public func showPreview(on view: UIView?) throws -> SfBVideoPreview {
    try checkLicense()
    guard let view else {
      throw SfBError.invalidArgument.because("There is no view to show the preview on: nil was given.")
    }
    guard let conversation, conversation.state != .idle else {
      throw SfBError.actionNotAvailable.because("There is no preview in a conversation that is over.")
    }
    for old in previews where old.container === view || old.container == nil { end(old) }
    let camera = activeCamera ?? conversation.application.devicesManager.firstCamera
    let preview = SfBVideoPreview(in: view)
    previews.append(preview)
    let source = shared(camera)
    for sink in preview.sinks { source.add(sink) }
    return preview
  }

  // MARK: The camera

  private func shared(_ camera: SfBCamera) -> SharedVideoSource {
    if let source { return source }
    let new = SharedVideoSource(camera.makeSource())
    source = new
    activeCamera = camera
    return new
  }

  private func use(_ camera: SfBCamera) {
    guard camera !== activeCamera || source == nil else { return }
    if let source { source.use(camera.makeSource()) } else { _ = shared(camera) }
    activeCamera = camera
  }

  private func end(_ preview: SfBVideoPreview) {
    for sink in preview.sinks { source?.remove(sink) }
    preview.end()
    previews.removeAll { $0 === preview }
  }

  override func didStart() {
    guard let conversation else { return }
    turn += 1
    let turn = turn
    let source = shared(activeCamera ?? conversation.application.devicesManager.firstCamera)
    isPaused = false
    conversation.selfParticipant.video.state = .connecting
    Task { [weak self] in
      do {
        // On hold no picture may leave, not even the first.
        let publication = try await conversation.meeting.local.publish(
          LocalVideoTrack(source), as: .camera, isMuted: self?.isHeld == true)
        guard let self, self.turn == turn, self.isRunning else { return await publication.unpublish() }
        self.publication = publication
        conversation.selfParticipant.video.state = .connected
        self.apply()
      } catch {
        guard let self, self.turn == turn else { return }
        self.stoppedByHost()
        conversation.alert(.video, .error, .mediaFailed, "The camera's picture cannot be sent: \(error)")
      }
    }
  }

  override func didStop() {
    turn += 1
    isPaused = false
    conversation?.selfParticipant.video.state = .disconnected
    conversation?.selfParticipant.video.isPaused = false
    let gone = publication
    publication = nil
    if let gone { Task { await gone.unpublish() } }
    giveBackCamera()
  }

  private func giveBackCamera() {
    guard previews.isEmpty, !isRunning else { return }
    source = nil
    activeCamera = nil
  }

  /// Whether no picture is to be sent, for a pause of its own or because the conversation is on hold.
  private var isHeld: Bool { isPaused || conversation?.audioService.isOnHold == true }

  /// Brings what is sent and shown in line with what was asked for.
  func apply() {
    publication?.setMuted(isHeld)
    for participant in conversation?.remoteParticipants ?? [] { participant.video.receive() }
  }

  func mutedByHost() {
    isPaused = true
    conversation?.selfParticipant.video.isPaused = true
  }

  override func end() {
    for preview in previews { end(preview) }
    super.end()
    giveBackCamera()
  }

  private func checkLicense() throws {
    // A conversation that nobody holds any more has no application; its answer is that nothing can be done.
    try conversation?.application.configurationManager.checkVideoLicense()
  }
}
