import Basics
import FoundationEssentials
import MeetingServer
import Meetings
import Options

/// `parley webhook`: the receivers of events of a tenant's meetings.
enum WebhookCommand {
  private static let tenant = Option.tenant("whose webhook")
  private static let events = Option(
    "event", .choice(WebhookEventType.selectable.map(\.rawValue) + ["all"], named: "TYPE"), repeats: true,
    "hear of these only, or all")
  private static let allow = Option(
    "allow", .text("HOST"), repeats: true,
    "take an address at this host although it is not public or not https: the server must be started with "
      + "--webhook-allow HOST too")

  static let group = CommandGroup(
    name: "webhook", summary: "say who is told what happens in meetings",
    help: "Says who is told what happens in meetings. Works beside a running server, and takes effect within seconds.",
    members: [
      .init(
        name: "list", operands: "", help: "list the webhooks",
        table: [.tenant("only this tenant's", otherwise: "all"), DataFolder.option, .json], run: list),
      .init(
        name: "create", operands: "URL",
        help: "tell this address, and print the secret that its events are signed with",
        table: [tenant, events, allow, DataFolder.option, .json], run: create),
      .init(
        name: "set", operands: "ID", help: "change a webhook, or switch it on or off",
        table: [
          Option("url", .text("URL"), "the new address"), events, Option("enabled", .truth, "whether events are sent"),
          allow, DataFolder.option, .json,
        ], run: set),
      .init(
        name: "rotate-secret", operands: "ID", help: "sign with a new secret from now on, and print it",
        table: [DataFolder.option, .json], run: rotate),
      .init(
        name: "remove", operands: "ID", help: "forget a webhook with all that waits for it",
        table: [DataFolder.option, .json], run: remove),
      .init(
        name: "test", operands: "ID", help: "send it an event of the type webhook.test",
        table: [DataFolder.option, .json], run: test),
      .init(
        name: "deliveries", operands: "ID", help: "list what it was told, or still is to be, the newest first",
        table: [
          Option("state", .choice(["pending", "delivered", "failed"]), "only those"),
          .limit(50, of: 1...10_000), DataFolder.option, .json,
        ], run: deliveries),
      .init(
        name: "replay", operands: "ID DELIVERY", help: "send an event once more",
        table: [DataFolder.option, .json], run: replay),
    ])

  private static func list(_ options: CommandOptions) async throws {
    try options.requireNoOperands()
    try await DataFolder.with(options) { folder in
      let only = if let name = options["tenant"] { try await folder.requireTenant(name) } else { Tenant?.none }
      for webhook in try await folder.webhooks(of: only) { try await show(webhook, folder, options) }
    }
  }

  private static func create(_ options: CommandOptions) async throws {
    let url = try options.operand("The address to tell")
    try check(url, options)
    let events = try types(options) ?? []
    try await DataFolder.with(options, creating: true) { folder in
      let tenant = try await folder.requireTenant(options["tenant"])
      let webhook = Webhook(tenant: tenant.id, url: url, events: events, created: folder.now)
      let entry = folder.entry("webhook.create", webhook.id.rawValue, tenant: tenant.name)
      guard try await folder.create(webhook, entry) else {
        throw CommandGroup.Failure(
          description: "\(tenant.name) has \(Webhook.maximumPerTenant) webhooks, which is the most. Remove one first.")
      }
      try await show(webhook, folder, options, secret: true)
    }
  }

  private static func set(_ options: CommandOptions) async throws {
    let id = try options.operand("The id of the webhook")
    let url = options["url"]
    if let url { try check(url, options) }
    let events = try types(options)
    let isEnabled = options.truth("enabled")
    try await change(id, options, "webhook.change") { webhook in
      webhook.url = url ?? webhook.url
      webhook.events = events ?? webhook.events
      webhook.isEnabled = isEnabled ?? webhook.isEnabled
    }
  }

  private static func rotate(_ options: CommandOptions) async throws {
    let id = try options.operand("The id of the webhook")
    try await change(id, options, "webhook.secret", secret: true) { $0.secret = Webhook.randomSecret() }
  }

  private static func remove(_ options: CommandOptions) async throws {
    let id = try options.operand("The id of the webhook")
    try await DataFolder.with(options) { folder in
      let webhook = try await folder.requireWebhook(id)
      let entry = folder.entry("webhook.remove", id, tenant: try await folder.name(of: webhook.tenant))
      guard try await folder.remove(webhook, entry) else { throw DataFolder.noWebhook(id) }
      if options.has("json") {
        let line: JSONLine = ["removed": .text(id)]
        line.print()
      } else {
        CommandLineText.say("The webhook \(id) is removed.\n")
      }
    }
  }

  private static func test(_ options: CommandOptions) async throws {
    let id = try options.operand("The id of the webhook")
    try await DataFolder.with(options) { folder in
      let webhook = try await folder.requireWebhook(id)
      let name = try await folder.name(of: webhook.tenant)
      let delivery = WebhookTest.delivery(to: webhook, tenant: name, at: folder.now)
      try await folder.enqueue(delivery, folder.entry("webhook.test", id, tenant: name))
      show(delivery, options)
    }
  }

  private static func deliveries(_ options: CommandOptions) async throws {
    let id = try options.operand("The id of the webhook")
    let limit = options.count("limit")
    let state = options["state"].flatMap { WebhookDelivery.State(rawValue: $0) }
    try await DataFolder.with(options) { folder in
      let webhook = try await folder.requireWebhook(id)
      for delivery in try await folder.deliveries(of: webhook, state: state, limit: limit) {
        show(delivery, options)
      }
    }
  }

