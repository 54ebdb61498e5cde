/// Is notified of changes in a conversation. Everything is optional; of two spellings implement one.
@preconcurrency @MainActor public protocol SfBConversationHelperDelegate: AnyObject {
  /// The video that is watched and sent; nil when there is none to see. The spelling of Swift 3 and later.
  func conversationHelper(_ conversationHelper: SfBConversationHelper, didSubscribeTo video: SfBParticipantVideo?)
  /// The same, in the spelling of Swift 2.
  func conversationHelper(_ conversationHelper: SfBConversationHelper, didSubscribeToVideo video: SfBParticipantVideo?)
  /// Somebody else's message came.
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, didReceiveMessage message: SfBMessageActivityItem)
  /// The conversation's state. The spelling of Swift 3 and later.
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, conversation: SfBConversation, didChange state: SfBConversationState)
  /// The same, in the spelling of Swift 2.
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, conversation: SfBConversation,
    didChangeState state: SfBConversationState)
  /// Whether messages can be sent.
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, chatService: SfBChatService,
    didChangeCanSendMessage canSendMessage: Bool)
  /// Whether the guest's own audio is connected. The spelling of Swift 3 and later.
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, selfAudio audio: SfBParticipantAudio,
    didChange state: SfBParticipantServiceState)
  /// The same, in the spelling of Swift 2.
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, selfAudio audio: SfBParticipantAudio,
    didChangeState state: SfBParticipantServiceState)
  /// Whether the others hear this guest; version 1.0 of the SDK and later.
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, audioService: SfBAudioService,
    didChangeMuted muted: SfBAudioServiceMuteState)
  /// Whether the guest's own audio is muted; versions before 1.0.
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, selfAudio audio: SfBParticipantAudio, didChangeIsMuted isMuted: Bool)
  /// The audio output changed.
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, speaker: SfBSpeaker,
    didChangeActiveEndpoint endpoint: SfBSpeakerEndpoint)
  /// Whether video can be started. Apps start it here.
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, videoService: SfBVideoService, didChangeCanStart canStart: Bool)
  /// The camera in use, as the SDK's helper declares it. It isn't called when none is in use any more.
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, videoService: SfBVideoService,
    didChangeActiveCamera activeCamera: SfBCamera)
  /// The same, for apps that declare it with a question mark; nil when no camera is in use.
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, videoService: SfBVideoService,
    didChangeActiveCamera activeCamera: SfBCamera?)
  /// Whether the guest's own video is sent. The spelling of Swift 3 and later.
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, selfVideo video: SfBParticipantVideo,
    didChange state: SfBParticipantServiceState)
  /// The same, in the spelling of Swift 2.
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, selfVideo video: SfBParticipantVideo,
    didChangeState state: SfBParticipantServiceState)
  /// Whether the guest's own video is paused.
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, selfVideo video: SfBParticipantVideo, didChangeIsPaused isPaused: Bool)
}

extension SfBConversationHelperDelegate {
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, didSubscribeTo video: SfBParticipantVideo?
  ) {}
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, didSubscribeToVideo video: SfBParticipantVideo?
  ) {}
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, didReceiveMessage message: SfBMessageActivityItem
  ) {}
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, conversation: SfBConversation, didChange state: SfBConversationState
  ) {}
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, conversation: SfBConversation,
    didChangeState state: SfBConversationState
  ) {}
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, chatService: SfBChatService,
    didChangeCanSendMessage canSendMessage: Bool
  ) {}
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, selfAudio audio: SfBParticipantAudio,
    didChange state: SfBParticipantServiceState
  ) {}
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, selfAudio audio: SfBParticipantAudio,
    didChangeState state: SfBParticipantServiceState
  ) {}
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, audioService: SfBAudioService,
    didChangeMuted muted: SfBAudioServiceMuteState
  ) {}
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, selfAudio audio: SfBParticipantAudio, didChangeIsMuted isMuted: Bool
  ) {}
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, speaker: SfBSpeaker,
    didChangeActiveEndpoint endpoint: SfBSpeakerEndpoint
  ) {}
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, videoService: SfBVideoService, didChangeCanStart canStart: Bool
  ) {}
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, videoService: SfBVideoService,
    didChangeActiveCamera activeCamera: SfBCamera
  ) {}
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, videoService: SfBVideoService,
    didChangeActiveCamera activeCamera: SfBCamera?
  ) {}
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, selfVideo video: SfBParticipantVideo,
    didChange state: SfBParticipantServiceState
  ) {}
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, selfVideo video: SfBParticipantVideo,
    didChangeState state: SfBParticipantServiceState
  ) {}
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, selfVideo video: SfBParticipantVideo, didChangeIsPaused isPaused: Bool
  ) {}
}
