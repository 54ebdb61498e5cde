import Parley

/// A participant's audio, in one meeting.
@preconcurrency @MainActor open class SfBParticipantAudio: SfBParticipantService {
  /// Whether they speak now.
  @SfBObserved open internal(set) var isSpeaking = false
  /// Whether they have put the conversation on hold. Known of oneself only.
  @SfBObserved open internal(set) var isOnHold = false
  /// Whether nobody receives any of their audio.
  @SfBObserved open internal(set) var isMuted = true

  /// Whether ``setMuted(_:)`` can be called: for oneself always, for others when this guest leads the meeting.
  open var canSetMuted: Bool {
    guard let participant, let conversation = participant.conversation, conversation.isEstablished else { return false }
    return participant.isSelf
      ? conversation.audioService.canToggleMute : state == .connected && conversation.permissions.contains(.moderate)
  }

  override class var keys: [ObservableKey] {
    super.keys + [
      .value("isSpeaking", \SfBParticipantAudio.isSpeaking), .value("isOnHold", \SfBParticipantAudio.isOnHold),
      .value("isMuted", \SfBParticipantAudio.isMuted), .value("canSetMuted", \SfBParticipantAudio.canSetMuted),
    ]
  }

  override init(internal: Void) { super.init(internal: ()) }

  /// Mutes this participant for everybody. Nobody is unmuted by somebody else: another one is asked to unmute.
  /// - Throws: `actionNotAvailable` while ``canSetMuted`` is false. An alert reports a refusal of the server.
  open func setMuted(_ muted: Bool) throws {
    try require(canSetMuted, "setMuted(_:)", "canSetMuted")
    guard let participant, let conversation = participant.conversation else { return }
    guard let remote = participant.remote else { return conversation.audioService.setMuted(muted) }
    Task { [weak conversation] in
      do throws(JoinError) {
        if muted { try await remote.mute() } else { try await remote.askToUnmute() }
      } catch {
        conversation?.alert(
          muted ? .participantMute : .participantUnmute, .error, ErrorCode(.actionNotAvailable), error.description)
      }
    }
  }

  func refresh(_ publication: RemotePublication?) {
    state = .connected
    isMuted = publication?.isMuted ?? true
  }

  override func end() {
    isSpeaking = false
    isMuted = true
    isOnHold = false
    super.end()
  }
}
