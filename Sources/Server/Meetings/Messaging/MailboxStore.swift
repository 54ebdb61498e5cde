public import Basics
public import FoundationEssentials
public import Messaging

/// Domains, identities, endpoints, chats and mailboxes.
public protocol MailboxStore: Sendable {
  /// Runs `body` as one transaction: all its changes are durable when this returns, or, when `body` throws, none is
  /// made. `body` is synchronous and runs on the store's own thread.
  func mailboxes<Answer: Sendable>(
    _ body: @Sendable (any MailboxTransaction) throws -> Answer
  ) async throws -> Answer
}

/// The reads and writes of one transaction. Valid only inside the closure that receives it.
public protocol MailboxTransaction {
  /// Runs a part of the transaction, whose changes alone are undone when `body` throws.
  func attempt<Answer>(_ body: () throws -> Answer) throws -> Answer

  // MARK: Domains

  func domain(_ id: DomainID) throws(MeetingStoreError) -> MessagingDomain?
  func domain(name: String) throws(MeetingStoreError) -> MessagingDomain?
  /// Some domains, by name.
  func domains(after: String, limit: Int) throws(MeetingStoreError) -> [MessagingDomain]
  func insert(_ domain: MessagingDomain) throws(MeetingStoreError)
  func update(_ domain: MessagingDomain) throws(MeetingStoreError)
  /// The bytes that a domain stores, and its bound.
  func usage(of domain: DomainID) throws(MeetingStoreError) -> StorageUsage
  /// The usage of every domain.
  func usages() throws(MeetingStoreError) -> [StorageUsage]
  /// The bytes of the messages that an identity has sent, and that are stored.
  func storedMessageBytes(of identity: RegID) throws(MeetingStoreError) -> Int
  func isBeingRemoved(_ domain: DomainID) throws(MeetingStoreError) -> Bool
  /// The domains that ``DomainRemoval`` has begun with.
  func domainsBeingRemoved() throws(MeetingStoreError) -> [DomainID]
  /// Removes some of a domain, about `limit` rows of a table; with the last of them, the domain itself.
  func purge(domain: DomainID, limit: Int) throws(MeetingStoreError) -> RemovedRows
  /// The tenants whose removal has begun.
  func tenantsBeingRemoved() throws(MeetingStoreError) -> [TenantID]
  /// The same for a tenant that is being removed, its domain first. Complete when there is none of that id.
  func purge(tenant: TenantID, limit: Int) throws(MeetingStoreError) -> RemovedRows

  // MARK: Identities and endpoints

  func identity(_ regId: RegID) throws(MeetingStoreError) -> MessagingIdentity?
  func identity(user: String, of domain: DomainID) throws(MeetingStoreError) -> MessagingIdentity?
  /// Some identities of a domain in the order of their user ids.
  func identities(of domain: DomainID, after: String, limit: Int) throws(MeetingStoreError) -> [MessagingIdentity]
  /// The identities of all domains.
  func identityCount() throws(MeetingStoreError) -> Int
  func hasPIN(_ pin: String, in domain: DomainID) throws(MeetingStoreError) -> Bool
  func insert(_ identity: MessagingIdentity, now: Date) throws(MeetingStoreError)
  /// Stores keys, and how often that happened in an hour.
  func setKeys(_ keys: PublicKeys, of identity: RegID, changes: Int, hour: Int64) throws(MeetingStoreError)
  func endpoint(_ id: EndpointID) throws(MeetingStoreError) -> MessagingEndpoint?
  func endpoints(of identity: RegID) throws(MeetingStoreError) -> [MessagingEndpoint]
  /// Inserts it, or replaces the one with its id.
  func put(_ endpoint: MessagingEndpoint) throws(MeetingStoreError)
  func remove(endpoint: EndpointID) throws(MeetingStoreError)
  /// Removes ephemeral endpoints whose token ended before a moment, and returns them.
  func purgeEndpoints(before: Date) throws(MeetingStoreError) -> [EndpointID]

  // MARK: Keys of apps without key management

  /// The JSON of a record. Callers parse it outside the transaction, which everybody waits for.
  func keyRecord(of user: String, in domain: DomainID) throws(MeetingStoreError) -> String?
  /// Stores the JSON of a record if the stored one is still `known`; false otherwise.
  func put(
    keyRecord json: String, ifStill known: String?, of user: String, in domain: DomainID
  ) throws(MeetingStoreError) -> Bool

  // MARK: Chats

