// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

/// Asks for the identity's keys, to store them in the cloud.
@preconcurrency @MainActor open class BBMProfileKeysExportMessage: BBMJSONMessage {

  /// The answer is a ``BBMProfileKeysMessage``.
  public override init() { super.init(name: "profileKeysExport") }
}

/// Gives the identity's keys from the cloud.
@preconcurrency @MainActor open class BBMProfileKeysImportMessage: BBMJSONMessage {
  public var privateKeys: [AnyHashable: Any]! {
    get { self[dictionary: "privateKeys"] }
    set { self[dictionary: "privateKeys"] = newValue }
  }
  public var publicKeys: [AnyHashable: Any]! {
    get { self[dictionary: "publicKeys"] }
    set { self[dictionary: "publicKeys"] = newValue }
  }

  /// Both have `encryption` and `signing`.
  public init!(privateKeys: [AnyHashable: Any]!, publicKeys: [AnyHashable: Any]!) {
    super.init(name: "profileKeysImport")
    self.privateKeys = privateKeys
    self.publicKeys = publicKeys
  }
}

/// Asks for a chat's key, to store it in the cloud.
@preconcurrency @MainActor open class BBMChatKeyExportMessage: BBMJSONMessage {
  public var chatId: String! {
    get { self[text: "chatId"] }
    set { self[text: "chatId"] = newValue }
  }
  /// Comes back in the answer.
  public var cookie: String! {
    get { self[text: "cookie"] }
    set { self[text: "cookie"] = newValue }
  }

  /// Asks for a key.
  public init!(chatId: String!, cookie: String!) {
    super.init(name: "chatKeyExport")
    self.chatId = chatId
    self.cookie = cookie
  }
}

/// Gives chats' keys from the cloud.
@preconcurrency @MainActor open class BBMChatKeysImportMessage: BBMJSONMessage {
  public var keys: [Any]! {
    get { self[list: "keys"] }
    set { self[list: "keys"] = newValue }
  }

  /// Each has `mailboxId` and `key`.
  public init!(keys: [Any]!) {
    super.init(name: "chatKeysImport")
    self.keys = keys
  }
}

/// Gives others' public keys from the cloud.
@preconcurrency @MainActor open class BBMUserKeysImportMessage: BBMJSONMessage {
  public var keys: [Any]! {
    get { self[list: "keys"] }
    set { self[list: "keys"] = newValue }
  }

  /// Each has `regId`, `encryptionPublicKey` and `signingPublicKey`.
  public init!(keys: [Any]!) {
    super.init(name: "userKeysImport")
    self.keys = keys
  }
}
