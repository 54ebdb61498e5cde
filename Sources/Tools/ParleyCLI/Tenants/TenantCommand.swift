import Basics
import FoundationEssentials
import MeetingServer
import Meetings
import Options

/// `parley tenant`: who may use a server, by which rules, with which keys.
enum TenantCommand {
  private static let rules: [Option] =
    [
      Option(
        "allow-origin", .either(.text("ORIGIN"), "none"), repeats: true,
        "a page of another server that may use the tokens"),
      Option.accessLevel("who gets into new meetings without waiting"),
      Option("capacity", .either(.number(1...10_000), "none"), "the most participants of a new meeting"),
      Option("max-meetings", .either(.number(0...1_000_000), "none"), "the most meetings at once"),
      Option(
        "max-participants", .either(.number(0...1_000_000), "none"),
        "the most participants at once, in all meetings together"),
      Option(
        "max-stored-meetings", .either(.number(0...10_000_000), "none"),
        "the most meetings that are kept, running or not"),
      Option(
        "max-requests", .either(.number(1...1_000_000), "none"),
        "the most requests a second, over every door that knows the tenant"),
      Option(
        "token-expiry", .either(.choice(["stay", "leave"]), "none"), otherwise: "the server's --token-expiry",
        "whether who is in a meeting stays when their join token ends"),
      Option(
        "encryption", .either(.choice(EncryptionPolicy.allCases.map(\.rawValue)), "none"),
        otherwise: "the server's --encryption", "whether meetings may be end-to-end encrypted, or must be"),
      Option(
        "max-chat-kib", .either(.number(0...1_073_741_824), "none"),
        "the most KiB of chat files at once, in all meetings together"),
    ] + CommandOptions.lobbyRules + CommandOptions.chatRules

  static let group = CommandGroup(
    name: "tenant", summary: "look at and change who may use a server: sign-in, limits, keys",
    help: "Looks at and changes who may use a server. Works beside a running server, and takes effect at once.",
    members: [
      .init(name: "list", operands: "", help: "list the tenants", table: [DataFolder.option, Option.json], run: list),
      .init(
        name: "create", operands: "NAME", help: "make a tenant with an API key; its people need tokens",
        table: rules + [DataFolder.option, Option.json], run: create),
      .init(
        name: "show", operands: "NAME", help: "show a tenant's rules and keys",
        table: [Option("show-secrets", "show the secrets too"), DataFolder.option, Option.json], run: show),
      .init(
        name: "set", operands: "NAME", help: "change a tenant's rules",
        table: [
          Option(
            "sign-in", .choice(["open", "token", "oidc"]),
            "open: whoever has an address gets in; token: only with a token; oidc: who signs in (open, oidc: the default tenant only)"
          )
        ] + CommandOptions.providerRules + rules + [DataFolder.option, Option.json], run: set),
      .init(
        name: "rotate-key", operands: "NAME", help: "make a new secret; the old one stays good until it is retired",
        table: [
          Option("expire-old", .time(), "until when the old secret stays good, as a time from now: 0, 24h"),
          DataFolder.option, Option.json,
        ], run: rotateKey),
      .init(
        name: "retire-key", operands: "NAME KEY-ID", help: "take a secret out of use at once",
        table: [
          Option("end-sessions", "also end who is in a meeting with a token that it signed, as when it leaked"),
          DataFolder.option, Option.json,
        ], run: retireKey),
      .init(
        name: "remove", operands: "NAME",
        help: "forget a tenant with its secrets, meetings, tokens and webhooks; none of its meetings may run",
        table: [DataFolder.option, Option.json], run: remove),
    ])

  private static func list(_ options: CommandOptions) async throws {
    try options.requireNoOperands()
    try await DataFolder.with(options) { folder in
      for tenant in try await folder.tenants() {
        let keys = try await folder.secrets(of: tenant)
        if options.has("json") {
          TenantReport(tenant, keys, at: folder.now).line.print()
        } else {
          let live = keys.count { $0.isLive(at: folder.now) }
          CommandLineText.say(
            "\(tenant.name)  API key \(tenant.apiKey)  sign-in \(tenant.policy.signIn.rawValue)  "
              + "\(live) secret\(live == 1 ? "" : "s")\(tenant.isDefault ? "  (default)" : "")\n")
        }
      }
    }
  }