  func chat(_ id: ChatID) throws(MeetingStoreError) -> ChatRecord?
  func chat(pair: String, of domain: DomainID) throws(MeetingStoreError) -> ChatRecord?
  func chat(cookie: String, creator: RegID) throws(MeetingStoreError) -> ChatRecord?
  func chats(of identity: RegID, after: ChatID?, limit: Int) throws(MeetingStoreError) -> [ChatID]
  func chatCount(of identity: RegID) throws(MeetingStoreError) -> Int
  /// Whether an identity is in fewer chats of one creator than ``MessagingLimits/chatsOfOne``.
  func hasFewChats(of identity: RegID, madeBy creator: RegID) throws(MeetingStoreError) -> Bool
  /// Inserts it, or replaces the one with its id.
  func put(_ chat: ChatRecord) throws(MeetingStoreError)
  func setLastMessage(_ number: UInt64, of chat: ChatID) throws(MeetingStoreError)
  func texts(of chat: ChatID) throws(MeetingStoreError) -> ChatTexts
  func put(_ texts: ChatTexts, of chat: ChatID) throws(MeetingStoreError)
  /// Removes a chat, and as many of its messages as one transaction may. ``purgeRemovedChat(limit:)`` removes the rest.
  func remove(chat: ChatID) throws(MeetingStoreError) -> RemovedRows
  /// Removes messages of a chat that is removed already: at most `limit` rows of a table. Nil when there is none.
  func purgeRemovedChat(limit: Int) throws(MeetingStoreError) -> RemovedRows?
  /// The participants in the order of their numbers, for what goes to each of them.
  func members(of chat: ChatID) throws(MeetingStoreError) -> [RegID]
  func participants(of chat: ChatID) throws(MeetingStoreError) -> [ParticipantRecord]
  func participant(_ identity: RegID, of chat: ChatID) throws(MeetingStoreError) -> ParticipantRecord?
  func put(_ participant: ParticipantRecord) throws(MeetingStoreError)
  func setMarks(delivered: UInt64, read: UInt64, of identity: RegID, in chat: ChatID) throws(MeetingStoreError)
  func envelopes(of identity: RegID, in chat: ChatID) throws(MeetingStoreError) -> ChatEnvelopes
  /// Stores the newest envelope of a participant: the one that it made itself, or the one from others.
  func put(_ envelope: Sealed, isOwn: Bool, of identity: RegID, in chat: ChatID) throws(MeetingStoreError)
  func remove(participant: RegID, of chat: ChatID) throws(MeetingStoreError)
  /// Others who share chats with an identity, of the chats after one: somewhat more than `limit` at most.
  func contacts(of identity: RegID, after chat: ChatID?, limit: Int) throws(MeetingStoreError) -> ContactPage
  /// Notes the chat after which an identity's new keys are still to be announced; nil when all is done.
  func setKeyNotice(of identity: RegID, after chat: ChatID?) throws(MeetingStoreError)
  /// An identity whose keys are still to be announced.
  func keyNotice() throws(MeetingStoreError) -> KeyNotice?

  // MARK: Messages

  func message(_ number: UInt64, of chat: ChatID) throws(MeetingStoreError) -> StoredMessage?
  func message(cookie: String, sender: RegID, of chat: ChatID) throws(MeetingStoreError) -> StoredMessage?
  /// The newest of a range, in rising order, without those that `reader` deleted.
  func messages(
    of chat: ChatID, _ range: ClosedRange<UInt64>, reader: RegID, limit: Int
  ) throws(MeetingStoreError) -> [StoredMessage]
  func insert(_ message: StoredMessage, in chat: ChatID) throws(MeetingStoreError)
  /// Removes body and attachments for everybody.
  func recall(_ number: UInt64, of chat: ChatID) throws(MeetingStoreError)
  func delete(_ number: UInt64, of chat: ChatID, reader: RegID) throws(MeetingStoreError)
  func attachment(_ id: AttachmentID) throws(MeetingStoreError) -> AttachmentRecord?
  func put(_ attachment: AttachmentRecord) throws(MeetingStoreError)
  /// The bytes of everything that an identity has sent, or has promised to.
  func attachmentBytes(of owner: RegID) throws(MeetingStoreError) -> Int
  func attachmentCount(of owner: RegID) throws(MeetingStoreError) -> Int
  /// Removes attachments from before a moment that no message names, and returns them.
  func purgeAttachments(before: Date) throws(MeetingStoreError) -> [AttachmentID]
  func remove(attachment: AttachmentID) throws(MeetingStoreError)

  // MARK: Mailboxes

  /// Adds an event and returns it with its number. An earlier one with the same `subject` goes. One with a whole chat
  /// names it only: what waits is read with the chat's state of that moment.
  func append(
    _ event: MessagingEvent, to identity: RegID, subject: String?, time: MessageTime
  ) throws(MeetingStoreError) -> MailboxEvent
  /// Keeps a waiting event where it is, whatever comes later of its subject.
  func pin(subject: String, of identity: RegID) throws(MeetingStoreError)
  /// The oldest events after a number.
  func events(of identity: RegID, after: UInt64, limit: Int) throws(MeetingStoreError) -> [MailboxEvent]
  /// Deletes events through a number.
  func trim(_ identity: RegID, through: UInt64) throws(MeetingStoreError)
  /// Deletes the oldest events of a mailbox whose events without a subject have more characters, down to three quarters
  /// of that.
  func trim(_ identity: RegID, toCharacters: Int) throws(MeetingStoreError)
  /// Deletes the oldest events from before a moment, in all mailboxes. Returns how many.
  func purgeEvents(before: MessageTime, limit: Int) throws(MeetingStoreError) -> Int
}
