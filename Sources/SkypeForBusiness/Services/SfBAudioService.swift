import Parley

/// Sound of a conversation. It starts with the meeting, muted: the microphone is opened when it is first unmuted.
@preconcurrency @MainActor public final class SfBAudioService: SfBConversationService {
  /// Whether the conversation is on hold: no sound and no picture is sent, played or shown.
  @SfBObserved public private(set) var isOnHold = false
  /// Whether the others can hear this guest.
  @SfBObserved public private(set) var muted = SfBAudioServiceMuteState.muted

  /// Whether ``setHold(_:)`` can be called.
  public var canSetHold: Bool { canStop }
  /// Whether ``toggleMute()`` can be called.
  public var canToggleMute: Bool { canStop && conversation?.may(.publishAudio) == true }

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
  /// Counts how often the microphone was given up, so that one that is being published meanwhile is known.
  private var losses = 0
  private var speaker: (any AudioSink)?
  private var isOpeningSpeaker = false

  /// Puts the conversation on hold, sound and picture, or takes it up again.
  /// - Throws: `actionNotAvailable` while ``canSetHold`` is false.
  public func setHold(_ hold: Bool) throws {
    try require(canSetHold, "setHold(_:)", "canSetHold")
    isOnHold = hold
    conversation?.selfParticipant.audio.isOnHold = hold
    apply()
    conversation?.videoService.apply()
  }

  /// Unmutes or mutes. Unmuting takes a moment: ``muted`` is `unmuting` until the server has the microphone.
  /// - Throws: `actionNotAvailable` while ``canToggleMute`` is false.
  public func toggleMute() throws {
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
        self?.giveUp(turn, ErrorCode(.actionNotAvailable), why)
        return
      }
      do {
        // One that was taken back may still be publishing.
        while let self, self.isPublishing { await Task.yield() }
        if let self, self.turn == turn, self.microphone == nil {
          let losses = self.losses
          self.isPublishing = true
          defer { self.isPublishing = false }
          let track = LocalAudioTrack(conversation.application.devicesManager.microphone())
          let publication = try await conversation.meeting.local.publish(track, as: .microphone, isMuted: true)
          // Sound was stopped meanwhile, or the microphone gave nothing: this one is of no use.
          guard self.losses == losses else { return await publication.unpublish() }
          self.microphone = publication
        }
        guard let self, self.turn == turn else { return }
        self.muted = .unmuted
        self.apply()
      } catch {
        self?.giveUp(turn, .mediaFailed, "The others cannot hear you: \(error)")
      }
    }
  }

  /// Stays muted, and says why.
  private func giveUp(_ turn: Int, _ code: ErrorCode, _ why: String) {
    guard self.turn == turn else { return }
    muted = .muted
    conversation?.alert(.voice, .error, code, why)
  }

  /// Brings what is sent and played in line with what was asked for.
  private func apply() {
    microphone?.setMuted(isOnHold || muted != .unmuted)
    conversation?.selfParticipant.audio.isMuted = muted != .unmuted
    conversation?.selfParticipant.audio.state = isRunning ? .connected : .disconnected
    conversation?.meeting.playSound(to: isOnHold || !isRunning ? nil : speaker)
    for participant in conversation?.remoteParticipants ?? [] { listen(to: participant) }
  }

  /// What is not played need not be sent.
  func listen(to participant: SfBParticipant) {
    let isPlayed = !isOnHold && (isRunning || conversation?.state != .established)
    participant.remote?.publication(.microphone)?.subscription?.listen(isPlayed)
  }

  /// Somebody's sound comes: it needs a way out.
  func soundArrived() {
    guard isRunning || conversation?.state == .establishing, speaker == nil, !isOpeningSpeaker, let conversation else {
      return
    }
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
