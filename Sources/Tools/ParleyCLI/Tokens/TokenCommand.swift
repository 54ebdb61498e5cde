import Basics
import FoundationEssentials
import MeetingServer
import Meetings
import Options

/// `parley token`: makes, explains and revokes join tokens.
enum TokenCommand {
  static let group = CommandGroup(
    name: "token", summary: "make, look at and revoke join tokens",
    help: "Makes, lists, explains and revokes join tokens. Works beside a running server, and takes effect at once.",
    members: [
      .init(
        name: "create", operands: "", help: "make a token for a room and print it",
        table: [
          Option("room", .text("ROOM"), "the room that it opens; * for every room of the tenant"),
          Option(
            "role", .choice(Role.allCases.map(\.rawValue) + ["guest", "presenter", "publisheronly"], named: "ROLE"),
            default: Role.publisher.rawValue, "what its holder is"),
          Option(
            "permissions", .either(.text("LIST"), "none"), otherwise: "those of the role",
            "what its holder may do: some of \(Permissions.allNames.joined(separator: ","))"),
          Option("name", .text("NAME"), otherwise: "the holder's choice", "the display name that its holder bears"),
          Option(
            "user", .text("USER"), otherwise: "nobody known",
            "who its holder is: whose own room is theirs, and whom a ban keeps out"),
          Option(
            "guest", "its holder is none of the tenant's own people, and waits in the lobby where only those go in"),
          Option(
            "devices", .text("LIST"), otherwise: "nothing",
            "what a link with it may open without a click: microphone, camera"),
          Option("expires", .time(), default: "1h", "how long it is good, at most 30 days: 30m, 8h"),
          .tenant("whose room it is"),
          Option("server", .text("URL"), "print the address to join by at this server instead"),
          DataFolder.option, .json,
        ], run: create),
      .init(
        name: "list", operands: "", help: "list the tokens that were made here or that somebody came in with",
        table: [
          Option("room", .text("ROOM"), "only those of this room"), .tenant("only this tenant's", otherwise: "all"),
          .limit(), DataFolder.option, .json,
        ], run: list),
      .init(
        name: "inspect", operands: "TOKEN",
        help: "say what a token grants, or what is wrong with it; - reads it from standard input",
        table: [DataFolder.option, .json], run: inspect),
      .init(
        name: "revoke", operands: "[TOKEN]",
        help: "refuse a token from now on, and end who is in a meeting with it; - reads it from standard input",
        table: [
          Option("id", .text("ID"), "the token's id (jti) instead of the token"),
          .tenant("whose token it is, with --id"), DataFolder.option, .json,
        ], run: revoke),
    ])

  private static func create(_ options: CommandOptions) async throws {
    try options.requireNoOperands()
    guard let name = options["room"] else {
      throw CommandOptions.Problem(description: "--room is needed: the room that the token opens.")
    }
    let target: MeetingTarget
    do throws(RoomNameError) {
      target = name == "*" ? .anyRoom : .room(try RoomName(name))
    } catch {
      throw CommandOptions.Problem(description: error.description)
    }
    guard let role = Role(name: options["role"] ?? "") else {
      throw CommandOptions.Problem(
        description: "--role: one of \(Role.allCases.map(\.rawValue).joined(separator: ", ")) is expected.")
    }
    let seconds = options.seconds("expires") ?? 0
    guard seconds >= 1, seconds <= JoinGrant.longest else {
      throw CommandOptions.Problem(description: "--expires: a time from 1s to 720h (30 days) is expected.")
    }
    let permissions = try permissions(options)
    let devices = try devices(options)
    let user = options["user"]
    guard user.map({ (1...MeetingRecord.maximumOwner).contains($0.utf8.count) }) ?? true else {
      throw CommandOptions.Problem(description: "--user: 1 to \(MeetingRecord.maximumOwner) bytes are expected.")
    }
    try await DataFolder.with(options, creating: true) { folder in
      let tenant = try await folder.requireTenant(options["tenant"])
      var token = JoinToken(
        tenant: tenant.id, target: target, role: role, permissions: permissions, name: options["name"],
        user: user, isGuest: options.has("guest"), notBefore: folder.now,
        expires: folder.now.addingTimeInterval(seconds))
      token.linkDevices = devices
      let signed = try folder.authority.sign(token, tenant: tenant).value
      let (record, extent) = (
        TokenRecord(issued: token, room: name, at: folder.now),
        (permissions.map { ", only \($0.names.joined(separator: " "))" } ?? "")
          + (devices.isEmpty ? "" : ", opens \(devices.names.joined(separator: " "))")
      )
      let entry = folder.entry(
        "token.create", token.id.rawValue, tenant: tenant.name,
        "\(role.rawValue) in \(name) for \(Int(seconds)) s\(extent)\(user.map { ", user \($0)" } ?? "")")
      try await folder.record(record, entry)
      let text = String(signed.dropFirst(JoinToken.prefix.utf8.count))
      let address = options["server"].map { server in
        let base = server.hasSuffix("/") ? String(server.dropLast()) : server
        let room = if case .room(let room) = target { room.pathSegment } else { "ROOM" }
        return "\(base)/\(room)#jwt=\(text)"
      }
      if options.has("json") {
        let line: JSONLine = [
          "token": .text(text), "id": .text(token.id.rawValue), "tenant": .text(tenant.name), "room": .text(name),
          "role": .text(role.rawValue), "expires": .text(DataFolder.text(token.expires)),
          "address": JSONValue(address),
        ]
        line.print()
      } else {
        CommandLineText.say((address ?? text) + "\n")
      }
    }
  }

