// The SDK's enumerations are those of C: numbers with global constants, in the order of their names.

/// A state that has a name in the service's messages.
protocol NamedState: RawRepresentable where RawValue == UInt32 {
  /// The names, the first one with the number 1.
  static var names: [String] { get }
  init(rawValue: UInt32)
}

extension NamedState {
  /// The state that a message names; unspecified when there is none of that name.
  init(_ value: Any?) {
    let index = Self.names.firstIndex(of: value as? String ?? "")
    self.init(rawValue: index.map { UInt32($0) + 1 } ?? 0)
  }

  /// The name in messages; nil of the unspecified one.
  var name: String? { rawValue == 0 || rawValue > UInt32(Self.names.count) ? nil : Self.names[Int(rawValue) - 1] }
}

/// How far a chat can be used.
public struct BBMChatState: NamedState, Hashable, Sendable {
  public let rawValue: UInt32
  /// A value by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  static let names = ["Defunct", "Ready", "Restore", "Waiting"]

  /// A value by its name in the service's messages; unspecified when it is none of them.
  init(_ value: Any?) {
    let index = Self.names.firstIndex(of: value as? String ?? "")
    rawValue = index.map { UInt32($0) + 1 } ?? 0
  }
}

/// The service has said nothing, or what this version does not know.
public let kBBMChat_State_Unspecified = BBMChatState(rawValue: 0)
/// The service has dropped it: it can be read until it is removed.
public let kBBMChat_StateDefunct = BBMChatState(rawValue: 1)
/// Its key is missing.
public let kBBMChat_StateWaiting = BBMChatState(rawValue: 4)
/// Its history is being restored.
public let kBBMChat_StateRestore = BBMChatState(rawValue: 3)
/// Messages can be sent.
public let kBBMChat_StateReady = BBMChatState(rawValue: 2)

/// The work to be done with a chat's key, in domains with cloud key storage.
public struct BBMChatKeyState: NamedState, Hashable, Sendable {
  public let rawValue: UInt32
  /// A value by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  static let names = ["Export", "Import", "Synced"]

  /// A value by its name in the service's messages; unspecified when it is none of them.
  init(_ value: Any?) {
    let index = Self.names.firstIndex(of: value as? String ?? "")
    rawValue = index.map { UInt32($0) + 1 } ?? 0
  }
}

/// The service has said nothing, or what this version does not know.
public let kBBMChat_KeyState_Unspecified = BBMChatKeyState(rawValue: 0)
public let kBBMChat_KeyStateExport = BBMChatKeyState(rawValue: 1)
public let kBBMChat_KeyStateImport = BBMChatKeyState(rawValue: 2)
public let kBBMChat_KeyStateSynced = BBMChatKeyState(rawValue: 3)

/// The participants who may invite to a chat.
public struct BBMChatInvitePolicy: NamedState, Hashable, Sendable {
  public let rawValue: UInt32
  /// A value by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  static let names = ["AdminsOnly", "ParticipantsOnly"]

  /// A value by its name in the service's messages; unspecified when it is none of them.
  init(_ value: Any?) {
    let index = Self.names.firstIndex(of: value as? String ?? "")
    rawValue = index.map { UInt32($0) + 1 } ?? 0
  }
}

/// The service has said nothing, or what this version does not know.
public let kBBMChat_InvitePolicy_Unspecified = BBMChatInvitePolicy(rawValue: 0)
public let kBBMChat_InvitePolicyAdminsOnly = BBMChatInvitePolicy(rawValue: 1)
/// Every participant; the default.
public let kBBMChat_InvitePolicyParticipantsOnly = BBMChatInvitePolicy(rawValue: 2)

/// The standing of a participant.
public struct BBMChatParticipantState: NamedState, Hashable, Sendable {
  public let rawValue: UInt32
  /// A value by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  static let names = ["Active", "Left", "Pending"]

  /// A value by its name in the service's messages; unspecified when it is none of them.
  init(_ value: Any?) {
    let index = Self.names.firstIndex(of: value as? String ?? "")
    rawValue = index.map { UInt32($0) + 1 } ?? 0
  }
}

/// The service has said nothing, or what this version does not know.
public let kBBMChatParticipant_State_Unspecified = BBMChatParticipantState(rawValue: 0)
public let kBBMChatParticipant_StateActive = BBMChatParticipantState(rawValue: 1)
/// Invited, and not in the chat yet.
public let kBBMChatParticipant_StatePending = BBMChatParticipantState(rawValue: 3)
public let kBBMChatParticipant_StateLeft = BBMChatParticipantState(rawValue: 2)

/// How far a message has come.
public struct BBMChatMessageState: NamedState, Hashable, Sendable {
  public let rawValue: UInt32
  /// A value by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  static let names = ["Delivered", "Failed", "Read", "Sending", "Sent"]

  /// A value by its name in the service's messages; unspecified when it is none of them.
  init(_ value: Any?) {
    let index = Self.names.firstIndex(of: value as? String ?? "")
    rawValue = index.map { UInt32($0) + 1 } ?? 0
  }
}

/// The service has said nothing, or what this version does not know.
public let kBBMChatMessage_State_Unspecified = BBMChatMessageState(rawValue: 0)
/// It waits on this endpoint.
public let kBBMChatMessage_StateSending = BBMChatMessageState(rawValue: 4)
/// The service has it.
public let kBBMChatMessage_StateSent = BBMChatMessageState(rawValue: 5)
/// At least one participant has it.
public let kBBMChatMessage_StateDelivered = BBMChatMessageState(rawValue: 1)
/// At least one participant has read it; of an incoming one, it was read here.
public let kBBMChatMessage_StateRead = BBMChatMessageState(rawValue: 3)
public let kBBMChatMessage_StateFailed = BBMChatMessageState(rawValue: 2)

/// The state of the attached file.
public struct BBMChatMessageFileState: NamedState, Hashable, Sendable {
  public let rawValue: UInt32
  /// A value by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  static let names = ["Done", "Failed", "Pending", "Transferring"]

  /// A value by its name in the service's messages; unspecified when it is none of them.
  init(_ value: Any?) {
    let index = Self.names.firstIndex(of: value as? String ?? "")
    rawValue = index.map { UInt32($0) + 1 } ?? 0
  }
}

/// The service has said nothing, or what this version does not know.
public let kBBMChatMessage_FileState_Unspecified = BBMChatMessageFileState(rawValue: 0)
/// It has not been asked for.
public let kBBMChatMessage_FileStatePending = BBMChatMessageFileState(rawValue: 3)
public let kBBMChatMessage_FileStateTransferring = BBMChatMessageFileState(rawValue: 4)
public let kBBMChatMessage_FileStateDone = BBMChatMessageFileState(rawValue: 1)
public let kBBMChatMessage_FileStateFailed = BBMChatMessageFileState(rawValue: 2)

/// Whether a message was taken back.
public struct BBMChatMessageRecall: NamedState, Hashable, Sendable {
  public let rawValue: UInt32
  /// A value by its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  static let names = ["Failed", "None", "Recalled", "Recalling"]
}

/// The service has said nothing, or what this version does not know.
public let kBBMChatMessage_Recall_Unspecified = BBMChatMessageRecall(rawValue: 0)
public let kBBMChatMessage_RecallNone = BBMChatMessageRecall(rawValue: 2)
public let kBBMChatMessage_RecallRecalling = BBMChatMessageRecall(rawValue: 4)
public let kBBMChatMessage_RecallRecalled = BBMChatMessageRecall(rawValue: 3)
public let kBBMChatMessage_RecallFailed = BBMChatMessageRecall(rawValue: 1)
