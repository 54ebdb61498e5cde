/// A chat as one of its participants sees it.
public struct ChatInfo: Codable, Hashable, Sendable {
  /// The participants who may invite.
  public enum InvitePolicy: String, Codable, Sendable {
    case adminsOnly, participantsOnly
  }

  public var chatId: ChatID
  /// Whether two identities have this chat to themselves, permanently.
  public var isOneToOne: Bool
  public var invitePolicy: InvitePolicy
  public var subject: Sealed?
  /// Sealed data of the app.
  public var data: Sealed?
  /// Everybody in it, the asking identity included.
  public var participants: [ChatParticipant]
  /// The number of the newest message; 0 when there is none.
  public var lastMessage: MessageNumber
  /// The first message that this participant may read: history from before it entered stays closed.
  public var firstMessage: MessageNumber
  /// The newest envelope with the chat's key for the asking identity that another participant made.
  public var key: Sealed?
  /// The newest such envelope that the asking identity made itself. Nobody else replaces it.
  public var ownKey: Sealed?

  public init(
    chatId: ChatID, isOneToOne: Bool, invitePolicy: InvitePolicy, subject: Sealed? = nil, data: Sealed? = nil,
    participants: [ChatParticipant], lastMessage: MessageNumber, firstMessage: MessageNumber, key: Sealed? = nil,
    ownKey: Sealed? = nil
  ) {
    self.chatId = chatId
    self.isOneToOne = isOneToOne
    self.invitePolicy = invitePolicy
    self.subject = subject
    self.data = data
    self.participants = participants
    self.lastMessage = lastMessage
    self.firstMessage = firstMessage
    self.key = key
    self.ownKey = ownKey
  }
}

/// One identity in a chat.
public struct ChatParticipant: Codable, Hashable, Sendable {
  /// How far it is in.
  public enum State: String, Codable, Sendable {
    /// Invited: no endpoint of it has the chat yet.
    case pending
    case active
  }

  public var regId: RegID
  public var state: State
  public var isAdmin: Bool
  /// Messages through this one have reached an endpoint of it.
  public var delivered: MessageNumber
  /// Messages through this one are read.
  public var read: MessageNumber

  public init(
    regId: RegID, state: State, isAdmin: Bool, delivered: MessageNumber = .init(0), read: MessageNumber = .init(0)
  ) {
    self.regId = regId
    self.state = state
    self.isAdmin = isAdmin
    self.delivered = delivered
    self.read = read
  }
}

/// A message in its chat, in the order of the server.
public struct StoredMessage: Codable, Hashable, Sendable {
  /// Whether its body is there.
  public enum State: String, Codable, Sendable {
    case present
    /// Its sender, or an admin, took it back for everybody: the body is gone.
    case recalled
  }

  /// Its number in the chat.
  public var number: MessageNumber
  public var sender: RegID
  /// The endpoint that sent it, for own messages of other endpoints.
  public var endpoint: EndpointID
  /// The sender's mark for it, by which a repeated request is one message.
  public var cookie: String
  /// When the server took it.
  public var time: MessageTime
  public var state: State
  /// Body and signature, sealed; absent when recalled.
  public var body: Sealed?
  /// Attachments, which participants of the chat may fetch.
  public var attachments: [AttachmentID]

  public init(
    number: MessageNumber, sender: RegID, endpoint: EndpointID, cookie: String, time: MessageTime, state: State,
    body: Sealed?, attachments: [AttachmentID]
  ) {
    self.number = number
    self.sender = sender
    self.endpoint = endpoint
    self.cookie = cookie
    self.time = time
    self.state = state
    self.body = body
    self.attachments = attachments
  }
}
