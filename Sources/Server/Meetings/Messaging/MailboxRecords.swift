public import FoundationEssentials
public import Messaging

/// An identity as it is stored.
public struct MessagingIdentity: Sendable, Hashable {
  public var regId: RegID
  public var domain: DomainID
  public var userId: String
  public var pin: String
  public var keys: PublicKeys?
  /// The newest event of the mailbox.
  public var lastEvent: UInt64
  /// The newest event that was deleted from the mailbox: endpoints that have not acknowledged it missed something.
  public var purged: UInt64
  /// How often it has published keys in the hour ``keyHour``, which counts from 1970.
  var keyChanges = 0
  var keyHour: Int64 = 0

  public init(
    regId: RegID, domain: DomainID, userId: String, pin: String, keys: PublicKeys? = nil, lastEvent: UInt64 = 0,
    purged: UInt64 = 0
  ) {
    self.regId = regId
    self.domain = domain
    self.userId = userId
    self.pin = pin
    self.keys = keys
    self.lastEvent = lastEvent
    self.purged = purged
  }

  var info: IdentityInfo { IdentityInfo(regId: regId, appUserId: userId, pin: pin, keys: keys) }
}

/// An endpoint as it is stored.
public struct MessagingEndpoint: Sendable, Hashable {
  public var id: EndpointID
  public var regId: RegID
  /// The SHA-256 of its secret, in base64url.
  public var secretHash: String
  public var description: String
  public var nickname: String
  public var isPersistent: Bool
  public var acknowledged: UInt64
  public var tokenExpires: Date
  public var created: Date
  /// When its last connection began or ended.
  public var lastSeen: Date

  public init(
    id: EndpointID, regId: RegID, secretHash: String, description: String, nickname: String, isPersistent: Bool,
    acknowledged: UInt64, tokenExpires: Date, created: Date, lastSeen: Date? = nil
  ) {
    self.id = id
    self.regId = regId
    self.secretHash = secretHash
    self.description = description
    self.nickname = nickname
    self.isPersistent = isPersistent
    self.acknowledged = acknowledged
    self.tokenExpires = tokenExpires
    self.created = created
    self.lastSeen = lastSeen ?? created
  }
}

/// A chat as it is stored, without its participants and its texts.
public struct ChatRecord: Sendable, Hashable {
  public var id: ChatID
  public var domain: DomainID
  /// The lower and the higher number of a one-to-one chat's two.
  public var pair: String?
  public var creator: RegID
  /// The creator's mark, by which a repeated request is one chat.
  public var cookie: String
  public var invitePolicy: ChatInfo.InvitePolicy
  public var lastMessage: UInt64
}

/// The texts that participants have sealed for their chat. Up to 116,000 characters.
public struct ChatTexts: Sendable, Hashable {
  public var subject: Sealed?
  public var data: Sealed?

  var characters: Int { (subject?.count ?? 0) + (data?.count ?? 0) }
}

/// The envelopes with a chat's key that a participant has. Up to 32,000 characters.
public struct ChatEnvelopes: Sendable, Hashable {
  /// The newest one from another participant.
  public var key: Sealed?
  /// The newest one that it made itself. Nobody else's takes its place.
  public var ownKey: Sealed?
}

/// A participant as it is stored, without its envelopes.
public struct ParticipantRecord: Sendable, Hashable {
  public var chat: ChatID
  public var regId: RegID
  public var state: ChatParticipant.State
  public var isAdmin: Bool
  public var delivered: UInt64
  public var read: UInt64
  /// The first message that it may read.
  public var firstMessage: UInt64

  var info: ChatParticipant {
    ChatParticipant(
      regId: regId, state: state, isAdmin: isAdmin, delivered: MessageNumber(delivered), read: MessageNumber(read))
  }
}

/// A chat with its participants, for the views of many of them.
struct ChatView {
  private let chat: ChatRecord
  private let texts: ChatTexts
  private let infos: [ChatParticipant]
  private let firstMessages: [RegID: UInt64]

  init(_ chat: ChatRecord, in transaction: any MailboxTransaction) throws(MeetingStoreError) {
    self.chat = chat
    texts = try transaction.texts(of: chat.id)
    let participants = try transaction.participants(of: chat.id)
    infos = participants.map(\.info)
    firstMessages = Dictionary(participants.map { ($0.regId, $0.firstMessage) }) { first, _ in first }
  }

  var participants: [RegID] { infos.map(\.regId) }

  /// The chat as one identity sees it, which has these envelopes.
  func info(for reader: RegID, _ envelopes: ChatEnvelopes) -> ChatInfo {
    ChatInfo(
      chatId: chat.id, isOneToOne: chat.pair != nil, invitePolicy: chat.invitePolicy, subject: texts.subject,
      data: texts.data, participants: infos, lastMessage: MessageNumber(chat.lastMessage),
      firstMessage: MessageNumber(firstMessages[reader] ?? chat.lastMessage + 1), key: envelopes.key,
      ownKey: envelopes.ownKey)
  }
}

/// An attachment as it is stored. Its bytes are a file.
public struct AttachmentRecord: Sendable, Hashable {
  public var id: AttachmentID
  public var chat: ChatID
  public var owner: RegID
  public var bytes: Int
  /// Whether the file is complete.
  public var isComplete: Bool
  public var created: Date
  /// Messages that name it. The file goes with the last of them.
  public var uses = 0
}

/// An event of a mailbox, ready to be sent.
public struct MailboxEvent: Sendable, Hashable {
  public var number: UInt64
  public var time: MessageTime
  public var event: MessagingEvent

  public init(number: UInt64, time: MessageTime, event: MessagingEvent) {
    self.number = number
    self.time = time
    self.event = event
  }
}
