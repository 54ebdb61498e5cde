import Basics
import FoundationEssentials
import Meetings
import Options

/// `parley meeting`: the meetings that a server knows.
enum MeetingCommand {
  static let tenant = Option.tenant("whose meetings")

  static let passcode = Option(
    "passcode", .either(.text("TEXT"), "none"), "what guests must know to get in; - reads it from standard input")

  static let group = CommandGroup(
    name: "meeting", summary: "list, make, plan, end and remove meetings; see who is there",
    help: "Lists, makes, plans, ends and removes meetings. Works beside a running server.",
    members: [
      .init(
        name: "list", operands: "", help: "list meetings, the newest first",
        table: [Option.tenant("only this tenant's", otherwise: "all"), Option.limit(), DataFolder.option, Option.json],
        run: list),
      .init(
        name: "create", operands: "[ROOM]", help: "make a meeting; without a room name it gets an unguessable one",
        table: [
          Option("subject", .text("TEXT"), otherwise: "the room's name", "the title"),
          Option.accessLevel("who gets in without waiting", otherwise: "the tenant's"),
          Option("capacity", .number(1...10_000), otherwise: "the tenant's", "the most participants"), passcode,
          Option("expires", .time(), otherwise: "never", "after how long it ends, like 8h"), tenant, DataFolder.option,
          Option.json,
        ] + CommandOptions.lobbyRules + CommandOptions.chatRules, run: create),
      .init(
        name: "remove", operands: "ROOM|ID", help: "forget a meeting; it ends for everybody who is in it",
        table: [tenant, DataFolder.option, Option.json], run: remove),
    ] + scheduling + running)

  private static func list(_ options: CommandOptions) async throws {
    try options.requireNoOperands()
    let limit = options.count("limit")
    try await DataFolder.with(options) { folder in
      let names = try await folder.tenantNames()
      let only = if let name = options["tenant"] { try await folder.requireTenant(name) } else { Tenant?.none }
      for meeting in try await folder.meetings(of: only, limit: limit) {
        show(meeting, tenant: names[meeting.tenant] ?? "", options)
      }
    }
  }

  private static func create(_ options: CommandOptions) async throws {
    guard options.operands.count <= 1 else {
      throw CommandOptions.Problem(description: "Only one operand is expected: the room's name.")
    }
    let room: RoomName
    do throws(RoomNameError) {
      room = try options.operands.first.map { name throws(RoomNameError) in try RoomName(name) } ?? .random()
    } catch {
      throw CommandOptions.Problem(description: error.description)
    }
    let (level, capacity) = (options.accessLevel(), options.number("capacity"))
    let seconds = options.seconds("expires")
    // Said before the folder is opened.
    _ = try options.lobby(over: LobbySettings())
    let passcode = try options.passcode() ?? nil
    try await DataFolder.with(options, creating: true) { folder in
      let tenant = try await folder.requireTenant(options["tenant"])
      let meeting = MeetingRecord(
        tenant: tenant.id, room: room, kind: .named, subject: options["subject"] ?? room.display,
        accessLevel: level ?? tenant.policy.accessLevel, created: folder.now,
        expires: seconds.map { folder.now.addingTimeInterval($0) }, capacity: capacity ?? tenant.policy.capacity,
        passcode: passcode, lobby: try options.lobby(over: tenant.policy.lobby),
        chat: options.chat(over: tenant.policy.chat))
      let entry = folder.entry("meeting.create", meeting.id.rawValue, tenant: tenant.name, room.display)
      try await folder.create(meeting, entry)
      show(meeting, tenant: tenant.name, options)
    }
  }

  private static func remove(_ options: CommandOptions) async throws {
    try await with(options) { folder, tenant, meeting in
      guard try await folder.remove(meeting, of: tenant) else {
        throw CommandGroup.Failure(description: "The meeting was removed by somebody else meanwhile.")
      }
      if options.has("json") {
        let line: JSONLine = ["removed": .text(meeting.id.rawValue), "room": .text(meeting.room.display)]
        line.print()
      } else {
        CommandLineText.say("The meeting \(meeting.room.display) is removed.\n")
      }
    }
  }

  static func show(_ meeting: MeetingRecord, tenant: String, _ options: CommandOptions) {
    if options.has("json") {
      let line: JSONLine = [
        "id": .text(meeting.id.rawValue), "room": .text(meeting.room.display), "tenant": .text(tenant),
        "kind": .text(meeting.kind.rawValue), "subject": .text(meeting.subject),
        "accessLevel": .text(meeting.accessLevel.rawValue),
        "capacity": meeting.capacity.map { .integer($0) } ?? .null, "passcode": .truth(meeting.passcode != nil),
        "waitForHost": .truth(meeting.lobby.waitsForHost), "announce": .truth(meeting.lobby.announces),
        "lobbyTimeout": JSONValue((meeting.lobby.timeout?.seconds)),
        "created": .text(DataFolder.text(meeting.created)),
        "expires": JSONValue(meeting.expires.map(DataFolder.text)), "owner": JSONValue(meeting.owner),
        "schedule": meeting.schedule.map { .object(scheduleLine($0)) } ?? .null,
      ]
      line.print()
    } else {
      let end = meeting.expires.map { "  until \(DataFolder.text($0))" } ?? ""
      let time =
        meeting.schedule.map { schedule in
          "  \(schedule.start.text.prefix(16).replacing("T", with: " ")) \(schedule.zone)"
            + (schedule.rule.map { " \($0.text)" } ?? "") + (schedule.isCancelled ? " (called off)" : "")
        } ?? ""
      CommandLineText.say(
        "\(meeting.room.display)  \(meeting.id)  \(tenant)  made \(DataFolder.text(meeting.created))\(end)\(time)  "
          + "\(CommandLineText.printable(meeting.subject))\n")
    }
  }

  private static func scheduleLine(_ schedule: MeetingSchedule) -> JSONLine {
    [
      "uid": .text(schedule.uid), "start": .text(schedule.start.text), "zone": .text(schedule.zone),
      "duration": .integer(schedule.duration), "rule": JSONValue(schedule.rule?.text),
      "excluded": .list(schedule.excluded.map { .text($0.text) }),
      "moved": .list(schedule.moved.map { .text($0.text) }), "organizer": JSONValue(schedule.organizer?.text),
      "attendees": .list(schedule.attendees.map { .text($0.text) }), "sequence": .integer(schedule.sequence),
      "cancelled": .truth(schedule.isCancelled), "early": .text(schedule.doors.early.rawValue),
      "opensBefore": .integer(schedule.doors.opensBefore),
      "closesAfter": schedule.doors.closesAfter.map { .integer($0) } ?? .null,
    ]
  }
}
