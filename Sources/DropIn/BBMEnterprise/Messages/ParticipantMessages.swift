// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

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
  public init!(chatId: String!, userUri: String!) {
    super.init(name: "chatParticipantTimesGet")
    self.chatId = chatId
    self.userUri = userUri
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

  public init!(chatId: String!, userUri: String!) {
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

  public init!(chatId: String!, userUri: String!) {
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

  public init!(chatId: String!, userUri: String!) {
    super.init(name: "participantRemove")
    self.chatId = chatId
    self.userUri = userUri
  }
}
