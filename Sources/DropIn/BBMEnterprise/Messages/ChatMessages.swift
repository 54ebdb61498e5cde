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
  public var invitePolicy: BBMChatStartMessageInvitePolicy {
    get { self[state: "invitePolicy"] }
    set { self[state: "invitePolicy"] = newValue }
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
  public init!(invitees: [Any]!) {
    super.init(name: "chatStart")
    self.invitees = invitees
  }
  /// A chat with a subject.
  public init!(invitees: [Any]!, subject: String!) {
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

  public init!(chatId: String!, invitees: [Any]!) {
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

  public init!(chatIds: [String]!) {
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

  public init!(chatIds: [String]!) {
    super.init(name: "chatHide")
    self.chatIds = chatIds
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

  public init!(chatId: String!) {
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
  public init!(chatId: String!, tag: String!) {
    super.init(name: "chatEventSend")
    self.chatId = chatId
    self.tag = tag
  }
}
