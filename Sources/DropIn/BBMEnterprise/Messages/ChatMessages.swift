// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

/// Starts a chat. The answer is the chat in the data model, or a ``BBMChatStartFailedMessage``.
@preconcurrency @MainActor open class BBMChatStartMessage: BBMJSONMessage {
  /// Comes back in the answer.
  public var cookie: String! {
    get { self[text: "cookie"] }
    set { self[text: "cookie"] = newValue }
  }
  /// As ``BBMChatStartMessage_Invitees``.
  public var invitees: [Any]! {
    get { self[list: "invitees"] }
    set { self[list: "invitees"] = newValue }
  }
  public var subject: String! {
    get { self[text: "subject"] }
    set { self[text: "subject"] = newValue }
  }
  /// Whether it is the one chat of two.
  public var isOneToOne: Bool {
    get { self[flag: "isOneToOne"] }
    set { self[flag: "isOneToOne"] = newValue }
  }
  /// `AdminsOnly` or `ParticipantsOnly`.
  public var invitePolicy: String! {
    get { self[text: "invitePolicy"] }
    set { self[text: "invitePolicy"] = newValue }
  }
  public var data: [AnyHashable: Any]! {
    get { self[dictionary: "data"] }
    set { self[dictionary: "data"] = newValue }
  }
  public var localData: [AnyHashable: Any]! {
    get { self[dictionary: "localData"] }
    set { self[dictionary: "localData"] = newValue }
  }
  public var privateData: [AnyHashable: Any]! {
    get { self[dictionary: "privateData"] }
    set { self[dictionary: "privateData"] = newValue }
  }

  /// A chat with those whom `BBMChatStartMessage_Invitees` name.
  public init(invitees: [Any]!) {
    super.init(name: "chatStart")
    self.invitees = invitees
  }
  /// A chat with a subject.
  public init(invitees: [Any]!, subject: String!) {
    super.init(name: "chatStart")
    self.invitees = invitees
    self.subject = subject
  }
}

/// Invites others to a chat, and those again who have not answered.
@preconcurrency @MainActor open class BBMChatInviteMessage: BBMJSONMessage {
  public var chatId: String! {
    get { self[text: "chatId"] }
    set { self[text: "chatId"] = newValue }
  }
  /// As ``BBMChatInviteMessage_Invitees``.
  public var invitees: [Any]! {
    get { self[list: "invitees"] }
    set { self[list: "invitees"] = newValue }
  }

  public init(chatId: String!, invitees: [Any]!) {
    super.init(name: "chatInvite")
    self.chatId = chatId
    self.invitees = invitees
  }
}

/// Leaves chats, which are removed.
@preconcurrency @MainActor open class BBMChatLeaveMessage: BBMJSONMessage {
  public var chatIds: [String]! {
    get { self[texts: "chatIds"] }
    set { self[texts: "chatIds"] = newValue }
  }

  public init(chatIds: [String]!) {
    super.init(name: "chatLeave")
    self.chatIds = chatIds
  }
}

/// Hides chats until a message comes.
@preconcurrency @MainActor open class BBMChatHideMessage: BBMJSONMessage {
  public var chatIds: [String]! {
    get { self[texts: "chatIds"] }
    set { self[texts: "chatIds"] = newValue }
  }

  public init(chatIds: [String]!) {
    super.init(name: "chatHide")
    self.chatIds = chatIds
  }
}

/// Sends a message to a chat. The tag is a text of the app, or one that the SDK knows, such as `Text`, `Picture` and
/// `File`.
@preconcurrency @MainActor open class BBMChatMessageSendMessage: BBMJSONMessage {
  public var chatId: String! {
    get { self[text: "chatId"] }
    set { self[text: "chatId"] = newValue }
  }
  public var tag: String! {
    get { self[text: "tag"] }
    set { self[text: "tag"] = newValue }
  }
  /// At most 2,000 characters.
  public var content: String! {
    get { self[text: "content"] }
    set { self[text: "content"] = newValue }
  }
  /// At most 71,680 bytes together with content and preview.
  public var data: [AnyHashable: Any]! {
    get { self[dictionary: "data"] }
    set { self[dictionary: "data"] = newValue }
  }
  /// The same as ``data``.
  public var rawData: [AnyHashable: Any]! {
    get { data }
    set { data = newValue }
  }
  /// The path of a file of at most 128 MB.
  public var file: String! {
    get { self[text: "file"] }
    set { self[text: "file"] = newValue }
  }
  /// `Copy`, `Move` or `Delete`.
  public var filePolicy: String! {
    get { self[text: "filePolicy"] }
    set { self[text: "filePolicy"] = newValue }
  }
  /// The path of a preview.
  public var thumb: String! {
    get { self[text: "thumb"] }
    set { self[text: "thumb"] = newValue }
  }
  public var thumbPolicy: String! {
    get { self[text: "thumbPolicy"] }
    set { self[text: "thumbPolicy"] = newValue }
  }
  /// As ``BBMChatMessageSendMessage_Ref``.
  public var ref: [Any]! {
    get { self[list: "ref"] }
    set { self[list: "ref"] = newValue }
  }

