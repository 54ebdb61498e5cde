import FoundationEssentials
public import Basics

/// Webhooks of tenants, at most ``Webhook/maximumPerTenant`` each.
extension SQLiteMeetingStore {
  private static let webhookColumns = "id, tenant, url, secret, events, enabled, created"

  /// Every webhook, or those of one tenant.
  public func webhooks(tenant: TenantID?) throws(MeetingStoreError) -> [Webhook] {
    guard let tenant else { return try webhooks("1 ORDER BY created, id", []) }
    return try webhooks("tenant = ? ORDER BY created, id", [.text(tenant.rawValue)])
  }

  /// The webhook with that id.
  public func webhook(id: WebhookID) throws(MeetingStoreError) -> Webhook? {
    try webhooks("id = ?", [.text(id.rawValue)]).first
  }

  /// Keeps a new webhook.
  public func insert(_ webhook: Webhook) throws(MeetingStoreError) -> Bool {
    let database = try open()
    // One statement, so that two callers cannot both take the last place.
    try database.query(
      "INSERT INTO webhooks (\(Self.webhookColumns)) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 "
        + "WHERE (SELECT count(*) FROM webhooks WHERE tenant = ?2) < ?8",
      [
        .text(webhook.id.rawValue), .text(webhook.tenant.rawValue), .text(webhook.url), .text(webhook.secret.value),
        .text(Self.text(webhook.events)), .integer(webhook.isEnabled ? 1 : 0), .time(webhook.created),
        .number(Webhook.maximumPerTenant),
      ])
    return database.changes > 0
  }

  /// Changes a webhook in one transaction.
  public func change(
    _ id: WebhookID, by body: @Sendable (inout Webhook) -> Void
  ) throws(MeetingStoreError) -> Webhook? {
    let database = try open()
    var found: Webhook?
    try database.transaction { () throws(MeetingStoreError) in
      guard var webhook = try webhook(id: id) else { return }
      body(&webhook)
      try database.query(
        "UPDATE webhooks SET url = ?, secret = ?, events = ?, enabled = ? WHERE id = ?",
        [
          .text(webhook.url), .text(webhook.secret.value), .text(Self.text(webhook.events)),
          .integer(webhook.isEnabled ? 1 : 0), .text(id.rawValue),
        ])
      found = webhook
    }
    return found
  }

  /// Forgets a webhook with its deliveries.
  public func removeWebhook(_ id: WebhookID) throws(MeetingStoreError) -> Bool {
    let database = try open()
    var isGone = false
    try database.transaction { () throws(MeetingStoreError) in
      try database.query("DELETE FROM webhook_deliveries WHERE webhook = ?", [.text(id.rawValue)])
      try database.query("DELETE FROM webhooks WHERE id = ?", [.text(id.rawValue)])
      isGone = database.changes > 0
    }
    return isGone
  }

  private static func text(_ events: [WebhookEventType]) -> String { events.map(\.rawValue).joined(separator: ",") }

  private func webhooks(_ condition: String, _ values: [SQLiteValue]) throws(MeetingStoreError) -> [Webhook] {
    var webhooks: [Webhook] = []
    let sql = "SELECT \(Self.webhookColumns) FROM webhooks WHERE \(Self.hasTenant) AND \(condition)"
    try open().query(sql, values) { row in
      webhooks.append(
        Webhook(
          id: WebhookID(rawValue: row.text(0)), tenant: TenantID(rawValue: row.text(1)), url: row.text(2),
          secret: Secret(row.text(3)),
          // Events of a later version are not among ours, so nothing is missed by leaving them out.
          events: row.text(4).split(separator: ",").compactMap { WebhookEventType(rawValue: String($0)) },
          isEnabled: row.integer(5) == 1, created: row.time(6)))
    }
    return webhooks
  }
}
