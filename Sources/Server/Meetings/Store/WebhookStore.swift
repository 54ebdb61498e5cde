public import Basics
public import FoundationEssentials

/// Webhooks and the queues of their deliveries.
public protocol WebhookStore: TransactionalStore {
  /// Every webhook, or those of one tenant, the oldest first.
  func webhooks(tenant: TenantID?) async throws(MeetingStoreError) -> [Webhook]
  func webhook(id: WebhookID) async throws(MeetingStoreError) -> Webhook?
  /// The first pending delivery of each meeting for each enabled webhook, the most urgent first and at most a few for
  /// each webhook.
  func deliveryHeads() async throws(MeetingStoreError) -> [WebhookDelivery.Head]
  func delivery(sequence: Int) async throws(MeetingStoreError) -> WebhookDelivery?
  func delivery(id: String, webhook: WebhookID) async throws(MeetingStoreError) -> WebhookDelivery?
  /// A page of a webhook's deliveries, the newest first: those before the sequence number `before`.
  func deliveries(
    of webhook: WebhookID, state: WebhookDelivery.State?, before: Int?, limit: Int
  ) async throws(MeetingStoreError) -> [WebhookDelivery]
  /// Records the outcome of an attempt.
  func record(_ outcome: WebhookDelivery.Outcome, sequence: Int, now: Date) async throws(MeetingStoreError)
  func pendingDeliveries() async throws(MeetingStoreError) -> Int
}
