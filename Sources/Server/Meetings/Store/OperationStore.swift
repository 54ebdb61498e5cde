public import FoundationEssentials

/// What running a service needs to keep beside its meetings: webhooks and what they are to be told, and the audit log.
///
/// As with ``MeetingStore``, what a method answers survives the end of the process.
public protocol OperationStore: Sendable {
  // MARK: Webhooks

  /// Every webhook, or those of one tenant, the oldest first.
  func webhooks(tenant: TenantID?) async throws(MeetingStoreError) -> [Webhook]
  /// The webhook with that id.
  func webhook(id: WebhookID) async throws(MeetingStoreError) -> Webhook?
  /// Keeps a new webhook; false when the tenant has as many as it may have.
  func insert(_ webhook: Webhook) async throws(MeetingStoreError) -> Bool
  /// Changes a webhook's address, secret, events or switch: reads it, has `body` change it and keeps that, all in one, so that of two changes at once
  /// neither takes back the other. Nil when there is none of that id.
  func change(_ id: WebhookID, by body: @Sendable (inout Webhook) -> Void) async throws(MeetingStoreError) -> Webhook?
  /// Forgets a webhook with all its deliveries; false when there is none.
  func removeWebhook(_ id: WebhookID) async throws(MeetingStoreError) -> Bool

  // MARK: Deliveries

  /// Keeps deliveries in this order, all or none. Where too many wait for a webhook the oldest are given up.
  func enqueue(_ deliveries: [WebhookDelivery]) async throws(MeetingStoreError)
  /// Keeps deliveries, entries of the audit log, and what webhooks were told has begun or ended, in this order, all or none.
  func keep(
    _ deliveries: [WebhookDelivery], _ entries: [AuditEntry], _ changes: [BeginningChange]
  ) async throws(MeetingStoreError)
  /// The first pending delivery of each meeting for each webhook that is on, the most urgent first, some for each webhook.
  func deliveryHeads() async throws(MeetingStoreError) -> [WebhookDelivery.Head]
  /// The delivery with that place.
  func delivery(sequence: Int) async throws(MeetingStoreError) -> WebhookDelivery?
  /// The webhook's delivery with that id.
  func delivery(id: String, webhook: WebhookID) async throws(MeetingStoreError) -> WebhookDelivery?
  /// Deliveries of a webhook, the newest first: those before the place `before`, in that state, at most `limit`.
  func deliveries(
    of webhook: WebhookID, state: WebhookDelivery.State?, before: Int?, limit: Int
  ) async throws(MeetingStoreError) -> [WebhookDelivery]
  /// Notes what an attempt came to.
  func note(_ outcome: WebhookDelivery.Outcome, sequence: Int, now: Date) async throws(MeetingStoreError)
  /// Sends the event of a delivery once more, as a delivery of its own at the end of the meeting's, which are tried anew at once.
  func replay(id: String, webhook: WebhookID, now: Date) async throws(MeetingStoreError) -> WebhookDelivery?
  /// How many deliveries wait.
  func pendingDeliveries() async throws(MeetingStoreError) -> Int

  // MARK: Meetings

  /// Every meeting, or those of one tenant, the newest first: those after the one that was made at that time with that id.
  func meetings(
    tenant: TenantID?, after: (created: Date, id: MeetingID)?, limit: Int
  ) async throws(MeetingStoreError) -> [MeetingRecord]

  // MARK: Audit log

  /// Adds to the log.
  func append(_ entry: AuditEntry) async throws(MeetingStoreError)
  /// The log, the newest first: entries before the place `before`, about that tenant, at most `limit`.
  func auditLog(tenant: String?, before: Int?, limit: Int) async throws(MeetingStoreError) -> [AuditEntry]

  // MARK: Upkeep

  /// Gives up deliveries that waited too long and forgets those that were done long ago, and old audit entries. Returns how many
  /// rows changed.
  func purgeOperation(now: Date) async throws(MeetingStoreError) -> Int
}