  private static func replay(_ options: CommandOptions) async throws {
    guard options.operands.count == 2 else {
      throw CommandOptions.Problem(description: "The id of the webhook and that of the delivery are expected.")
    }
    try await DataFolder.with(options) { folder in
      let webhook = try await folder.requireWebhook(options.operands[0])
      let old = options.operands[1]
      let name = try await folder.name(of: webhook.tenant)
      let again = try await folder.replay(old, of: webhook) {
        folder.entry("webhook.replay", old, tenant: name, "as \($0.id)")
      }
      guard let again else {
        throw CommandGroup.Failure(
          description: "The webhook has no delivery \(old). `parley webhook deliveries` lists them.")
      }
      show(again, options)
    }
  }

  // MARK: Parts

  private static func change(
    _ id: String, _ options: CommandOptions, _ action: String, secret: Bool = false,
    _ body: @Sendable (inout Webhook) -> Void
  ) async throws {
    try await DataFolder.with(options) { folder in
      let entry = { @Sendable (_: Webhook, name: String) in folder.entry(action, id, tenant: name, options.given) }
      guard let webhook = try await folder.changeWebhook(WebhookID(rawValue: id), entry, by: body) else {
        throw DataFolder.noWebhook(id)
      }
      try await show(webhook, folder, options, secret: secret)
    }
  }

  /// Refuses addresses to which no events may go. The hosts that a server allows aren't in its data.
  static func check(_ url: String, _ options: CommandOptions) throws(CommandGroup.Failure) {
    do throws(WebhookTarget.Problem) {
      _ = try WebhookTarget(url, allowed: options.all("allow"))
    } catch {
      let here = error.host.map { " This command cannot see what the server allows: where it does, add --allow \($0)." }
      throw CommandGroup.Failure(description: error.description + (here ?? ""))
    }
  }

  private static func types(_ options: CommandOptions) throws(CommandOptions.Problem) -> [WebhookEventType]? {
    let texts = options.all("event")
    if texts.isEmpty { return nil }
    if texts == ["all"] { return [] }
    var types: [WebhookEventType] = []
    for text in texts {
      guard let type = WebhookEventType(rawValue: text), WebhookEventType.selectable.contains(type) else {
        let names = WebhookEventType.selectable.map(\.rawValue).joined(separator: ", ")
        throw CommandOptions.Problem(description: "--event \(text): one of \(names) is expected, or all alone.")
      }
      if !types.contains(type) { types.append(type) }
    }
    return types
  }

  private static func show(
    _ webhook: Webhook, _ folder: DataFolder, _ options: CommandOptions, secret: Bool = false
  ) async throws {
    let name = try await folder.name(of: webhook.tenant)
    if options.has("json") {
      var line: JSONLine = [
        "id": .text(webhook.id.rawValue), "tenant": .text(name), "url": .text(webhook.url),
        "events": .list(webhook.events.map { .text($0.rawValue) }), "enabled": .truth(webhook.isEnabled),
        "created": .text(DataFolder.text(webhook.created)),
      ]
      if secret { line.add("secret", .text(webhook.secret.value)) }
      line.print()
    } else {
      let events = webhook.events.map(\.rawValue).joined(separator: ", ")
      CommandLineText.say(
        "\(webhook.id)  \(name)  \(webhook.isEnabled ? "on" : "off")  \(CommandLineText.printable(webhook.url))  "
          + "\(events.isEmpty ? "all events" : events)\n" + (secret ? "Secret  \(webhook.secret.value)\n" : ""))
    }
  }

  private static func show(_ delivery: WebhookDelivery, _ options: CommandOptions) {
    if options.has("json") {
      var line: JSONLine = [
        "id": .text(delivery.id), "event": .text(delivery.event), "type": .text(delivery.type),
        "meeting": JSONValue(delivery.ofMeeting), "state": .text(delivery.state.rawValue),
        "attempts": .integer(delivery.attempts), "created": .text(DataFolder.text(delivery.created)),
        "status": delivery.status.map { .integer($0) } ?? .null, "problem": JSONValue(delivery.problem),
        "next": JSONValue(delivery.next.map(DataFolder.text)),
      ]
      if let count = delivery.waitsBehind { line.add("waitsBehind", .integer(count)) }
      line.print()
    } else {
      let problem = delivery.problem.map { "  \(CommandLineText.printable($0))" } ?? ""
      let before = delivery.waitsBehind ?? 0
      let turn = before > 0 ? "  behind \(before) of its meeting that wait\(before == 1 ? "s" : "")" : ""
      CommandLineText.say(
        "\(delivery.id)  \(DataFolder.text(delivery.created))  \(delivery.type)  \(delivery.state.rawValue)  "
          + "\(delivery.attempts) attempt\(delivery.attempts == 1 ? "" : "s")\(problem)\(turn)\n")
    }
  }
}

extension DataFolder {
  /// The webhook of that id.
  func requireWebhook(_ id: String) async throws -> Webhook {
    guard let webhook = try await webhook(WebhookID(rawValue: id)) else { throw Self.noWebhook(id) }
    return webhook
  }

  static func noWebhook(_ id: String) -> CommandGroup.Failure {
    CommandGroup.Failure(description: "There is no webhook \(id). `parley webhook list` shows them all.")
  }
}
