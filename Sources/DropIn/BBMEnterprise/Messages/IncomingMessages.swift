// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

public import Foundation

/// A chat was not started.
@preconcurrency @MainActor public final class BBMChatStartFailedMessage: BBMJSONMessage {
  public var reason: BBMChatStartFailedMessageReason { BBMChatStartFailedMessageReason(fields["reason"]) }
  public var cookie: String! { self[text: "cookie"] }
  /// The chat that is there already.
  public var chatId: String! { self[text: "chatId"] }
}

/// A passcode was of no use, or the keys could not be reached.
@preconcurrency @MainActor public final class BBMSyncErrorMessage: BBMJSONMessage {
  /// `IncorrectPasscode`, `Timeout` or `Failure`.
  public var error: String! { self[text: "error"] }
}

/// The setup cannot go on as it is.
@preconcurrency @MainActor public final class BBMSetupErrorMessage: BBMJSONMessage {
  public var error: String! { self[text: "error"] }
}

/// Whether the passcode was changed.
@preconcurrency @MainActor public final class BBMSyncPasscodeChangeResultMessage: BBMJSONMessage {
  /// `Success` or `TemporaryFailure`.
  public var result: String! { self[text: "result"] }
  public var cookie: String! { self[text: "cookie"] }
}

/// The identities that were looked up. Unknown ones are left out.
@preconcurrency @MainActor public final class BBMIdentitiesMessage: BBMJSONMessage {
  /// `Success` or `Failure`.
  public var result: String! { self[text: "result"] }
  public var cookie: String! { self[text: "cookie"] }
  /// Each has `appUserId` and `regId`.
  public var info: [Any]! { self[list: "info"] }
}

/// The PINs of identities.
@preconcurrency @MainActor public final class BBMPinResultMessage: BBMJSONMessage {
  /// `Success`, or `Failure` when the service could not be asked: then `pins` lacks users that there are.
  public var result: String! { self[text: "result"] }
  public var cookie: String! { self[text: "cookie"] }
  /// Each has `regId` and `pin`.
  public var pins: [Any]! { self[list: "pins"] }
}

@preconcurrency @MainActor public final class BBMEndpointsMessage: BBMJSONMessage {
  public var result: String! { self[text: "result"] }
  public var cookie: String! { self[text: "cookie"] }
  public var maxEndpoints: NSNumber! { self[number: "maxEndpoints"] }
  public var registeredEndpoints: [Any]! { self[list: "registeredEndpoints"] }
}

/// Whether the endpoint was named.
@preconcurrency @MainActor public final class BBMEndpointUpdateResultMessage: BBMJSONMessage {
  public var result: String! { self[text: "result"] }
  public var cookie: String! { self[text: "cookie"] }
}

/// Whether an endpoint was removed.
@preconcurrency @MainActor public final class BBMEndpointDeregisterResultMessage: BBMJSONMessage {
  public var result: String! { self[text: "result"] }
  public var cookie: String! { self[text: "cookie"] }
}

/// This endpoint was removed by another one, and its data with it.
@preconcurrency @MainActor public final class BBMEndpointDeregisteredMessage: BBMJSONMessage {
}

/// The participants who have a message, and those who have read it.
@preconcurrency @MainActor public final class BBMChatMessageStateMessage: BBMJSONMessage {
  public var chatId: String! { self[text: "chatId"] }
  public var messageId: UInt64 { self[id: "messageId"] }
  public var cookie: String! { self[text: "cookie"] }
  /// Each has `userUri`, `state` and `timestamp`.
  public var states: [Any]! { self[list: "states"] }
}

/// When a participant was last active.
@preconcurrency @MainActor public final class BBMChatParticipantTimesMessage: BBMJSONMessage {
  public var chatId: String! { self[text: "chatId"] }
  public var userUri: String! { self[text: "userUri"] }
  public var cookie: String! { self[text: "cookie"] }
  public var lastDelivered: UInt64 { self[id: "lastDelivered"] }
  public var lastRead: UInt64 { self[id: "lastRead"] }
}

/// Something that another endpoint has sent to those that are connected.
@preconcurrency @MainActor public final class BBMChatEventMessage: BBMJSONMessage {
  public var chatId: String! { self[text: "chatId"] }
  public var userUri: String! { self[text: "userUri"] }
  public var tag: String! { self[text: "tag"] }
  public var data: [AnyHashable: Any]! { self[dictionary: "data"] }
}

@preconcurrency @MainActor public final class BBMSearchResultMessage: BBMJSONMessage {
  public var cookie: String! { self[text: "cookie"] }
  /// Each has `chatId` and `messageId`.
  public var results: [Any]! { self[list: "results"] }
}

@preconcurrency @MainActor public final class BBMProfileKeysMessage: BBMJSONMessage {
  public var privateKeys: [AnyHashable: Any]! { self[dictionary: "privateKeys"] }
  public var publicKeys: [AnyHashable: Any]! { self[dictionary: "publicKeys"] }
}

/// A chat's key. It names no chat: the cookie of the request does.
@preconcurrency @MainActor public final class BBMChatKeyMessage: BBMJSONMessage {
  public var cookie: String! { self[text: "cookie"] }
  public var key: String! { self[text: "key"] }
}

/// The identity's keys are of no use.
@preconcurrency @MainActor public final class BBMProfileKeysImportFailureMessage: BBMJSONMessage {
}

/// Others' public keys are of no use.
@preconcurrency @MainActor public final class BBMUserKeysImportFailureMessage: BBMJSONMessage {
  public var regIds: [Any]! { self[list: "regIds"] }
}

/// Chats' keys are of no use.
@preconcurrency @MainActor public final class BBMChatKeysImportFailureMessage: BBMJSONMessage {
  public var mailboxIds: [String]! { self[texts: "mailboxIds"] }
}
