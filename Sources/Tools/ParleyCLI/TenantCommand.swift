import Basics
import FoundationEssentials
import MeetingServer
import Meetings

/// `parley tenant`: who may use a server, by which rules, with which keys.
enum TenantCommand {
  private static let rules: [CommandOptions.Option] =
    [
      .init(
        "allow-origin", "ORIGIN", "a page of another server that may use the tokens, or none; may be repeated",
        repeats: true),
      .init(
        "access-level", "LEVEL", "who gets into new meetings without waiting: Everyone, SameEnterprise, Invited, Locked"
      ),
      .init("capacity", "N|none", "the most participants of a new meeting"),
      .init("max-meetings", "N|none", "the most meetings at once"),
      .init("max-participants", "N|none", "the most participants at once, in all meetings together"),
      .init("max-stored-meetings", "N|none", "the most meetings that are kept, running or not"),
      .init("max-requests", "N|none", "the most requests a second, over every door that knows the tenant"),
      .init(
        "token-expiry", "stay|leave|none",
        "whether who is in a meeting stays when their join token ends (the server's --token-expiry)"),
      .init("max-chat-kib", "N|none", "the most KiB of chat files at once, in all meetings together"),
    ] + CommandOptions.lobbyRules + CommandOptions.chatRules
  private static let json = CommandOptions.Option("json", nil, "print JSON objects instead of words")

  static let group = CommandGroup(
    name: "tenant",
    help: "Looks at and changes who may use a server. Works beside a running server, and takes effect at once.",
    members: [
      .init(name: "list", operands: "", help: "list the tenants", table: [DataFolder.option, json], run: list),
      .init(
        name: "create", operands: "NAME", help: "make a tenant with an API key; its people need tokens",
        table: rules + [DataFolder.option, json], run: create),
      .init(
        name: "show", operands: "NAME", help: "show a tenant's rules and keys",
        table: [.init("show-secrets", nil, "show the secrets too"), DataFolder.option, json], run: show),
      .init(
        name: "set", operands: "NAME", help: "change a tenant's rules",
        table: [
          .init(
            "sign-in", "open|token|oidc",
            "open: whoever has an address gets in; token: only with a token; oidc: who signs in (open, oidc: the default tenant only)"
          )
        ] + CommandOptions.providerRules + rules + [DataFolder.option, json], run: set),
      .init(
        name: "rotate-key", operands: "NAME", help: "make a new secret; the old one stays good until it is retired",
        table: [
          .init("expire-old", "TIME", "until when the old secret stays good, as a time from now: 0, 24h"),
          DataFolder.option, json,
        ], run: rotateKey),
      .init(
        name: "retire-key", operands: "NAME KEY-ID", help: "take a secret out of use at once",
        table: [
          .init("end-sessions", nil, "also end who is in a meeting with a token that it signed, as when it leaked"),
          DataFolder.option, json,
        ], run: retireKey),
      .init(
        name: "remove", operands: "NAME",
        help: "forget a tenant with its secrets, meetings, tokens and webhooks; none of its meetings may run",
        table: [DataFolder.option, json], run: remove),
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
    var mode: SignInMode?
    if let text = options["sign-in"] {
      guard let known = SignInMode(rawValue: text) else {
        throw CommandOptions.Problem(description: "--sign-in \(text): open, token or oidc is expected.")
      }
      mode = known
    }
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
    // People without a token are the default tenant's; nobody could come in by another's open door.
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
    let end = try options.seconds("expire-old")
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
    if let level = try options.accessLevel() { policy.accessLevel = level }
    if let limit = try options.limit("capacity", in: 1...10_000) { policy.capacity = limit }
    if let limit = try options.limit("max-meetings", in: 0...1_000_000) { policy.maximumMeetings = limit }
    policy.lobby = try options.lobby(over: policy.lobby)
    policy.chat = try options.chat(over: policy.chat)
    let kib = try options.number("max-chat-kib", 0...1_073_741_824, over: policy.maximumChatBytes.map { $0 >> 10 })
    policy.maximumChatBytes = kib.map { $0 << 10 }
    if let limit = try options.limit("max-participants", in: 0...1_000_000) { policy.maximumParticipants = limit }
    if let limit = try options.limit("max-stored-meetings", in: 0...10_000_000) {
      policy.maximumStoredMeetings = limit
    }
    if let text = options["token-expiry"] {
      guard text == "none" || TokenExpiry(rawValue: text) != nil else {
        throw CommandOptions.Problem(description: "--token-expiry \(text): stay, leave or none is expected.")
      }
      policy.tokenExpiry = TokenExpiry(rawValue: text)
    }
    if let limit = try options.limit("max-requests", in: 1...1_000_000) { policy.maximumRequests = limit }
  }
}
