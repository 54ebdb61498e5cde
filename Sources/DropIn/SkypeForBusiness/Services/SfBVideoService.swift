public import ParleyViews
import Parley

/// The guest's own video. Every call fails with `videoLicenseNotAccepted` until
/// ``SfBConfigurationManager/setEndUserAcceptedVideoLicense()``.
@preconcurrency @MainActor open class SfBVideoService: SfBConversationService {
  /// The camera in use; nil while none is.
  @SfBObserved open private(set) var activeCamera: SfBCamera?

  /// Whether ``setActiveCamera(_:)`` can be called.
  open var canSetActiveCamera: Bool { conversation?.isEstablished == true && isAllowed }
  /// Whether ``setPaused(_:)`` can be called.
  open var canSetPaused: Bool { canStop }

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
  /// Counts what the server was asked about pausing, so that the answer to what was taken back is known.
  private var question = 0

  override init(internal: Void) { super.init(internal: ()) }

  /// Starts to send the camera's video.
  ///
  /// The video may end without the app's doing: its camera failed, a host stopped it or the server refused it.
  /// ``canStart`` then stays false until the app calls this, which it may, ``setActiveCamera(_:)`` or
  /// ``showPreview(on:)``. Apps start whenever ``canStart`` turns true, and would try a failing camera without end, or
  /// bring back at once what a host has stopped.
  /// - Throws: `videoLicenseNotAccepted`, or `actionNotAvailable` while ``canStart`` is false for another reason, or
  ///   the network is a mobile one and ``SfBConfigurationManager/requireWifiForVideo`` is true.
  open override func start() throws {
    try checkLicense()
    try require(isStartable, "start()", "canStart")
    if let conversation, conversation.application.requiresWifi(for: .video) {
      let text = "Video is not sent over a mobile network (requireWifiForVideo)."
      conversation.alert(.videoOverWiFiBlocked, .error, ErrorCode(.actionNotAvailable), text)
      throw SfBError.actionNotAvailable.because(text)
    }
    try super.start()
  }

  /// Ends sending the camera's video.
  open override func stop() throws {
    try checkLicense()
    try super.stop()
  }

  /// Sends the video of another camera, without a break for the others.
  open func setActiveCamera(_ camera: SfBCamera) throws {
    try checkLicense()
    try require(canSetActiveCamera, "setActiveCamera(_:)", "canSetActiveCamera")
    use(camera)
    hasEndedByItself = false
  }

  /// Pauses the video, or resumes it. Nothing is sent from the first moment of a pause on.
  /// `selfParticipant.video.isPaused` follows when the server has notified the others, also after a hold or the loss of
  /// a connection. If it refuses to resume, the video stays paused, and an alert `communication` says why.
  open func setPaused(_ paused: Bool) throws {
    try checkLicense()
    try require(canSetPaused, "setPaused(_:)", "canSetPaused")
    isPaused = paused
    tellServer()
  }

  /// Shows the guest's own video in a view, mirrored, also before it is sent.
  @discardableResult open func showPreview(on view: UIView) throws -> SfBVideoPreview {
    try checkLicense()
    guard let conversation, conversation.state != .idle else {
      throw SfBError.actionNotAvailable.because("There is no preview in a conversation that is over.")
    }
    for old in previews where old.container === view || old.container == nil { end(old) }
    let camera = activeCamera ?? conversation.application.devicesManager.firstCamera
    let preview = SfBVideoPreview(in: view)
    previews.append(preview)
    let source = shared(camera)
    for sink in preview.sinks { source.add(sink) }
    hasEndedByItself = false
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
    hasEndedByItself = false
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

  override func stoppedByHost() {
    // A guest who may no longer send is notified when it may again, which is for somebody else to say.
    if isRunning { hasEndedByItself = isAllowed }
    super.stoppedByHost()
  }

  /// The host has given or taken rights.
  func permissionsChanged() { if !isAllowed { hasEndedByItself = false } }

  override func didStop() {
    turn += 1
    question += 1
    isPaused = false
    myself?.state = .disconnected
    myself?.isPaused = false
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

  // MARK: Pausing

  private var myself: SfBParticipantVideo? { conversation?.selfParticipant.video }
  private var isOnHold: Bool { conversation?.audioService.isOnHold == true }
  /// Whether no video is to be sent, for a pause of its own or because the conversation is on hold.
  private var isHeld: Bool { isPaused || isOnHold }

  /// Brings what is sent and shown in line with what was asked for.
  func apply() {
    tellServer()
    for participant in conversation?.remoteParticipants ?? [] { participant.video.receive() }
  }

  /// Makes the server notify the others whether video comes, unless they know.
  private func tellServer() {
    question += 1
    guard let publication, publication.isMuted != isHeld || myself?.isPaused != isPaused else { return }
    if isHeld { publication.setMuted(true) }
    // The end of a pause is reported with the end of the hold.
    guard isPaused || !isOnHold else { return }
    let question = question
    Task { [weak self] in
      guard let self, self.question == question else { return }
      do throws(JoinError) {
        if self.isHeld { try await publication.mute() } else { try await publication.unmute() }
        guard self.question == question else { return }
        self.myself?.isPaused = self.isPaused
      } catch {
        switch error {
        // It is asked again when it is back, if it comes back.
        case .unreachable, .ended, .cancelled: break
        case .refused(_, let why): self.stayPaused(question, .communication, .warning, .notice, why)
        default:
          self.stayPaused(
            question, .video, .error, .mediaFailed, "The others were not told whether you are seen: \(error)")
        }
      }
    }
  }

  private func stayPaused(
    _ question: Int, _ type: SfBAlertType, _ level: SfBAlertLevel, _ code: ErrorCode, _ why: String
  ) {
    guard self.question == question else { return }
    mutedByHost()
    conversation?.alert(type, level, code, why)
  }

  /// The connection is back: what the server has not answered it is asked again.
  func reconnected() { tellServer() }

  func mutedByHost() {
    question += 1
    isPaused = true
    publication?.setMuted(true)
    myself?.isPaused = true
  }

  override func end() {
    for preview in previews { end(preview) }
    super.end()
    giveBackCamera()
  }

  func checkLicense() throws {
    // A conversation that nobody holds any more has no application; its answer is that nothing can be done.
    try conversation?.application.configurationManager.checkVideoLicense()
  }
}
