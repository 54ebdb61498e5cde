import Parley

/// The audio of a conversation. It starts with the meeting, muted: the microphone is opened when it is first unmuted.
@preconcurrency @MainActor open class SfBAudioService: SfBConversationService {
  /// Whether the conversation is on hold: neither audio nor video is sent, played or shown.
  @SfBObserved open private(set) var isOnHold = false
  /// Whether the others can hear this guest: `unmuted` once the server has notified them.
  @SfBObserved open private(set) var muted = SfBAudioServiceMuteState.muted

  /// Whether ``setHold(_:)`` can be called.
  open var canSetHold: Bool { canStop }
  /// Whether ``toggleMute()`` can be called.
  open var canToggleMute: Bool { canStop && conversation?.may(.publishAudio) == true }

  override class var keys: [ObservableKey] {
    super.keys + [
      .value("isOnHold", \SfBAudioService.isOnHold), .value("muted", \SfBAudioService.muted),
      .value("canSetHold", \SfBAudioService.canSetHold), .value("canToggleMute", \SfBAudioService.canToggleMute),
    ]
  }

  private var microphone: LocalPublication?
  private(set) var isPublishing = false
  /// Counts unmutings, so that one that was taken back is known.
  private var turn = 0
  /// Counts how often the microphone was given up, to detect that during its publishing.
  private var losses = 0
  private var speaker: (any AudioSink)?
  private var isOpeningSpeaker = false

  override init(internal: Void) { super.init(internal: ()) }

  /// Puts the conversation's audio and video on hold, or resumes it.
  /// - Throws: `actionNotAvailable` while ``canSetHold`` is false.
  open func setHold(_ hold: Bool) throws {
    try require(canSetHold, "setHold(_:)", "canSetHold")
    isOnHold = hold
    conversation?.selfParticipant.audio.isOnHold = hold
    // Answers of the server to earlier requests don't apply any more.
    turn += 1
    apply()
    conversation?.videoService.apply()
    goOnUnmuting()
  }

  /// Unmutes or mutes. Unmuting takes a moment: ``muted`` is `unmuting` until the server has notified the others, for
  /// as long as the hold or the loss of a connection lasts. If it refuses, it is `muted` again, and an alert
  /// `participantUnmute` says why.
  /// - Throws: `actionNotAvailable` while ``canToggleMute`` is false.
  open func toggleMute() throws {
    try require(canToggleMute, "toggleMute()", "canToggleMute")
    setMuted(muted != .muted)
  }

  func setMuted(_ mute: Bool) {
    turn += 1
    if mute {
      muted = .muted
      apply()
    } else if muted == .muted {
      muted = .unmuting
      unmute(turn)
    }
  }

  private func unmute(_ turn: Int) {
    guard let conversation else { return }
    Task { [weak self] in
      guard !conversation.application.requiresWifi(for: .voice) else {
        let why = "Sound is not sent over a mobile network (requireWifiForAudio)."
        self?.giveUp(turn, .voice, ErrorCode(.actionNotAvailable), why)
        return
      }
      do {
        try await self?.publish(turn, conversation)
      } catch {
        self?.giveUp(turn, .voice, .mediaFailed, "The others cannot hear you: \(error)")
      }
      await self?.askServer(turn)
    }
  }

  /// Opens the microphone, muted, unless it is open.
  private func publish(_ turn: Int, _ conversation: SfBConversation) async throws {
    // One that was taken back may still be publishing.
    while isPublishing { await Task.yield() }
    guard self.turn == turn, microphone == nil else { return }
    let losses = losses
    isPublishing = true
    defer { isPublishing = false }
    let track = LocalAudioTrack(conversation.application.devicesManager.microphone())
    let publication = try await conversation.meeting.local.publish(track, as: .microphone, isMuted: true)
    // Audio was stopped in between, or the microphone gave nothing: this publication is of no use.
    guard self.losses == losses else { return await publication.unpublish() }
    microphone = publication
  }

  /// Makes the server notify the others that they may hear this guest.
  private func askServer(_ turn: Int) async {
    // On hold nobody hears anything: it is asked once that is over.
    guard self.turn == turn, muted == .unmuting, !isOnHold, let microphone else { return }
    do throws(JoinError) {
      try await microphone.unmute()
      guard self.turn == turn else { return }
      muted = .unmuted
      apply()
    } catch {
      switch error {
      // It is asked again when it is back, if it comes back.
      case .unreachable, .ended, .cancelled: break
      case .refused(_, let why): giveUp(turn, .participantUnmute, ErrorCode(.actionNotAvailable), why)
      default: giveUp(turn, .voice, .mediaFailed, "The others cannot hear you: \(error)")
      }
    }
  }

  /// Asks the server again for what it has not answered: it was not asked on hold, and its answer is lost with a
  /// connection.
  private func goOnUnmuting() {
    guard muted == .unmuting, !isOnHold else { return }
    turn += 1
    unmute(turn)
  }

  /// The connection is back.
  func reconnected() { goOnUnmuting() }

  /// Stays muted, and says why.
  private func giveUp(_ turn: Int, _ type: SfBAlertType, _ code: ErrorCode, _ why: String) {
    guard self.turn == turn else { return }
    muted = .muted
    apply()
    conversation?.alert(type, .error, code, why)
  }

  /// Brings what is sent and played in line with what was asked for.
  private func apply() {
    // While it is `unmuting`, the server decides.
    if isOnHold || muted != .unmuting { microphone?.setMuted(isOnHold || muted == .muted) }
    conversation?.selfParticipant.audio.isMuted = muted != .unmuted
    conversation?.selfParticipant.audio.state = isRunning ? .connected : .disconnected
    conversation?.meeting.playSound(to: isListening && !isOnHold ? speaker : nil)
    for participant in conversation?.remoteParticipants ?? [] { listen(to: participant) }
  }

  /// Whether the others' audio is for this guest, apart from a hold: until it is stopped, and from the first moment.
  /// Some of it comes before the meeting is established: a guest admitted from the lobby reads `inLobby` until
  /// everybody is there.
  private var isListening: Bool {
    isRunning || conversation?.state == .establishing || conversation?.state == .inLobby
  }

  /// Audio that is not played need not be sent.
  func listen(to participant: SfBParticipant) {
    participant.remote?.publication(.microphone)?.subscription?.listen(isListening && !isOnHold)
  }

  /// Somebody's audio comes: opens the output.
  func soundArrived() {
    guard isListening, speaker == nil, !isOpeningSpeaker, let conversation else { return }
    isOpeningSpeaker = true
    Task { [weak self] in
      do {
        let speaker = try await conversation.application.devicesManager.openSpeaker()
        self?.speaker = speaker
        self?.apply()
      } catch {
        conversation.alert(.voice, .warning, .mediaFailed, "Nobody can be heard here: \(error)")
      }
    }
  }

  func mutedByHost() {
    turn += 1
    muted = .muted
    apply()
  }

  /// The microphone gives nothing any more, or the server ended what it sends. The others are heard as before.
  override func stoppedByHost() {
    losses += 1
    let gone = microphone
    microphone = nil
    mutedByHost()
    if let gone { Task { await gone.unpublish() } }
  }

  override func didStart() {
    apply()
    soundArrived()
  }

  override func didStop() {
    isOnHold = false
    conversation?.selfParticipant.audio.isOnHold = false
    stoppedByHost()
    speaker = nil
    isOpeningSpeaker = false
    apply()
    conversation?.videoService.apply()
  }

  func established() {
    isRunning = true
    apply()
  }
}
