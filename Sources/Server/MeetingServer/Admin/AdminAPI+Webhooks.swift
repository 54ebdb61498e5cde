import Basics
import FoundationEssentials
import Meetings
import Transport

/// Webhooks and their deliveries.
extension AdminAPI {
  func listWebhooks(_ call: inout Call) async throws -> HTTPResponse {
    let name = try Self.tenantParameter(&call.query)
    try call.query.finish()
    var only: TenantID?
    if let name { only = try await tenant(name).id }
    let names = try await tenantNames()
    let webhooks = try await store.webhooks(tenant: only)
    return .json(AdminPage(items: webhooks.map { WebhookView($0, tenant: names[$0.tenant] ?? "") }))
  }

  func createWebhook(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    var fields = try AdminFields(call.request)
    let name = try Self.tenantField(&fields)
    let url = try AdminFields.needed(fields.text("url", 1...Webhook.maximumURL), "url")
    let events = try Self.events(&fields) ?? []
    let isEnabled = try fields.truth("enabled") ?? true
    try fields.finish()
    try check(url)
    let tenant = try await tenant(orDefault: name, call.now)
    let webhook = Webhook(tenant: tenant.id, url: url, events: events, isEnabled: isEnabled, created: call.now)
    let entry = call.entry("webhook.create", webhook.id.rawValue, tenant: tenant.name, Self.shown(url))
    let isKept = try await keep(call) { transaction in
      let isKept = try transaction.insert(webhook)
      return (isKept, isKept ? entry : nil)
    }
    guard isKept else {
      throw Refusal(
        409, "tooManyWebhooks", "A tenant has at most \(Webhook.maximumPerTenant) webhooks. Remove one first.",
        limit: .webhooks)
    }
    return .json(WebhookView(webhook, tenant: tenant.name, showing: true), status: 201)
  }

  func showWebhook(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    let (webhook, name) = try await webhook(call.path[0])
    return .json(WebhookView(webhook, tenant: name))
  }

  func changeWebhook(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    var fields = try AdminFields(call.request)
    let url = try fields.text("url", 1...Webhook.maximumURL)
    let events = try Self.events(&fields)
    let isEnabled = try fields.truth("enabled")
    try fields.finish()
    if let url { try check(url) }
    let (webhook, name) = try await change(
      call, "webhook.change", { "\(Self.shown($0.url)), \($0.isEnabled ? "on" : "off")" }
    ) { webhook in
      webhook.url = url ?? webhook.url
      webhook.events = events ?? webhook.events
      webhook.isEnabled = isEnabled ?? webhook.isEnabled
    }
    await wake()
    return .json(WebhookView(webhook, tenant: name))
  }

  func removeWebhook(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    let (webhook, name) = try await webhook(call.path[0])
    let entry = call.entry("webhook.remove", webhook.id.rawValue, tenant: name, Self.shown(webhook.url))
    let isGone = try await keep(call) { transaction in
      let isGone = try transaction.removeWebhook(webhook.id)
      return (isGone, isGone ? entry : nil)
    }
    guard isGone else { throw Self.noWebhook }
    return Self.done
  }

  func rotateSecret(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    try AdminFields(call.request, optional: true).finish()
    let (webhook, name) = try await change(call, "webhook.secret") { $0.secret = Webhook.randomSecret() }
    return .json(WebhookView(webhook, tenant: name, showing: true))
  }

  func testWebhook(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    try AdminFields(call.request, optional: true).finish()
    let (webhook, name) = try await webhook(call.path[0])
    let delivery = WebhookTest.delivery(to: webhook, tenant: name, at: call.now)
    try await keep(call, call.entry("webhook.test", webhook.id.rawValue, tenant: name)) { transaction in
      try transaction.enqueue([delivery])
    }
    await wake()
    return .json(DeliveryView(delivery), status: 202)
  }

  // MARK: Deliveries

  func listDeliveries(_ call: inout Call) async throws -> HTTPResponse {
    let limit = try call.query.pageLimit()
    let before = try call.query.before()
    let states = WebhookDelivery.State.allCases.map(\.rawValue)
    let state = try call.query.text("state", "one of \(states.joined(separator: ", "))") { states.contains($0) }
    try call.query.finish()
    let (webhook, _) = try await webhook(call.path[0])
    let deliveries = try await store.deliveries(
      of: webhook.id, state: state.flatMap(WebhookDelivery.State.init(rawValue:)), before: before, limit: limit + 1)
    return .json(Self.page(deliveries.map { DeliveryView($0) }, limit: limit) { String($0.sequence) })
  }

  func showDelivery(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    let (webhook, _) = try await webhook(call.path[0])
    guard let delivery = try await store.delivery(id: call.path[1], webhook: webhook.id) else {
      throw Self.noDelivery
    }
    return .json(DeliveryView(delivery, showing: true))
  }

  func replayDelivery(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    try AdminFields(call.request, optional: true).finish()
    let (webhook, name) = try await webhook(call.path[0])
    let current = call
    let replayed = try await keep(call) { transaction in
      let delivery = try transaction.replay(id: current.path[1], webhook: webhook.id, now: current.now)
      let entry = delivery.map { again in
        current.entry("webhook.replay", current.path[1], tenant: name, "to \(webhook.id) as \(again.id)")
      }
      return (delivery, entry)
    }
    guard let delivery = replayed else { throw Self.noDelivery }
    await wake()
    return .json(DeliveryView(delivery), status: 202)
  }

  // MARK: Parts

  private static let noWebhook = Refusal(404, "noSuchWebhook", "There is no webhook of that id.")
  private static let noDelivery = Refusal(404, "noSuchDelivery", "The webhook has no delivery of that id.")

  private func webhook(_ id: String) async throws -> (Webhook, tenant: String) {
    guard let webhook = try await store.webhook(id: WebhookID(rawValue: id)) else { throw Self.noWebhook }
    return (webhook, try await tenantNames()[webhook.tenant] ?? "")
  }

  /// Changes the webhook that a call names; `detail` of it is noted with the action.
  private func change(
    _ call: Call, _ action: String, _ detail: @Sendable (Webhook) -> String = { _ in "" },
    by body: @Sendable (inout Webhook) -> Void
  ) async throws -> (Webhook, tenant: String) {
    let names = try await tenantNames()
    let changed = try await keep(call) { transaction in
      let changed = try transaction.change(WebhookID(rawValue: call.path[0]), by: body)
      let entry = changed.map { call.entry(action, $0.id.rawValue, tenant: names[$0.tenant] ?? "", detail($0)) }
      return (changed, entry)
    }
    guard let webhook = changed else { throw Self.noWebhook }
    return (webhook, names[webhook.tenant] ?? "")
  }

  private static func events(_ fields: inout AdminFields) throws(Refusal) -> [WebhookEventType]? {
    try fields.words("events", WebhookEventType.selectable.map(\.rawValue))?.compactMap {
      WebhookEventType(rawValue: $0)
    }
  }

  private func check(_ url: String) throws(Refusal) {
    do throws(WebhookTarget.Problem) {
      _ = try WebhookTarget(url, allowed: allowedHosts)
    } catch {
      throw Refusal(422, error.host == nil ? "badURL" : "targetNotAllowed", error.description)
    }
  }

  /// A URL without its path and query, in which people put secrets.
  private static func shown(_ url: String) -> String { WebOrigin(url)?.description ?? "" }
}
