public import Messaging

/// The outcome of a request: its answer, and the deliveries to others.
public struct MailboxOutcome: Sendable {
  /// An event for the mailbox of an identity.
  public struct Delivery: Sendable {
    public var to: RegID
    public var event: MailboxEvent
    /// Whether the event has everything. Otherwise it lacks the envelopes of a reader who had no connection, and is
    /// read from the store.
    public var isWhole = true
  }

  /// Something for the connected endpoints of an identity.
  public struct Passing: Sendable {
    public var to: RegID
    public var event: PassingEvent
  }

  /// Leave to move an attachment, by the ticket's token.
  public struct Transfer: Sendable, Hashable {
    public var token: String
    public var attachment: AttachmentID
    public var bytes: Int
    public var isUpload: Bool
    public var chat: ChatID
    public var regId: RegID
  }

  public var answer: MessagingAnswer
  public var deliveries: [Delivery] = []
  public var passing: [Passing] = []
  /// Endpoints that are registered no more.
  public var deregistered: [EndpointID] = []
  public var transfer: Transfer?
  /// Attachments whose files go.
  public var removedAttachments: [AttachmentID] = []
  /// Whether something is left for ``MailboxUpkeep``.
  public var leavesUpkeep = false

  public init(answer: MessagingAnswer) { self.answer = answer }
}

/// The endpoint at work.
public struct MailboxCaller: Sendable, Hashable {
  public var domain: DomainID
  public var regId: RegID
  public var endpoint: EndpointID

  public init(domain: DomainID, regId: RegID, endpoint: EndpointID) {
    self.domain = domain
    self.regId = regId
    self.endpoint = endpoint
  }
}
