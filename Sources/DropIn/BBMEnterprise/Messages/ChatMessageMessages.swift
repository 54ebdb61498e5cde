// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

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