  private static func create(_ options: CommandOptions) async throws {
    let name = try options.operand("The name of the tenant")
    guard Tenant.isName(name) else {
      throw CommandOptions.Problem(
        description: "\(name): a name has 1 to 64 lower-case letters, digits and hyphens.")
    }
    var policy = TenantPolicy(signIn: .token)
    try change(&policy, options)
    try await DataFolder.with(options, creating: true) { folder in
      let tenant = try Tenant.make(name: name, policy: policy, now: folder.now)
      let key = APIKey.make(tenant: tenant.id, now: folder.now)
      try await folder.create(tenant, secret: key, folder.entry("tenant.create", name, tenant: name))
      TenantReport(tenant, [key], at: folder.now, showing: [key.id]).print(options)
    }
  }

  private static func show(_ options: CommandOptions) async throws {
    let name = try options.operand("The name of the tenant")
    try await DataFolder.with(options) { folder in
      let tenant = try await folder.requireTenant(name)
      let keys = try await folder.secrets(of: tenant)
      let shown = options.has("show-secrets") ? keys.map(\.id) : []
      if !shown.isEmpty {
        try await folder.append(folder.entry("key.show", tenant.name, tenant: tenant.name))
      }
      TenantReport(tenant, keys, at: folder.now, showing: shown).print(options)
    }
  }

  private static func set(_ options: CommandOptions) async throws {
    let name = try options.operand("The name of the tenant")
    let mode = options["sign-in"].flatMap { SignInMode(rawValue: $0) }
    try await DataFolder.with(options) { folder in
      let known = try await folder.requireTenant(name)
      let entry = folder.entry("tenant.change", known.name, tenant: known.name, options.given)
      let changed = try await folder.changePolicy(of: known, entry) { [mode] policy in
        if let mode { try signIn(mode, of: known.isDefault, &policy) }
        policy.identityProvider = try options.provider(over: policy.identityProvider)
        guard policy.signIn != .oidc || policy.identityProvider != nil else {
          throw CommandOptions.Problem(
            description:
              "--sign-in oidc needs the provider: --oidc-issuer, --oidc-client-id and --oidc-client-secret-file.")
        }
        try change(&policy, options)
      }
      guard let tenant = changed else {
        throw CommandGroup.Failure(description: "The tenant was removed by somebody else meanwhile.")
      }
      let keys = try await folder.secrets(of: tenant)
      TenantReport(tenant, keys, at: folder.now).print(options)
    }
  }

  private static func signIn(_ mode: SignInMode, of isDefault: Bool, _ policy: inout TenantPolicy) throws {
    // People without a token are the default tenant's; nobody could join another's open rooms.
    guard mode == .token || isDefault else {
      throw CommandGroup.Failure(
        description:
          "Only the default tenant can have the sign-in \(mode.rawValue): people without a token are taken for its own."
      )
    }
    policy.signIn = mode
  }

  private static func rotateKey(_ options: CommandOptions) async throws {
    let name = try options.operand("The name of the tenant")
    let end = options.seconds("expire-old")
    try await DataFolder.with(options) { folder in
      let tenant = try await folder.requireTenant(name)
      let others = end.map { folder.now.addingTimeInterval($0) }
      let key = try await folder.rotateSecret(of: tenant, others: others) { key in
        let detail = end.map { "the others end in \(Int($0)) s" } ?? ""
        return folder.entry("key.create", key.id, tenant: tenant.name, detail)
      }
      let keys = try await folder.secrets(of: tenant)
      TenantReport(tenant, keys, at: folder.now, showing: [key.id]).print(options)
    }
  }

