import Basics
import FoundationEssentials
import Meetings
import Options

/// `parley domain`: the applications of the messaging service.
enum DomainCommand {
  static let group = CommandGroup(
    name: "domain", summary: "look after domains of the messaging service",
    help: "Looks after domains of the messaging service: one for each application. A domain has a tenant of its name.",
    members: [
      .init(
        name: "list", operands: "", help: "list the domains",
        table: [.limit(), Option("after", .text("NAME"), "begin after this domain"), DataFolder.option, .json],
        run: list),
      .init(
        name: "create", operands: "NAME", help: "make a domain, and print its id",
        table: CommandOptions.domainRules + [DataFolder.option, .json], run: create),
      .init(
        name: "show", operands: "DOMAIN", help: "show a domain's settings",
        table: [Option("show-secrets", "show the key of push signatures too"), DataFolder.option, .json], run: show),
      .init(
        name: "set", operands: "DOMAIN", help: "change a domain's settings",
        table: CommandOptions.domainRules + [DataFolder.option, .json], run: set),
      .init(
        name: "remove", operands: "DOMAIN",
        help: "forget a domain with its identities, chats and messages; its tenant stays",
        table: [DataFolder.option, .json], run: remove),
    ])

  private static func list(_ options: CommandOptions) async throws {
    try options.requireNoOperands()
    try await DataFolder.with(options) { folder in
      let domains = try await folder.domains(after: options["after"] ?? "", limit: options.count("limit"))
      for domain in domains { print(domain, options) }
    }
  }

  private static func create(_ options: CommandOptions) async throws {
    let name = try options.operand("The name of the domain")
    guard Tenant.isName(name) else {
      throw CommandOptions.Problem(description: "\(name): a name has 1 to 64 lower-case letters, digits and hyphens.")
    }
    let settings = try options.domain(over: nil)
    try await DataFolder.with(options, creating: true) { folder in
      let entry = folder.entry("domain.create", name, tenant: name, options.given)
      let domain: MessagingDomain
      do {
        domain = try await folder.createDomain(name, settings, entry)
      } catch MeetingStoreError.tenantExists {
        if let known = try await folder.domain(name) { try known.requireKept() }
        throw CommandGroup.Failure(description: "There is already a domain named \(name). Choose another name.")
      }
      if options.has("json") {
        line(domain).print()
      } else {
        CommandLineText.say("\(domain.id)\n")
      }
    }
  }

  private static func show(_ options: CommandOptions) async throws {
    try await DataFolder.with(options) { folder in
      let domain = try await folder.requireDomain(options)
      let showsSecrets = options.has("show-secrets")
      if showsSecrets, domain.settings.push != nil {
        try await folder.append(folder.entry("domain.showSecret", domain.name, tenant: domain.name))
      }
      print(domain, options, usage: try await folder.usage(of: domain.id), showsSecrets: showsSecrets)
    }
  }

  private static func set(_ options: CommandOptions) async throws {
    try await DataFolder.with(options) { folder in
      let domain = try await folder.requireDomain(options)
      try domain.requireKept()
      let entry = folder.entry("domain.change", domain.name, tenant: domain.name, options.given)
      let changed = try await folder.changeDomain(domain.id, entry) { $0 = try options.domain(over: $0) }
      guard let changed else {
        throw CommandGroup.Failure(description: "The domain was removed by somebody else meanwhile.")
      }
      print(changed, options)
    }
  }

  private static func remove(_ options: CommandOptions) async throws {
    try await DataFolder.with(options) { folder in
      let domain = try await folder.requireDomain(options)
      let entry = folder.entry("domain.remove", domain.name, tenant: domain.name)
      guard try await folder.removeDomain(domain.id, entry) else {
        throw CommandGroup.Failure(description: "The domain was removed by somebody else meanwhile.")
      }
      if options.has("json") {
        let line: JSONLine = ["removed": .text(domain.id.text), "name": .text(domain.name)]
        line.print()
      } else {
        CommandLineText.say("The domain \(domain.name) is removed.\n")
      }
    }
  }

  private static func print(
    _ domain: MessagingDomain, _ options: CommandOptions, usage: StorageUsage? = nil, showsSecrets: Bool = false
  ) {
    if options.has("json") { return line(domain, usage: usage, showsSecrets: showsSecrets).print() }
    let settings = domain.settings
    var text = "\(domain.name)  \(domain.id)  \(settings.environment.rawValue)  auth \(settings.authentication.kind)"
    if !settings.hasKeyManagement { text += "  no key management" }
    if domain.isBeingRemoved { text += "  being removed" }
    if let push = settings.push {
      text += "  push \(push.url)\(showsSecrets ? " secret \(push.secret)" : "")"
    }
    if let usage { text += "  stores \(usage.bytes >> 20) of \(usage.limit >> 20) MiB" }
    CommandLineText.say(text + "\n")
  }

  private static func line(
    _ domain: MessagingDomain, usage: StorageUsage? = nil, showsSecrets: Bool = false
  ) -> JSONLine {
    let settings = domain.settings
    let push = settings.push
    var line: JSONLine = [
      "id": .text(domain.id.text), "name": .text(domain.name), "environment": .text(settings.environment.rawValue),
      "auth": .text(settings.authentication.kind), "keyManagement": .truth(settings.hasKeyManagement),
      "pushURL": .text(push?.url ?? ""), "pushSecret": .text(showsSecrets ? push?.secret ?? "" : ""),
      "created": .text(DataFolder.text(domain.created)),
    ]
    if domain.isBeingRemoved { line.add("removing", .truth(true)) }
    if let usage {
      line.add("storedBytes", .integer(usage.bytes))
      line.add("maximumStoredBytes", .integer(usage.limit))
    }
    return line
  }
}

extension MessagingDomain {
  /// Fails for a domain that is being removed.
  fileprivate func requireKept() throws {
    if isBeingRemoved {
      throw CommandGroup.Failure(
        description: "The domain \(name) is being removed. `parley domain remove \(name)` goes on with it.")
    }
  }
}

extension DataFolder {
  /// The domain that the first operand names.
  func requireDomain(_ options: CommandOptions) async throws -> MessagingDomain {
    guard let name = options.operands.first else {
      throw CommandOptions.Problem(description: "The name or id of a domain is expected.")
    }
    if let domain = try await domain(name) { return domain }
    throw CommandGroup.Failure(
      description: "There is no domain \(name). `parley domain list` shows them all; `parley domain create` makes one.")
  }
}
