import FoundationEssentials
import Meetings
import Messaging
import Options

/// `parley identity` and `parley endpoint`: the users of a domain and their installations.
enum IdentityCommand {
  static let group = CommandGroup(
    name: "identity", summary: "look at the identities of a domain",
    members: [
      .init(
        name: "list", operands: "DOMAIN", help: "list the identities of a domain, by user id",
        table: [.limit(), Option("after", .text("USER"), "begin after this user"), DataFolder.option, .json], run: list),
      .init(
        name: "show", operands: "DOMAIN USER", help: "show a user's identity",
        table: [DataFolder.option, .json], run: show),
    ])

  static let endpoints = CommandGroup(
    name: "endpoint", summary: "look at and remove endpoints of an identity",
    members: [
      .init(
        name: "list", operands: "DOMAIN USER", help: "list a user's endpoints, the oldest first",
        table: [DataFolder.option, .json], run: listEndpoints),
      .init(
        name: "remove", operands: "DOMAIN ENDPOINT", help: "deregister an endpoint, which wipes what it holds",
        table: [DataFolder.option, .json], run: removeEndpoint),
    ])

  private static func list(_ options: CommandOptions) async throws {
    try await DataFolder.with(options) { folder in
      let domain = try await folder.requireDomain(options)
      let identities = try await folder.identities(
        of: domain.id, after: options["after"] ?? "", limit: options.count("limit"))
      for identity in identities { print(identity, options) }
    }
  }

  private static func show(_ options: CommandOptions) async throws {
    try await DataFolder.with(options) { folder in print(try await identity(options, folder).1, options) }
  }

  private static func listEndpoints(_ options: CommandOptions) async throws {
    try await DataFolder.with(options) { folder in
      let (_, identity) = try await identity(options, folder)
      for endpoint in try await folder.endpoints(of: identity.regId) {
        if options.has("json") {
          let line: JSONLine = [
            "endpoint": .text(endpoint.id.text), "description": .text(endpoint.description),
            "nickname": .text(endpoint.nickname), "persistent": .truth(endpoint.isPersistent),
            "created": .text(DataFolder.text(endpoint.created)),
          ]
          line.print()
        } else {
          let kind = endpoint.isPersistent ? "persistent" : "ephemeral"
          CommandLineText.say(
            "\(endpoint.id)  \(kind)  \(DataFolder.text(endpoint.created))  "
              + "\(CommandLineText.printable(endpoint.description))  \(CommandLineText.printable(endpoint.nickname))\n")
        }
      }
    }
  }

  private static func removeEndpoint(_ options: CommandOptions) async throws {
    guard options.operands.count == 2, let id = options.operands.last else {
      throw CommandOptions.Problem(description: "A domain and the id of an endpoint are expected.")
    }
    try await DataFolder.with(options) { folder in
      let domain = try await folder.requireDomain(options)
      let entry = folder.entry("endpoint.remove", id, tenant: domain.name)
      guard try await folder.deregister(EndpointID(id), of: domain.id, entry) else {
        throw CommandGroup.Failure(description: "The domain has no endpoint \(CommandLineText.printable(id)).")
      }
      if options.has("json") {
        let line: JSONLine = ["removed": .text(id)]
        line.print()
      } else {
        CommandLineText.say("The endpoint \(id) is removed.\n")
      }
    }
  }

  private static func identity(
    _ options: CommandOptions, _ folder: DataFolder
  ) async throws -> (MessagingDomain, MessagingIdentity) {
    guard options.operands.count == 2, let user = options.operands.last else {
      throw CommandOptions.Problem(description: "A domain and a user id are expected.")
    }
    let domain = try await folder.requireDomain(options)
    if let identity = try await folder.identity(user: user, of: domain.id) { return (domain, identity) }
    throw CommandGroup.Failure(description: "\(domain.name) has no identity \(CommandLineText.printable(user)).")
  }

  private static func print(_ identity: MessagingIdentity, _ options: CommandOptions) {
    if options.has("json") {
      let line: JSONLine = [
        "user": .text(identity.userId), "regId": .text(identity.regId.description), "pin": .text(identity.pin),
        "hasKeys": .truth(identity.keys != nil),
      ]
      line.print()
    } else {
      CommandLineText.say(
        "\(CommandLineText.printable(identity.userId))  \(identity.regId)  PIN \(identity.pin)"
          + "\(identity.keys == nil ? "  no keys" : "")\n")
    }
  }
}