  private static func permissions(_ options: CommandOptions) throws(CommandOptions.Problem) -> Permissions? {
    guard let text = options["permissions"] else { return nil }
    let names = text == "none" ? [] : text.split(separator: ",").map(String.init)
    guard let permissions = Permissions(names: names) else {
      throw CommandOptions.Problem(
        description:
          "--permissions \(text): some of \(Permissions.allNames.joined(separator: ",")) are expected, or none.")
    }
    return permissions
  }

  private static func devices(_ options: CommandOptions) throws(CommandOptions.Problem) -> Set<LinkDevice> {
    let names = (options["devices"] ?? "").split(separator: ",").map(String.init)
    let devices = LinkDevice.named(names)
    guard devices.count == names.count else {
      throw CommandOptions.Problem(
        description: "--devices: some of \(LinkDevice.allCases.map(\.rawValue).joined(separator: ",")) are expected.")
    }
    return devices
  }

  private static func inspect(_ options: CommandOptions) async throws {
    let text = try token(try options.operand("A token, or - to read it from standard input,"))
    try await DataFolder.with(options) { folder in
      let grant: JoinGrant
      let tenant: Tenant
      do {
        (grant, tenant) = try await folder.authority.inspect(token: text, now: folder.now)
      } catch let problem as TokenProblem {
        if options.has("json") {
          let line: JSONLine = ["valid": false, "problem": .text(problem.description)]
          line.print()
        }
        throw CommandGroup.Failure(description: "The token is not valid: \(problem).")
      }
      let room = try await room(of: grant, folder)
      if options.has("json") {
        let line: JSONLine = [
          "valid": true, "form": .text(grant.form.rawValue), "id": .text(grant.id.rawValue),
          "tenant": .text(tenant.name), "room": .text(room), "role": .text(grant.role.rawValue),
          "permissions": .list(grant.permissions.names.map { .text($0) }), "name": JSONValue(grant.name),
          "user": JSONValue(grant.user), "guest": .truth(grant.isGuest),
          "devices": .list(grant.linkDevices.names.map { .text($0) }),
          "expires": .text(DataFolder.text(grant.expires)),
        ]
        line.print()
      } else {
        let may = grant.permissions.names.joined(separator: ", ")
        CommandLineText.say(
          """
          Form         \(grant.form.rawValue)
          Id           \(CommandLineText.printable(grant.id.rawValue))
          Tenant       \(tenant.name)
          Room         \(room)
          Role         \(grant.role.rawValue)
          Permissions  \(may.isEmpty ? "none" : may)
          Name         \(grant.name.map(CommandLineText.printable) ?? "the holder's choice")
          User         \(grant.user.map(CommandLineText.printable) ?? "nobody known")
          Opens        \(grant.linkDevices.isEmpty ? "no device" : grant.linkDevices.names.joined(separator: ", "))
          Good until   \(DataFolder.text(grant.expires))

          """)
      }
    }
  }

  private static func room(of grant: JoinGrant, _ folder: DataFolder) async throws -> String {
    switch grant.target {
    case .anyRoom: "*"
    case .room(let name): name.display
    case .meeting(let id): try await folder.meeting(id)?.room.display ?? "a meeting that is gone"
    }
  }

  private static func revoke(_ options: CommandOptions) async throws {
    guard (options["id"] == nil) == (options.operands.count == 1), options.operands.count <= 1 else {
      throw CommandOptions.Problem(description: "A token, - to read it from standard input, or --id is expected.")
    }
    let text = try options.operands.first.map(token)
    try await DataFolder.with(options) { folder in
      let authority = folder.authority
      let id: TokenID
      if let text {
        do {
          let (grant, tenant) = try await authority.inspect(token: text, now: folder.now)
          id = grant.id
          try await folder.revoke(id, of: tenant, until: JoinAuthority.revocationEnd(of: grant, now: folder.now))
        } catch let problem as TokenProblem {
          throw CommandGroup.Failure(description: "The token is not valid, so there is nothing to revoke: \(problem).")
        }
      } else {
        let tenant = try await folder.requireTenant(options["tenant"])
        id = TokenID(rawValue: options["id"] ?? "")
        // No token is good for longer.
        try await folder.revoke(id, of: tenant, until: folder.now.addingTimeInterval(JoinGrant.longest + 3_600))
      }
      if options.has("json") {
        let line: JSONLine = ["revoked": .text(id.rawValue)]
        line.print()
      } else {
        CommandLineText.say(
          "The token \(CommandLineText.printable(id.rawValue)) is refused from now on, and who was in a meeting with it is out.\n"
        )
      }
    }
  }

  /// A token given as an operand; `-` reads it from standard input, where other users of the machine do not see it.
  private static func token(_ operand: String) throws(CommandOptions.Problem) -> Secret<String> {
    guard operand == "-" else { return Secret(operand) }
    guard let line = readLine() else { throw CommandOptions.Problem(description: "Standard input has no token.") }
    return Secret(line)
  }
}

extension DataFolder {
  /// Refuses a token from now on. A server that runs on the folder does so, and removes participants who joined with
  /// it; one that doesn't answer reads of it in the database.
  fileprivate func revoke(_ token: TokenID, of tenant: Tenant, until end: Date) async throws {
    let id = Self.segment(token.rawValue)
    var silent: RunningServer.Unreachable?
    do {
      if try await ask("DELETE", "tokens/any?tenant=\(tenant.name)&id=\(id)") != nil { return }
    } catch let error as RunningServer.Unreachable {
      silent = error
    }
    try await revoke(
      token, of: tenant, until: end, entry("token.revoke", token.rawValue, tenant: tenant.name))
    guard let silent else { return }
    throw CommandGroup.Failure(
      description:
        "The token \(CommandLineText.printable(token.rawValue)) is refused from now on, but who is in a meeting with it stays there. \(silent.description)"
    )
  }
}
