// The choices in messages of the app. Their types are known from the SDK's reference, their constants follow its rule,
// and their numbers the order of the names, as its published ones do.

/// The treatment of a file once its message is sent.
public struct BBMChatMessageSendMessageFilePolicy: NamedState, Hashable, Sendable {
  public let rawValue: UInt32
  /// A policy by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  static let names = ["Copy", "Delete", "Move"]
}

/// The file stays where it is.
public let kBBMChatMessageSendMessage_FilePolicy_Unspecified = BBMChatMessageSendMessageFilePolicy(rawValue: 0)
public let kBBMChatMessageSendMessage_FilePolicyCopy = BBMChatMessageSendMessageFilePolicy(rawValue: 1)
public let kBBMChatMessageSendMessage_FilePolicyDelete = BBMChatMessageSendMessageFilePolicy(rawValue: 2)
public let kBBMChatMessageSendMessage_FilePolicyMove = BBMChatMessageSendMessageFilePolicy(rawValue: 3)

/// The treatment of a preview's file. It has no effect: the preview is in the message.
public struct BBMChatMessageSendMessageThumbPolicy: NamedState, Hashable, Sendable {
  public let rawValue: UInt32
  /// A policy by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  static let names = ["Copy", "Delete", "Move"]
}

public let kBBMChatMessageSendMessage_ThumbPolicy_Unspecified = BBMChatMessageSendMessageThumbPolicy(rawValue: 0)
public let kBBMChatMessageSendMessage_ThumbPolicyCopy = BBMChatMessageSendMessageThumbPolicy(rawValue: 1)
public let kBBMChatMessageSendMessage_ThumbPolicyDelete = BBMChatMessageSendMessageThumbPolicy(rawValue: 2)
public let kBBMChatMessageSendMessage_ThumbPolicyMove = BBMChatMessageSendMessageThumbPolicy(rawValue: 3)

/// The participants who may invite others to a new chat.
public struct BBMChatStartMessageInvitePolicy: NamedState, Hashable, Sendable {
  public let rawValue: UInt32
  /// A policy by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  static let names = ["AdminsOnly", "ParticipantsOnly"]
}

public let kBBMChatStartMessage_InvitePolicy_Unspecified = BBMChatStartMessageInvitePolicy(rawValue: 0)
public let kBBMChatStartMessage_InvitePolicyAdminsOnly = BBMChatStartMessageInvitePolicy(rawValue: 1)
public let kBBMChatStartMessage_InvitePolicyParticipantsOnly = BBMChatStartMessageInvitePolicy(rawValue: 2)

/// The use of a passcode.
public struct BBMSyncStartMessageAction: NamedState, Hashable, Sendable {
  public let rawValue: UInt32
  /// An action by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  static let names = ["Existing", "New"]
}

/// As `kBBMSyncStartMessage_ActionExisting`.
public let kBBMSyncStartMessage_Action_Unspecified = BBMSyncStartMessageAction(rawValue: 0)
/// Opens the keys that are there.
public let kBBMSyncStartMessage_ActionExisting = BBMSyncStartMessageAction(rawValue: 1)
public let kBBMSyncStartMessage_ActionNew = BBMSyncStartMessageAction(rawValue: 2)

/// The tag of messages that are text.
public let kBBMChatMessageSendMessage_TagText = "Text"
