/// Is notified of changes in a conversation. Everything is optional; of two spellings implement one.
@preconcurrency @MainActor public protocol SfBConversationHelperDelegate: AnyObject {
  /// Whose picture is watched and sent; nil when there is none to see. The spelling of Swift 3 and later.
  func conversationHelper(_ conversationHelper: SfBConversationHelper, didSubscribeTo video: SfBParticipantVideo?)
  /// The same, in the spelling of Swift 2.
  func conversationHelper(_ conversationHelper: SfBConversationHelper, didSubscribeToVideo video: SfBParticipantVideo?)
  /// A message came.
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
  /// Whether the own sound is connected. The spelling of Swift 3 and later.
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
  /// Whether the own sound is muted; versions before 1.0.
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, selfAudio audio: SfBParticipantAudio, didChangeIsMuted isMuted: Bool)
  /// Where sound comes out.
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, speaker: SfBSpeaker,
    didChangeActiveEndpoint endpoint: SfBSpeakerEndpoint)
  /// Whether video can be started. Apps start it here.
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, videoService: SfBVideoService, didChangeCanStart canStart: Bool)
  /// Which camera is in use, as the SDK's helper declares it. That none is any more is not told.
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, videoService: SfBVideoService,
    didChangeActiveCamera activeCamera: SfBCamera)
  /// The same, for apps that declare it with a question mark; nil when no camera is in use.
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, videoService: SfBVideoService,
    didChangeActiveCamera activeCamera: SfBCamera?)
  /// Whether the own picture is sent. The spelling of Swift 3 and later.
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, selfVideo video: SfBParticipantVideo,
    didChange state: SfBParticipantServiceState)
  /// The same, in the spelling of Swift 2.
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, selfVideo video: SfBParticipantVideo,
    didChangeState state: SfBParticipantServiceState)
  /// Whether the own picture is paused.
  func conversationHelper(
    _ conversationHelper: SfBConversationHelper, selfVideo video: SfBParticipantVideo, didChangeIsPaused isPaused: Bool)
}

extension SfBConversationHelperDelegate {
  /// Does nothing.
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, didSubscribeTo video: SfBParticipantVideo?
  ) {}
  /// Does nothing.
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, didSubscribeToVideo video: SfBParticipantVideo?
  ) {}
  /// Does nothing.
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, didReceiveMessage message: SfBMessageActivityItem
  ) {}
  /// Does nothing.
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, conversation: SfBConversation, didChange state: SfBConversationState
  ) {}
  /// Does nothing.
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, conversation: SfBConversation,
    didChangeState state: SfBConversationState
  ) {}
  /// Does nothing.
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, chatService: SfBChatService,
    didChangeCanSendMessage canSendMessage: Bool
  ) {}
  /// Does nothing.
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, selfAudio audio: SfBParticipantAudio,
    didChange state: SfBParticipantServiceState
  ) {}
  /// Does nothing.
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, selfAudio audio: SfBParticipantAudio,
    didChangeState state: SfBParticipantServiceState
  ) {}
  /// Does nothing.
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, audioService: SfBAudioService,
    didChangeMuted muted: SfBAudioServiceMuteState
  ) {}
  /// Does nothing.
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, selfAudio audio: SfBParticipantAudio, didChangeIsMuted isMuted: Bool
  ) {}
  /// Does nothing.
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, speaker: SfBSpeaker,
    didChangeActiveEndpoint endpoint: SfBSpeakerEndpoint
  ) {}
  /// Does nothing.
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, videoService: SfBVideoService, didChangeCanStart canStart: Bool
  ) {}
  /// Does nothing.
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, videoService: SfBVideoService,
    didChangeActiveCamera activeCamera: SfBCamera
  ) {}
  /// Does nothing.
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, videoService: SfBVideoService,
    didChangeActiveCamera activeCamera: SfBCamera?
  ) {}
  /// Does nothing.
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, selfVideo video: SfBParticipantVideo,
    didChange state: SfBParticipantServiceState
  ) {}
  /// Does nothing.
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, selfVideo video: SfBParticipantVideo,
    didChangeState state: SfBParticipantServiceState
  ) {}
  /// Does nothing.
  public func conversationHelper(
    _ conversationHelper: SfBConversationHelper, selfVideo video: SfBParticipantVideo, didChangeIsPaused isPaused: Bool
  ) {}
}
