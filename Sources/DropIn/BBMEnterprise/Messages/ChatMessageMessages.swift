// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

public import Foundation

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
  public var filePolicy: BBMChatMessageSendMessageFilePolicy {
    get { self[state: "filePolicy"] }
    set { self[state: "filePolicy"] = newValue }
  }
  /// The path of a preview.
  public var thumb: String! {
    get { self[text: "thumb"] }
    set { self[text: "thumb"] = newValue }
  }
  public var thumbPolicy: BBMChatMessageSendMessageThumbPolicy {
    get { self[state: "thumbPolicy"] }
    set { self[state: "thumbPolicy"] = newValue }
  }
  /// Without effect: the message is as any other.
  public var isControl: Bool {
    get { self[flag: "isControl"] }
    set { self[flag: "isControl"] = newValue }
  }
  /// Without effect: the server counts every message.
  public var neverCountUnread: Bool {
    get { self[flag: "neverCountUnread"] }
    set { self[flag: "neverCountUnread"] = newValue }
  }
  /// As ``BBMChatMessageSendMessage_Ref``.
  public var ref: [Any]! {
    get { self[list: "ref"] }
    set { self[list: "ref"] = newValue }
  }

  /// A message without content yet.
  public init!(chatId: String!, tag: String!) {
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

  public init!(chatId: String!, messageId: UInt64) {
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

  public init!(chatId: String!, messageId: UInt64) {
    super.init(name: "chatMessageDelete")
    self.chatId = chatId
    self.messageId = messageId
  }
}

/// Takes messages of the local user back, on everybody's endpoints.
@preconcurrency @MainActor open class BBMChatMessageDestroyMessage: BBMJSONMessage {
  public var chatId: String! {
    get { self[text: "chatId"] }
    set { self[text: "chatId"] = newValue }
  }
  /// Nil for all of the local user's messages in the chat.
  public var messageId: NSNumber! {
    get { self[number: "messageId"] }
    set { self[text: "messageId"] = newValue?.stringValue }
  }

  /// Takes all messages back, unless ``messageId`` is set.
  public init!(chatId: String!) {
    super.init(name: "chatMessageDestroy")
    self.chatId = chatId
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
  public init!(chatId: String!, messageId: UInt64) {
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

  public init!(chatId: String!, messageId: UInt64) {
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
  public init!(chatId: String!, messageId: UInt64) {
    super.init(name: "chatMessageStateGet")
    self.chatId = chatId
    self.messageId = messageId
  }
}
