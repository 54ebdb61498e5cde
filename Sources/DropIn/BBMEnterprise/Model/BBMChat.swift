// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

public import Foundation

/// A conversation of two or more identities, which outlasts the app.
@preconcurrency @MainActor public final class BBMChat: BBMElement {
  /// Its name on this endpoint.
  public var chatId: String! { text("chatId") }
  /// Its name on every endpoint.
  public var mailboxId: String! { text("mailboxId") }
  public var subject: String! { text("subject") }
  public var state: BBMChatState { BBMChatState(field("state")) }
  public var keyState: BBMChatKeyState { BBMChatKeyState(field("keyState")) }
  public var invitePolicy: BBMChatInvitePolicy { BBMChatInvitePolicy(field("invitePolicy")) }
  /// The messages that are there; their ids are the last ones up to ``lastMessage``.
  public var numMessages: UInt64 { integer("numMessages") }
  public var lastMessage: UInt64 { integer("lastMessage") }
  public var numUnread: UInt64 { integer("numUnread") }
  /// In seconds since 1970.
  public var lastActivity: UInt64 { integer("lastActivity") }
  /// The message before which nothing was restored on this endpoint.
  public var restorePoint: UInt64 { integer("restorePoint") }
  /// The app's data that every participant has.
  public var data: [AnyHashable: Any]! { dictionary("data") }
  /// The app's data on this endpoint.
  public var localData: [AnyHashable: Any]! { dictionary("localData") }
  /// The app's data on the identity's endpoints.
  public var privateData: [AnyHashable: Any]! { dictionary("privateData") }
  /// A set of letters: `A` administrator, `H` hidden, `O` one to one, `K` the key is missing.
  public var flags: String! { text("flags") }
  public var isAdminFlagSet: Bool { isFlagged("A") }
  public var isHiddenFlagSet: Bool { isFlagged("H") }
  public var isOneToOneFlagSet: Bool { isFlagged("O") }
  public var isMissingChatKeyFlagSet: Bool { isFlagged("K") }
}

/// A message of a chat.
@preconcurrency @MainActor public final class BBMChatMessage: BBMElement {
  public var chatId: String! { text("chatId") }
  /// Counts from 1 in each chat.
  public var messageId: UInt64 { integer("messageId") }
  /// The kind of message; see `BBMChatMessageSendMessage`.
  public var tag: String! { text("tag") }
  public var content: String! { text("content") }
  /// The app's data, as ``rawData``, and the rest of it.
  public var data: [AnyHashable: Any]! { dictionary("data") }
  public var rawData: [AnyHashable: Any]! { dictionary("data") }
  /// The path of the attached file, once it is here.
  public var file: String! { text("file") }
  public var fileSize: NSNumber! { number("fileSize") }
  public var fileState: BBMChatMessageFileState { BBMChatMessageFileState(field("fileState")) }
  /// The path of the attached preview.
  public var thumb: String! { text("thumb") }
  /// In seconds since 1970.
  public var timestamp: UInt64 { integer("timestamp") }
  public var senderUri: String! { text("senderUri") }
  public var state: BBMChatMessageState { BBMChatMessageState(field("state")) }
  /// Whether ``state`` does not hold for all participants yet.
  public var stateIsPartial: Bool { bool("stateIsPartial") }
  public var recall: BBMChatMessageRecall { BBMChatMessageRecall(field("recall")) }
  /// The messages that it refers to, as ``BBMChatMessage_Ref``.
  public var ref: [Any]! { (field("ref") as? [[String: Any]])?.map { BBMChatMessage_Ref($0) } }
  /// The messages that refer to it, as ``BBMChatMessage_RefBy``.
  public var refBy: [Any]! { (field("refBy") as? [[String: Any]])?.map { BBMChatMessage_RefBy($0) } }
  /// The app's data on this endpoint.
  public var localData: [AnyHashable: Any]! { dictionary("localData") }
  public var externalId: String! { text("externalId") }
  /// A set of letters: `I` incoming, `D` deleted, `U` unverified, `C` control, `N` never counted as unread.
  public var flags: String! { text("flags") }
  public var isIncomingFlagSet: Bool { isFlagged("I") }
  public var isDeletedFlagSet: Bool { isFlagged("D") }
  /// Whether the sender's signature is wrong or could not be checked.
  public var isUnverifiedFlagSet: Bool { isFlagged("U") }
  public var isControlFlagSet: Bool { isFlagged("C") }
  public var isNeverCountUnreadFlagSet: Bool { isFlagged("N") }
  public var resolvedChatId: BBMChat! { model?.chat(id: chatId) }
  public var resolvedSenderUri: BBMUser! { model?.user(uri: senderUri) }
}

/// A message that another one refers to.
public final class BBMChatMessage_Ref {
  public let tag: String!
  public let messageId: UInt64

  init(_ fields: [String: Any]) {
    tag = fields["tag"] as? String
    messageId = FieldValue.integer(fields["messageId"]) ?? 0
  }
}

/// How many messages refer to one, by their tag.
public final class BBMChatMessage_RefBy {
  public let tag: String!
  public let count: UInt64
  /// The newest of them.
  public let newestRef: UInt64

  init(_ fields: [String: Any]) {
    tag = fields["tag"] as? String
    count = FieldValue.integer(fields["count"]) ?? 0
    newestRef = FieldValue.integer(fields["newestRef"]) ?? 0
  }
}

/// The key of a message in ``BBMDSGeneratedModel/chatMessage``.
public struct BBMChatMessageKey: Hashable, Sendable {
  public let chatId: String
  public let messageId: UInt64

  /// The key of a message.
  public init!(chatId: String!, messageId: UInt64) {
    self.chatId = chatId ?? ""
    self.messageId = messageId
  }

  var text: String { "\(chatId)|\(messageId)" }
}
