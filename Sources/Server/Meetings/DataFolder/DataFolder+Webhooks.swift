/// Webhooks and their deliveries.
extension DataFolder {
  /// The webhooks of all tenants or of one, the oldest first.
  public func webhooks(of tenant: Tenant?) async throws(MeetingStoreError) -> [Webhook] {
    try await store.webhooks(tenant: tenant?.id)
  }

  /// The webhook of that id.
  public func webhook(_ id: WebhookID) async throws(MeetingStoreError) -> Webhook? { try await store.webhook(id: id) }

  /// Inserts a new webhook; false when its tenant has as many as allowed.
  public func create(_ webhook: Webhook, _ entry: AuditEntry) async throws -> Bool {
    try await commit(entry) { try $0.insert(webhook) ? true : nil } ?? false
  }

  /// Changes a webhook as it is at that moment. `entry` receives it with the name of its tenant. Nil when it doesn't
  /// exist.
  public func changeWebhook(
    _ id: WebhookID, _ entry: @Sendable (Webhook, _ tenant: String) -> AuditEntry,
    by body: @Sendable (inout Webhook) -> Void
  ) async throws -> Webhook? {
    try await store.transaction { transaction in
      guard let webhook = try transaction.change(id, by: body) else { return nil }
      try transaction.append(entry(webhook, try transaction.tenant(id: webhook.tenant)?.name ?? ""))
      return webhook
    }
  }

  /// Removes a webhook with its deliveries; false when it was removed before.
  public func remove(_ webhook: Webhook, _ entry: AuditEntry) async throws -> Bool {
    try await commit(entry) { try $0.removeWebhook(webhook.id) ? true : nil } ?? false
  }

  /// A webhook's deliveries, the newest first, or those in one state.
  public func deliveries(
    of webhook: Webhook, state: WebhookDelivery.State?, limit: Int
  ) async throws(MeetingStoreError) -> [WebhookDelivery] {
    try await store.deliveries(of: webhook.id, state: state, before: nil, limit: limit)
  }

  /// Appends a delivery to its webhook's queue.
  public func enqueue(_ delivery: WebhookDelivery, _ entry: AuditEntry) async throws {
    _ = try await commit(entry) { try $0.enqueue([delivery]) }
  }

  /// Sends the event of a delivery once more. Nil when the webhook has no such delivery.
  public func replay(
    _ delivery: String, of webhook: Webhook, _ entry: @Sendable (WebhookDelivery) -> AuditEntry
  ) async throws -> WebhookDelivery? {
    let now = now
    return try await store.transaction { transaction in
      guard let again = try transaction.replay(id: delivery, webhook: webhook.id, now: now) else { return nil }
      try transaction.append(entry(again))
      return again
    }
  }
}
