import FoundationEssentials
import Meetings
import Options

/// `parley user`: people and the rooms of their own.
enum UserCommand {
  private static let tenant = Option.tenant("whose people")

  static let group = CommandGroup(
    name: "user", summary: "look after rooms of people's own",
    help: "Looks after the rooms of people's own. A person is who the tenant's join tokens name (sub).",
    members: [
      .init(
        name: "list", operands: "", help: "list who has a room of their own",
        table: [.limit(), tenant, DataFolder.option, .json], run: list),
      .init(
        name: "room", operands: "USER", help: "show somebody's own room; make it when there is none",
        table: [
          Option("room", .text("ROOM"), otherwise: "an unguessable one", "the name that a new one gets"),
          Option("subject", .text("TEXT"), otherwise: "the room's name", "the title of a new one"), tenant,
          DataFolder.option, .json,
        ], run: room),
      .init(
        name: "remove-room", operands: "USER", help: "forget somebody's own room; it ends for everybody who is in it",
        table: [tenant, DataFolder.option, .json], run: removeRoom),
    ])

  private static func list(_ options: CommandOptions) async throws {
    try options.requireNoOperands()
    let limit = options.count("limit")
    try await DataFolder.with(options) { folder in
      let tenant = try await folder.requireTenant(options["tenant"])
      for meeting in try await folder.personalRooms(of: tenant, limit: limit) {
        show(meeting, tenant, options)
      }
    }
  }

  private static func room(_ options: CommandOptions) async throws {
    let user = try user(options)
    let name: RoomName
    do throws(RoomNameError) {
      name = try options["room"].map { text throws(RoomNameError) in try RoomName(text) } ?? .random()
    } catch {
      throw CommandOptions.Problem(description: error.description)
    }
    try await DataFolder.with(options, creating: true) { folder in
      let tenant = try await folder.requireTenant(options["tenant"])
      if let known = try await folder.personalRoom(of: user, tenant) {
        return show(known, tenant, options)
      }
      let meeting = MeetingRecord.personal(
        of: user, room: name, subject: options["subject"], tenant: tenant, now: folder.now)
      let entry = folder.entry("meeting.create", meeting.id.rawValue, tenant: tenant.name, "the own room of \(user)")
      try await folder.create(meeting, entry)
      show(meeting, tenant, options)
    }
  }

  private static func removeRoom(_ options: CommandOptions) async throws {
    let user = try user(options)
    try await DataFolder.with(options) { folder in
      let tenant = try await folder.requireTenant(options["tenant"])
      guard let meeting = try await folder.personalRoom(of: user, tenant),
        try await folder.remove(meeting, of: tenant)
      else {
        throw CommandGroup.Failure(description: "\(CommandLineText.printable(user)) has no room of their own.")
      }
      if options.has("json") {
        let line: JSONLine = ["removed": .text(meeting.id.rawValue), "room": .text(meeting.room.display)]
        line.print()
      } else {
        CommandLineText.say("The room \(meeting.room.display) is removed.\n")
      }
    }
  }

  private static func user(_ options: CommandOptions) throws -> String {
    let user = try options.operand("The person, as join tokens name them,")
    guard (1...MeetingRecord.maximumOwner).contains(user.utf8.count) else {
      throw CommandOptions.Problem(
        description: "A person's name in tokens has 1 to \(MeetingRecord.maximumOwner) bytes.")
    }
    return user
  }

  private static func show(_ meeting: MeetingRecord, _ tenant: Tenant, _ options: CommandOptions) {
    if options.has("json") {
      let line: JSONLine = [
        "user": .text(meeting.owner ?? ""), "tenant": .text(tenant.name), "room": .text(meeting.room.display),
        "id": .text(meeting.id.rawValue), "created": .text(DataFolder.text(meeting.created)),
      ]
      line.print()
    } else {
      CommandLineText.say(
        "\(CommandLineText.printable(meeting.owner ?? ""))  \(meeting.room.display)  \(meeting.id)  \(tenant.name)\n")
    }
  }
}