  /// A message without content yet.
  public init(chatId: String!, tag: String!) {
    super.init(name: "chatMessageSend")
    self.chatId = chatId
    self.tag = tag
  }
}

/// Marks incoming messages up to this one as read.
@preconcurrency @MainActor open class BBMChatMessageReadMessage: BBMJSONMessage {
  public var chatId: String! {
    get { self[text: "chatId"] }
    set { self[text: "chatId"] = newValue }
  }
  public var messageId: UInt64 {
    get { self[id: "messageId"] }
    set { self[id: "messageId"] = newValue }
  }

  public init(chatId: String!, messageId: UInt64) {
    super.init(name: "chatMessageRead")
    self.chatId = chatId
    self.messageId = messageId
  }
}

/// Deletes a message on all of the identity's endpoints.
@preconcurrency @MainActor open class BBMChatMessageDeleteMessage: BBMJSONMessage {
  public var chatId: String! {
    get { self[text: "chatId"] }
    set { self[text: "chatId"] = newValue }
  }
  public var messageId: UInt64 {
    get { self[id: "messageId"] }
    set { self[id: "messageId"] = newValue }
  }

  public init(chatId: String!, messageId: UInt64) {
    super.init(name: "chatMessageDelete")
    self.chatId = chatId
    self.messageId = messageId
  }
}

/// Takes a message back, on everybody's endpoints.
@preconcurrency @MainActor open class BBMChatMessageDestroyMessage: BBMJSONMessage {
  public var chatId: String! {
    get { self[text: "chatId"] }
    set { self[text: "chatId"] = newValue }
  }
  public var messageId: UInt64 {
    get { self[id: "messageId"] }
    set { self[id: "messageId"] = newValue }
  }

  /// Takes a message back.
  public init(chatId: String!, messageId: UInt64) {
    super.init(name: "chatMessageDestroy")
    self.chatId = chatId
    self.messageId = messageId
  }
}

/// Lets go of a file on this endpoint.
@preconcurrency @MainActor open class BBMChatMessageDetachMessage: BBMJSONMessage {
  public var chatId: String! {
    get { self[text: "chatId"] }
    set { self[text: "chatId"] = newValue }
  }
  public var messageId: UInt64 {
    get { self[id: "messageId"] }
    set { self[id: "messageId"] = newValue }
  }
  public var detachFile: Bool {
    get { self[flag: "detachFile"] }
    set { self[flag: "detachFile"] = newValue }
  }
  public var detachThumb: Bool {
    get { self[flag: "detachThumb"] }
    set { self[flag: "detachThumb"] = newValue }
  }

  /// Lets nothing go yet.
  public init(chatId: String!, messageId: UInt64) {
    super.init(name: "chatMessageDetach")
    self.chatId = chatId
    self.messageId = messageId
  }
}

/// Downloads the file of a message.
@preconcurrency @MainActor open class BBMChatMessageFileDownloadMessage: BBMJSONMessage {
  public var chatId: String! {
    get { self[text: "chatId"] }
    set { self[text: "chatId"] = newValue }
  }
  public var messageId: UInt64 {
    get { self[id: "messageId"] }
    set { self[id: "messageId"] = newValue }
  }

  public init(chatId: String!, messageId: UInt64) {
    super.init(name: "chatMessageFileDownload")
    self.chatId = chatId
    self.messageId = messageId
  }
}