  private static func retireKey(_ options: CommandOptions) async throws {
    guard options.operands.count == 2 else {
      throw CommandOptions.Problem(description: "The name of the tenant and the id of the secret are expected.")
    }
    let (name, id, endsSessions) = (options.operands[0], options.operands[1], options.has("end-sessions"))
    try await DataFolder.with(options) { folder in
      let tenant = try await folder.requireTenant(name)
      var silent: RunningServer.Unreachable?
      var isDone = false
      if endsSessions {
        do {
          let path = "tenants/\(tenant.name)/keys/\(DataFolder.segment(id))?endSessions=true"
          isDone = try await folder.ask("DELETE", path) != nil
        } catch let error as RunningServer.Unreachable {
          silent = error
        }
      }
      if !isDone {
        let entry = folder.entry("key.retire", id, tenant: tenant.name)
        guard try await folder.retireSecret(id, of: tenant, entry) else {
          throw CommandGroup.Failure(
            description:
              "The tenant \(tenant.name) has no secret \(id) that is in use. `parley tenant show` lists them.")
        }
      }
      let keys = try await folder.secrets(of: tenant)
      TenantReport(tenant, keys, at: folder.now).print(options)
      if let silent {
        throw CommandGroup.Failure(
          description:
            "The secret \(CommandLineText.printable(id)) is out of use, but who is in a meeting with a token that it signed stays there. \(silent.description)"
        )
      }
      if !endsSessions, !options.has("json"), RunningServer.find(dataFolder: folder.path) != nil {
        CommandLineText.say(
          "Who is in a meeting with a token that it signed stays there. If it leaked: the same with --end-sessions.\n")
      }
    }
  }

  private static func remove(_ options: CommandOptions) async throws {
    let name = try options.operand("The name of the tenant")
    try await DataFolder.with(options) { folder in
      let tenant = try await folder.requireTenant(name)
      // A server that runs knows who is in a meeting.
      if try await folder.ask("DELETE", "tenants/\(tenant.name)") == nil {
        let entry = folder.entry("tenant.remove", tenant.name, tenant: tenant.name)
        guard try await folder.remove(tenant, entry) else {
          throw CommandGroup.Failure(description: "The tenant was removed by somebody else meanwhile.")
        }
      }
      if options.has("json") {
        let line: JSONLine = ["removed": .text(tenant.name)]
        line.print()
      } else {
        CommandLineText.say("The tenant \(tenant.name) is removed.\n")
      }
    }
  }

  private static func change(_ policy: inout TenantPolicy, _ options: CommandOptions) throws(CommandOptions.Problem) {
    let origins = options.all("allow-origin")
    if origins == ["none"] {
      policy.allowedOrigins = []
    } else if !origins.isEmpty {
      guard let list = WebOrigin.list(origins.joined(separator: ";")) else {
        throw CommandOptions.Problem(
          description: "--allow-origin: at most 32 origins like https://app.example.com are expected, or none alone.")
      }
      policy.allowedOrigins = list
    }
    if let level = options.accessLevel() { policy.accessLevel = level }
    if let limit = options.limit("capacity") { policy.capacity = limit }
    if let limit = options.limit("max-meetings") { policy.maximumMeetings = limit }
    policy.lobby = try options.lobby(over: policy.lobby)
    policy.chat = options.chat(over: policy.chat)
    let kib = options.number("max-chat-kib", over: policy.maximumChatBytes.map { $0 >> 10 })
    policy.maximumChatBytes = kib.map { $0 << 10 }
    if let limit = options.limit("max-participants") { policy.maximumParticipants = limit }
    if let limit = options.limit("max-stored-meetings") { policy.maximumStoredMeetings = limit }
    if let text = options["token-expiry"] { policy.tokenExpiry = TokenExpiry(rawValue: text) }
    if let text = options["encryption"] { policy.encryption = EncryptionPolicy(rawValue: text) }
    if let limit = options.limit("max-requests") { policy.maximumRequests = limit }
  }
}
