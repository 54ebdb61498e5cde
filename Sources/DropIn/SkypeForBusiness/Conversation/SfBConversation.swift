import Foundation
import Parley

/// A meeting as this guest takes part in it.
///
/// Its ``state`` is `establishing` when the joining call returns. After the end only ``subject`` and the history can be
/// read.
@preconcurrency @MainActor open class SfBConversation: SfBObject, SfBKeyValueObservable {
  /// The state of the conversation; `leave()` makes it `idle`.
  @SfBObserved open internal(set) var state = SfBConversationState.establishing
  /// Everybody else, in the order they came.
  @SfBObserved open internal(set) var remoteParticipants: [SfBParticipant] = []
  /// Oneself, as the others see it.
  open private(set) var selfParticipant: SfBParticipant
  /// The present or latest speaker.
  @SfBObserved open internal(set) var dominantSpeaker: SfBParticipant?
  /// The meeting's title; empty until it is known.
  @SfBObserved open internal(set) var subject = ""

  /// Messages, and who came and went.
  open private(set) var historyService: SfBHistoryService
  open private(set) var chatService: SfBChatService
  open private(set) var audioService: SfBAudioService
  open private(set) var videoService: SfBVideoService

  /// Receives the alerts of this conversation.
  open var alertDelegate: (any SfBAlertDelegate)? {
    get { alerts.delegate }
    set { alerts.delegate = newValue }
  }

  /// Whether ``leave()`` can be called.
  open var canLeave: Bool { state != .idle && !isEnding }

  override class var keys: [ObservableKey] {
    [
      .value("state", \SfBConversation.state),
      .array("remoteParticipants", \SfBConversation.remoteParticipants),
      .value("dominantSpeaker", \SfBConversation.dominantSpeaker),
      .value("subject", \SfBConversation.subject),
      .value("canLeave", \SfBConversation.canLeave),
      .value("selfParticipant", \SfBConversation.selfParticipant),
      .value("historyService", \SfBConversation.historyService),
      .value("chatService", \SfBConversation.chatService),
      .value("audioService", \SfBConversation.audioService),
      .value("videoService", \SfBConversation.videoService),
    ]
  }

  let meeting: Meeting
  let application: SfBApplication
  let alerts = AlertQueue()
  /// The server's name, which the participants' addresses end with.
  let host: String
  /// The guest's permissions; empty while they aren't known.
  @SfBObserved var permissions: Set<ParticipantPermission> = []
  /// Whether the server cannot be reached just now.
  var isServerLost = false
  /// Whether an alert has reported the present loss of the connection.
  var isLossTold = false
  /// Whether it is being ended: nothing can be started any more, while what runs is stopped.
  @SfBObserved private var isEnding = false
  private var reader: Task<Void, Never>?
  private var joining: Task<Void, Never>?

  init(_ meeting: Meeting, host: String, application: SfBApplication) {
    self.meeting = meeting
    self.host = host
    self.application = application
    let person = SfBPerson(name: meeting.local.name, sipUri: SfBPerson.address("guest", at: host))
    selfParticipant = SfBParticipant(person, remote: nil)
    historyService = SfBHistoryService()
    chatService = SfBChatService(internal: ())
    audioService = SfBAudioService(internal: ())
    videoService = SfBVideoService(internal: ())
    super.init(internal: ())
    for service in [chatService, audioService, videoService] as [SfBConversationService] {
      service.conversation = self
    }
    selfParticipant.conversation = self
  }

  /// Leaves the meeting. ``state`` is `idle` when this returns; the message to the server is still under way.
  ///
  /// - Throws: `actionNotAvailable` when there is nothing to leave.
  open func leave() throws {
    guard canLeave else {
      throw SfBError.actionNotAvailable.because("The conversation cannot be left: it is over already.")
    }
    leaveIfNeeded()
  }

  func leaveIfNeeded() {
    guard canLeave else { return }
    application.leave(self)
    finish()
  }

  /// Starts to join, once the earlier meetings are left.
  func begin(after earlier: Task<Void, Never>?) {
    let (meeting, events) = (meeting, meeting.events)
    reader = Task { [weak self] in
      for await event in events {
        guard let self else { return }
        self.take(event)
      }
    }
    joining = Task {
      await earlier?.value
      // Failures come as events, like every other end.
      try? await meeting.join()
    }
  }

  /// Whether the others can be seen, heard and written to.
  var isEstablished: Bool { state == .established && !isEnding }

  /// Whether this guest wrote a message, in this conversation or in one before it.
  func isOwn(_ message: ChatMessage) -> Bool { meeting.isOwn(message) || application.ownIDs.contains(message.from) }

  /// Whether the server lets this guest do something, as far as it has said.
  func may(_ permission: ParticipantPermission) -> Bool { permissions.isEmpty || permissions.contains(permission) }

  /// Ends the conversation: releases everything, and reports the state last.
  func finish() {
    guard state != .idle, !isEnding else { return }
    isEnding = true
    reader?.cancel()
    for service in [videoService, audioService, chatService] as [SfBConversationService] { service.end() }
    let gone = remoteParticipants
    dominantSpeaker = nil
    remoteParticipants = []
    for participant in gone + [selfParticipant] { participant.end() }
    state = .idle
    application.letGo(of: self)
  }

  func participant(_ remote: RemoteParticipant?) -> SfBParticipant? {
    remote.flatMap { remote in remoteParticipants.first { $0.remote === remote } }
  }
}