/// Asks who has a message and who has read it.
@preconcurrency @MainActor open class BBMChatMessageStateGetMessage: BBMJSONMessage {
  public var chatId: String! {
    get { self[text: "chatId"] }
    set { self[text: "chatId"] = newValue }
  }
  public var messageId: UInt64 {
    get { self[id: "messageId"] }
    set { self[id: "messageId"] = newValue }
  }
  /// Comes back in the answer.
  public var cookie: String! {
    get { self[text: "cookie"] }
    set { self[text: "cookie"] = newValue }
  }

  /// Asks about a message.
  public init(chatId: String!, messageId: UInt64) {
    super.init(name: "chatMessageStateGet")
    self.chatId = chatId
    self.messageId = messageId
  }
}

/// Asks when a participant was last active.
@preconcurrency @MainActor open class BBMChatParticipantTimesGetMessage: BBMJSONMessage {
  public var chatId: String! {
    get { self[text: "chatId"] }
    set { self[text: "chatId"] = newValue }
  }
  public var userUri: String! {
    get { self[text: "userUri"] }
    set { self[text: "userUri"] = newValue }
  }
  /// Comes back in the answer.
  public var cookie: String! {
    get { self[text: "cookie"] }
    set { self[text: "cookie"] = newValue }
  }

  /// Asks about a participant.
  public init(chatId: String!, userUri: String!) {
    super.init(name: "chatParticipantTimesGet")
    self.chatId = chatId
    self.userUri = userUri
  }
}

/// Shows the others for a moment that the user types.
@preconcurrency @MainActor open class BBMChatTypingMessage: BBMJSONMessage {
  public var chatId: String! {
    get { self[text: "chatId"] }
    set { self[text: "chatId"] = newValue }
  }
  public var tag: String! {
    get { self[text: "tag"] }
    set { self[text: "tag"] = newValue }
  }
  public var messageId: UInt64 {
    get { self[id: "messageId"] }
    set { self[id: "messageId"] = newValue }
  }

  public init(chatId: String!) {
    super.init(name: "chatTyping")
    self.chatId = chatId
  }
}

/// Sends something to the endpoints that are connected now.
@preconcurrency @MainActor open class BBMChatEventSendMessage: BBMJSONMessage {
  public var chatId: String! {
    get { self[text: "chatId"] }
    set { self[text: "chatId"] = newValue }
  }
  public var tag: String! {
    get { self[text: "tag"] }
    set { self[text: "tag"] = newValue }
  }
  public var data: [AnyHashable: Any]! {
    get { self[dictionary: "data"] }
    set { self[dictionary: "data"] = newValue }
  }

  /// An event without data.
  public init(chatId: String!, tag: String!) {
    super.init(name: "chatEventSend")
    self.chatId = chatId
    self.tag = tag
  }
}

/// Makes a participant an administrator.
@preconcurrency @MainActor open class BBMParticipantPromoteMessage: BBMJSONMessage {
  public var chatId: String! {
    get { self[text: "chatId"] }
    set { self[text: "chatId"] = newValue }
  }
  public var userUri: String! {
    get { self[text: "userUri"] }
    set { self[text: "userUri"] = newValue }
  }

  public init(chatId: String!, userUri: String!) {
    super.init(name: "participantPromote")
    self.chatId = chatId
    self.userUri = userUri
  }
}

/// Makes an administrator a participant like others.
@preconcurrency @MainActor open class BBMParticipantDemoteMessage: BBMJSONMessage {
  public var chatId: String! {
    get { self[text: "chatId"] }
    set { self[text: "chatId"] = newValue }
  }
  public var userUri: String! {
    get { self[text: "userUri"] }
    set { self[text: "userUri"] = newValue }
  }

  public init(chatId: String!, userUri: String!) {
    super.init(name: "participantDemote")
    self.chatId = chatId
    self.userUri = userUri
  }
}

/// Removes a participant from a chat.
@preconcurrency @MainActor open class BBMParticipantRemoveMessage: BBMJSONMessage {
  public var chatId: String! {
    get { self[text: "chatId"] }
    set { self[text: "chatId"] = newValue }
  }
  public var userUri: String! {
    get { self[text: "userUri"] }
    set { self[text: "userUri"] = newValue }
  }

  public init(chatId: String!, userUri: String!) {
    super.init(name: "participantRemove")
    self.chatId = chatId
    self.userUri = userUri
  }
}
