import Parley

/// Somebody in a conversation, oneself or another.
@preconcurrency @MainActor open class SfBParticipant: SfBObject, SfBKeyValueObservable {
  /// Whether they are in the meeting, or wait in the lobby: oneself while the conversation is `inLobby`, others if this
  /// guest leads the meeting. Participants in the lobby have neither chat, audio nor video.
  @SfBObserved open internal(set) var state = SfBParticipantState.connected
  /// Whether they lead the meeting.
  @SfBObserved open private(set) var role = SfBParticipantRole.attendee
  open private(set) var chat = SfBParticipantChat(internal: ())
  open private(set) var audio = SfBParticipantAudio(internal: ())
  open private(set) var video = SfBParticipantVideo(internal: ())
  /// Their name and address.
  open private(set) var person: SfBPerson

  override class var keys: [ObservableKey] {
    [
      .value("state", \SfBParticipant.state), .value("role", \SfBParticipant.role),
      .value("chat", \SfBParticipant.chat), .value("audio", \SfBParticipant.audio),
      .value("video", \SfBParticipant.video), .value("person", \SfBParticipant.person),
    ]
  }

  /// The participant in the meeting; nil for oneself, and for who waits.
  let remote: RemoteParticipant?
  /// By what the server knows who waits; nil for everybody else.
  let waitingID: String?
  weak var conversation: SfBConversation?
  /// When they were last heard as the loudest.
  var lastSpoke: Instant?

  var isSelf: Bool { remote == nil && waitingID == nil }

  init(_ person: SfBPerson, remote: RemoteParticipant?, waitingID: String? = nil) {
    self.person = person
    self.remote = remote
    self.waitingID = waitingID
    super.init(internal: ())
    audio.participant = self
    video.participant = self
    chat.participant = self
    if waitingID != nil { state = .inLobby }
  }

  /// Takes over how things are in the meeting.
  func refresh() {
    let somebody: (any Participant)? = remote ?? (isSelf ? conversation?.meeting.local : nil)
    guard let somebody else { return }
    if !somebody.name.isEmpty { person.displayName = somebody.name }
    role = somebody.permissions.contains(.moderate) ? .leader : .attendee
    chat.state = .connected
    if let remote {
      audio.refresh(remote.publication(.microphone))
      conversation?.audioService.listen(to: self)
      video.refresh(remote.publication(.camera))
    }
  }

  /// They have left, or the conversation is over.
  func end() {
    chat.end()
    audio.end()
    video.end()
  }
}

/// The part that a participant's chat, audio and video share.
@preconcurrency @MainActor open class SfBParticipantService: SfBObject, SfBKeyValueObservable {
  /// Whether it is there.
  @SfBObserved open internal(set) var state = SfBParticipantServiceState.disconnected

  weak var participant: SfBParticipant?

  override class var keys: [ObservableKey] { [.value("state", \SfBParticipantService.state)] }

  /// The part of nobody: it stays `disconnected`.
  public init() { super.init(internal: ()) }

  /// Each kind of part has it as its own, so that none inherits `init()`: the SDK calls theirs unavailable.
  override init(internal: Void) { super.init(internal: ()) }

  func end() { state = .disconnected }

  func require(_ condition: Bool, _ call: String, _ property: String) throws {
    guard !condition else { return }
    throw SfBError.actionNotAvailable.because("\(type(of: self)).\(call) was called while \(property) is false.")
  }
}

/// A participant's text messages.
@preconcurrency @MainActor open class SfBParticipantChat: SfBParticipantService {
  /// Whether they are writing one.
  @SfBObserved open internal(set) var isTyping = false

  override class var keys: [ObservableKey] { super.keys + [.value("isTyping", \SfBParticipantChat.isTyping)] }

  override init(internal: Void) { super.init(internal: ()) }

  override func end() {
    isTyping = false
    super.end()
  }
}
