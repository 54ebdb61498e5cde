// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

public import Foundation

/// The messages of a list: those of a chat, with a tag, of a sender, or that refer to another message.
@preconcurrency @MainActor public final class BBMChatMessageCriteria {
  public var chatId: String!
  public var tag: String!
  public var senderUri: String!
  public var ref: BBMChatMessageCriteria_Ref!

  /// Criteria that every message meets.
  public init() {}

  var fields: [String: Any] {
    var fields: [String: Any] = [:]
    fields["chatId"] = chatId
    fields["tag"] = tag
    fields["senderUri"] = senderUri
    fields["ref"] = ref?.fields
    return fields
  }
}

/// The message that others refer to.
@preconcurrency @MainActor public final class BBMChatMessageCriteria_Ref {
  public var tag: String!
  public var messageId: UInt64 = 0

  /// A reference to nothing yet.
  public init() {}

  var fields: [String: Any] {
    var fields: [String: Any] = ["messageId": "\(messageId)"]
    fields["tag"] = tag
    return fields
  }
}

/// The participants of a list: those of a chat.
@preconcurrency @MainActor public final class BBMChatParticipantCriteria {
  public var chatId: String!

  /// Criteria that every participant meets.
  public init() {}

  var fields: [String: Any] { (chatId as String?).map { ["chatId": $0] } ?? [:] }
}

/// The chats of a list: those of a mailbox.
@preconcurrency @MainActor public final class BBMChatCriteria {
  public var mailboxId: String!

  /// Criteria that every chat meets.
  public init() {}

  var fields: [String: Any] { (mailboxId as String?).map { ["mailboxId": $0] } ?? [:] }
}

/// The users of a list: the one of a number.
@preconcurrency @MainActor public final class BBMUserCriteria {
  public var regId: NSNumber!

  /// Criteria that every user meets.
  public init() {}

  var fields: [String: Any] { (regId as NSNumber?).map { ["regId": $0.stringValue] } ?? [:] }
}
