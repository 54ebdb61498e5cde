import FoundationEssentials
import Meetings

/// `parley meeting`: the meetings that a server knows.
enum MeetingCommand {
  static let tenant = CommandOptions.Option("tenant", "NAME", "whose meetings (the default tenant)")
  static let json = CommandOptions.Option("json", nil, "print JSON objects instead of words")

  static let group = CommandGroup(
    name: "meeting", help: "Lists, makes, plans, ends and removes meetings. Works beside a running server.",
    members: [
      .init(
        name: "list", operands: "", help: "list meetings, the newest first",
        table: [
          .init("tenant", "NAME", "only this tenant's (all)"), .init("limit", "N", "the most that are listed (100)"),
          DataFolder.option, json,
        ], run: list),
      .init(
        name: "create", operands: "[ROOM]", help: "make a meeting; without a room name it gets an unguessable one",
        table: [
          .init("subject", "TEXT", "the title (the room's name)"),
          .init("access-level", "LEVEL", "Everyone, SameEnterprise, Invited or Locked (the tenant's)"),
          .init("capacity", "N", "the most participants (the tenant's)"),
          .init("passcode", "TEXT|none", "what guests must know to get in; - reads it from standard input (none)"),
          .init("expires", "TIME", "after how long it ends, like 8h (never)"), tenant, DataFolder.option, json,
        ] + CommandOptions.lobbyRules + CommandOptions.chatRules, run: create),
      .init(
        name: "remove", operands: "ROOM|ID", help: "forget a meeting; it ends for everybody who is in it",
        table: [tenant, DataFolder.option, json], run: remove),
    ] + scheduling + running)

  private static func list(_ options: CommandOptions) async throws {
    try options.requireNoOperands()
    let limit = try options.number("limit", in: 1...1_000_000) ?? 100
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
    let (level, capacity) = (try options.accessLevel(), try options.number("capacity", in: 1...10_000))
    let seconds = try options.seconds("expires")
    // Said before the folder is opened.
    _ = try options.lobby(over: LobbySettings())
    _ = try options.chat(over: ChatPolicy())
    let passcode = try options.passcode() ?? nil
    try await DataFolder.with(options, creating: true) { folder in
      let tenant = try await folder.requireTenant(options["tenant"])
      let meeting = MeetingRecord(
        tenant: tenant.id, room: room, kind: .named, subject: options["subject"] ?? room.display,
        accessLevel: level ?? tenant.policy.accessLevel, created: folder.now,
        expires: seconds.map { folder.now.addingTimeInterval($0) }, capacity: capacity ?? tenant.policy.capacity,
        passcode: passcode, lobby: try options.lobby(over: tenant.policy.lobby),
        chat: try options.chat(over: tenant.policy.chat))
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
        "lobbyTimeout": JSONValue((meeting.lobby.patience?.seconds)),
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
