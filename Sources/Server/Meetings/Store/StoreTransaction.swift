public import Basics
public import FoundationEssentials
public import Messaging

/// A store that can make several changes one.
public protocol TransactionalStore: Sendable {
  /// Runs `body` as one transaction: all its changes are durable when this returns, or, when `body` throws, none is
  /// made. Nobody else can change rows that it has read before its writes are committed.
  ///
  /// `body` is synchronous and runs on the store's own thread, so it must not wait for anything but the store.
  ///
  /// ```swift
  /// try await store.transaction { transaction in
  ///   try transaction.insert(meeting)
  ///   try transaction.append(entry)
  /// }
  /// ```
  /// - Throws: ``MeetingStoreError``, or an error of `body`.
  func transaction<Answer: Sendable>(
    _ body: @Sendable (any StoreTransaction) throws -> Answer
  ) async throws -> Answer
}

/// The rest of a removed tenant for which its store has no rows.
public struct RemovedTenant: Sendable, Hashable {
  public var orphanedMeetings: [MeetingID]
  /// Attachments of the part that is removed already: their files go.
  public var attachments: [AttachmentID]
}

/// The reads and writes of one transaction. Valid only inside the closure that receives it.
public protocol StoreTransaction {
  // MARK: Audit log

  /// Adds to the log.
  func append(_ entry: AuditEntry) throws(MeetingStoreError)

  // MARK: Meetings

  /// Throws ``MeetingStoreError/exists(_:)`` when the tenant has a meeting of that room name.
  func insert(_ meeting: MeetingRecord) throws(MeetingStoreError)
  /// Changes a meeting's texts, end, access, chat, schedule or owner, and counts its revision up if anything changed.
  /// Nil when the meeting doesn't exist.
  /// - Throws: ``MeetingStoreError``, or an error of `body`.
  func change(_ id: MeetingID, by body: @Sendable (inout MeetingRecord) throws -> Void) throws -> MeetingRecord?
  /// Nobody can join the meeting any more. False when it doesn't exist.
  func removeMeeting(_ id: MeetingID) throws(MeetingStoreError) -> Bool

  // MARK: Tenants and their secrets

  func tenant(id: TenantID) throws(MeetingStoreError) -> Tenant?
  /// Inserts a tenant with its first secret. Throws ``MeetingStoreError/tenantExists(_:)`` when the name is taken.
  func insert(_ tenant: Tenant, key: APIKey) throws(MeetingStoreError)
  /// Changes a tenant's policy, which applies from the next meeting and the next join on. Nil when the tenant doesn't
  /// exist.
  /// - Throws: ``MeetingStoreError``, or an error of `body`.
  func changePolicy(of tenant: TenantID, by body: @Sendable (inout TenantPolicy) throws -> Void) throws -> Tenant?
  /// Ends the use of a tenant, with its secrets, meetings, tokens, webhooks and vaults; its audit entries stay. Rows of
  /// a large one go in parts (``MailboxUpkeep``). Nil when the tenant doesn't exist.
  /// Throws ``MeetingStoreError/defaultTenant(_:)`` for the default tenant, and
  /// ``MeetingStoreError/tenantInUse(_:)`` while another live server runs one of its meetings.
  func removeTenant(_ id: TenantID, now: Date) throws(MeetingStoreError) -> RemovedTenant?
  /// Every secret of a tenant, the newest first, including expired and retired ones.
  func apiKeys(of tenant: TenantID) throws(MeetingStoreError) -> [APIKey]
  /// Makes a further secret. The others expire at `others`, or keep their expiry when that is nil.
  /// Throws ``MeetingStoreError/tooManyKeys`` at ``APIKey/maximumLive``.
  func rotateKey(of tenant: TenantID, others: Date?, now: Date) throws(MeetingStoreError) -> APIKey
  /// False when the tenant has no such secret, or it was retired before.
  func retireKey(_ id: String, of tenant: TenantID, now: Date) throws(MeetingStoreError) -> Bool

  // MARK: Tokens

  /// Adds tokens to the usage log, or updates those that it has.
  func record(_ tokens: [TokenRecord]) throws(MeetingStoreError)
  /// Refuses a token of `tenant` from now on; the entry is purged after `expires`.
  func revoke(_ token: TokenID, tenant: TenantID, expires: Date) throws(MeetingStoreError)
  func isRevoked(_ token: TokenID, tenant: TenantID) throws(MeetingStoreError) -> Bool

  // MARK: Vaults

  func vault(of owner: VaultOwner) throws(MeetingStoreError) -> StoredVault?
  /// Puts a vault in the place of its owner's one.
  func set(_ vault: StoredVault) throws(MeetingStoreError)
  /// False when the owner has none.
  func removeVault(of owner: VaultOwner) throws(MeetingStoreError) -> Bool

  // MARK: Messaging service

  /// Reads and changes domains, identities, endpoints and mailboxes as a part of this transaction.
  func withMailboxes<Answer: Sendable>(_ body: @Sendable (any MailboxTransaction) throws -> Answer) throws -> Answer

  // MARK: Webhooks

  /// False when the tenant has ``Webhook/maximumPerTenant`` webhooks already.
  func insert(_ webhook: Webhook) throws(MeetingStoreError) -> Bool
  /// Changes a webhook's URL, secret, events or switch. Nil when the webhook doesn't exist.
  func change(_ id: WebhookID, by body: @Sendable (inout Webhook) -> Void) throws(MeetingStoreError) -> Webhook?
  /// Removes a webhook with its deliveries; false when it doesn't exist.
  func removeWebhook(_ id: WebhookID) throws(MeetingStoreError) -> Bool
  /// Appends deliveries to the queues of their webhooks. A queue that grows beyond ``WebhookDelivery/maximumPending``
  /// fails its oldest ones.
  func enqueue(_ deliveries: [WebhookDelivery]) throws(MeetingStoreError)
  /// Sends the event of a delivery once more, as a new delivery at the end of its meeting's queue. The head of that
  /// queue is tried at once. Nil when the webhook has no such delivery.
  func replay(id: String, webhook: WebhookID, now: Date) throws(MeetingStoreError) -> WebhookDelivery?
  /// Records which of the reported beginnings have an end still to come (``RunningStore/orphanedEvents()``).
  func apply(_ changes: [OpenEventChange]) throws(MeetingStoreError)
}
