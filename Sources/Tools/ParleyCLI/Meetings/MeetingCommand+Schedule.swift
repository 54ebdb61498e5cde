import Basics
import FoundationEssentials
import Meetings
import Options

/// `parley meeting schedule` and what belongs to it.
extension MeetingCommand {
  private static let times: [Option] = [
    Option("start", .text("TIME"), "the first start on the clocks of the zone, like 2026-11-23T10:00"),
    Option("zone", .text("NAME"), otherwise: "UTC", "the time zone, like Europe/Berlin"),
    Option("duration", .time(), otherwise: "1h", "how long it lasts"),
    Option(
      "repeat", .either(.text("RULE"), "never"), otherwise: "never",
      "when it comes again, like FREQ=WEEKLY;BYDAY=MO,TH;COUNT=10"),
    Option(
      "except", .either(.text("TIME"), "none"), repeats: true, "the start of an occurrence that does not take place"),
    Option(
      "move", .either(.text("TIME/TIME"), "none"), repeats: true, "an occurrence's start and the one it gets instead"),
    Option(
      "organizer", .either(.text("PERSON"), "none"), otherwise: "the tenant",
      "who invites, like 'Ann Lee <ann@example.com>'"),
    Option("invite", .either(.text("PERSON"), "none"), repeats: true, "who is invited"),
    Option(
      "early", .choice(["wait", "refuse", "open"]), otherwise: "wait", "what becomes of people who come too early"),
    Option("opens-before", .time(), otherwise: "10m", "how long before the start the doors are open"),
    Option("closes-after", .either(.time(), "never"), otherwise: "30m", "how long after the end one can come in"),
  ]

  private static let longText = Option("summary", .text("TEXT"), "a longer text about it")

  static let scheduling: [CommandGroup.Member] = [
    .init(
      name: "schedule", operands: "[ROOM]", help: "plan a meeting; without a room name it gets an unguessable one",
      table: times + [
        Option("subject", .text("TEXT"), otherwise: "the room's name", "the title"), longText,
        Option.accessLevel("who gets in without waiting", otherwise: "the tenant's"), passcode,
      ] + CommandOptions.lobbyRules + [tenant, DataFolder.option, Option.json], run: schedule),
    .init(
      name: "change", operands: "ROOM|ID",
      help: "change a meeting; one that runs goes by it at once",
      table: times + [
        Option("subject", .text("TEXT"), "the title"), longText, Option.accessLevel("who gets in without waiting"),
        Option("capacity", .either(.number(1...10_000), "none"), "the most participants"), passcode,
        Option("expires", .either(.time(), "never"), "after how long from now it ends, like 8h"), tenant,
        DataFolder.option, Option.json,
      ] + CommandOptions.lobbyRules + CommandOptions.chatRules, run: change),
    .init(
      name: "cancel", operands: "ROOM|ID", help: "call a planned meeting off; nobody can come in any more",
      table: [tenant, DataFolder.option, Option.json], run: cancel),
    .init(
      name: "occurrences", operands: "ROOM|ID", help: "list when a planned meeting takes place from now on",
      table: [Option.limit(20, of: 1...MeetingSchedule.maximumListed), tenant, DataFolder.option, Option.json],
      run: occurrences),
    .init(
      name: "calendar", operands: "ROOM|ID", help: "print the invitation as an iCalendar file",
      table: [
        Option("server", .text("URL"), "the server's address, which is part of the invitation; needed"),
        Option("public", "without the addresses of people"), tenant, DataFolder.option,
      ], run: calendar),
  ]

  private static func request(_ options: CommandOptions) -> ScheduleRequest {
    func optional(_ name: String, _ none: String) -> String? { options[name].map { $0 == none ? "" : $0 } }
    func all(_ name: String) -> [String]? {
      let values = options.all(name)
      return values.isEmpty ? nil : values == ["none"] ? [] : values
    }
    var request = ScheduleRequest()
    request.start = options["start"]
    request.zone = options["zone"]
    request.duration = options.seconds("duration").map { Int($0) }
    request.rule = optional("repeat", "never")
    request.excluded = all("except")
    request.moved = all("move")
    request.organizer = optional("organizer", "none")
    request.attendees = all("invite")
    request.opensBefore = options.seconds("opens-before").map { Int($0) }
    request.early = options["early"].flatMap { MeetingSchedule.EntryTimes.Early(rawValue: $0) }
    request.closesAfter =
      options["closes-after"] == "never" ? .some(nil) : options.seconds("closes-after").map { .some(Int($0)) }
    return request
  }

  private static func schedule(_ options: CommandOptions) async throws {
    guard options.operands.count <= 1 else {
      throw CommandOptions.Problem(description: "Only one operand is expected: the room's name.")
    }
    let room: RoomName
    do throws(RoomNameError) {
      room = try options.operands.first.map { name throws(RoomNameError) in try RoomName(name) } ?? .random()
    } catch {
      throw CommandOptions.Problem(description: error.description)
    }
    let (asked, level, passcode) = (request(options), options.accessLevel(), try options.passcode() ?? nil)
    try await DataFolder.with(options, creating: true) { folder in
      let tenant = try await folder.requireTenant(options["tenant"])
      var meeting = MeetingRecord(
        tenant: tenant.id, room: room, kind: .named, subject: options["subject"] ?? room.display,
        summary: options["summary"] ?? "", accessLevel: level ?? tenant.policy.accessLevel, created: folder.now,
        capacity: tenant.policy.capacity, passcode: passcode, lobby: try options.lobby(over: tenant.policy.lobby),
        chat: tenant.policy.chat)
      do throws(ScheduleProblem) {
        try meeting.plan(try asked.schedule(now: folder.now))
      } catch {
        throw CommandOptions.Problem(description: error.description)
      }
      let (planned, entry) = (
        meeting, folder.entry("meeting.schedule", meeting.id.rawValue, tenant: tenant.name, room.display)
      )
      try await folder.create(planned, entry)
      show(meeting, tenant: tenant.name, options)
    }
  }

  private static func change(_ options: CommandOptions) async throws {
    let asked = request(options)
    let (level, capacity) = (options.accessLevel(), options.limit("capacity"))
    let passcode = try options.passcode()
    let lifetime: Double?? =
      options["expires"] == "never" ? .some(nil) : options.seconds("expires").map { .some($0) }
    _ = try options.lobby(over: LobbySettings())
    try await keep(options, "meeting.change") { meeting, now in
      let texts = (meeting.subject, meeting.summary)
      meeting.subject = options["subject"] ?? meeting.subject
      meeting.summary = options["summary"] ?? meeting.summary
      if texts != (meeting.subject, meeting.summary) { meeting.schedule?.touch(now: now) }
      if !asked.isEmpty {
        if var schedule = meeting.schedule {
          let (before, end) = (schedule, meeting.expires)
          try asked.apply(to: &schedule, now: now)
          try meeting.plan(schedule)
          // As over the interfaces: an end that was set on its own stays while the time does.
          if before.isSameTime(as: schedule) { meeting.expires = end }
        } else {
          try meeting.plan(try asked.schedule(now: now))
        }
      }
      meeting.accessLevel = level ?? meeting.accessLevel
      meeting.lobby = try options.lobby(over: meeting.lobby)
      meeting.chat = options.chat(over: meeting.chat)
      if let capacity { meeting.capacity = capacity }
      if let passcode { meeting.passcode = passcode }
      if let lifetime { meeting.expires = lifetime.map { now + $0 } }
    }
  }

  private static func cancel(_ options: CommandOptions) async throws {
    try await keep(options, "meeting.cancel") { meeting, now in
      guard var schedule = meeting.schedule else {
        throw CommandGroup.Failure(description: "The meeting \(meeting.room.display) has no schedule.")
      }
      _ = schedule.cancel(now: now)
      try meeting.plan(schedule)
    }
  }

  /// Changes a meeting, whoever else changes it at the same moment.
  private static func keep(
    _ options: CommandOptions, _ action: String, _ change: @Sendable (inout MeetingRecord, Date) throws -> Void
  ) async throws {
    try await with(options) { folder, tenant, found in
      let now = folder.now
      let what = options.given.isEmpty ? found.room.display : "\(found.room.display): \(options.given)"
      let entry = folder.entry(action, found.id.rawValue, tenant: tenant.name, what)
      let changed: MeetingRecord?
      do {
        changed = try await folder.change(found, entry) { meeting in
          try change(&meeting, now)
          // The server's operator wants it kept as it is.
          meeting.isAnonymous = false
        }
      } catch let problem as ScheduleProblem {
        throw CommandOptions.Problem(description: problem.description)
      }
      guard let meeting = changed else {
        throw CommandGroup.Failure(description: "The meeting was removed by somebody else meanwhile.")
      }
      show(meeting, tenant: tenant.name, options)
      await folder.tellServer(of: meeting)
    }
  }

  private static func occurrences(_ options: CommandOptions) async throws {
    let limit = options.count("limit")
    try await with(options) { folder, _, meeting in
      for occurrence in try meeting.schedule?.occurrences(from: folder.now, limit: limit) ?? [] {
        if options.has("json") {
          let line: JSONLine = [
            "start": .text(DataFolder.text(occurrence.start)), "end": .text(DataFolder.text(occurrence.end)),
            "local": .text(occurrence.local.text), "name": .text(occurrence.name.text),
          ]
          line.print()
        } else {
          CommandLineText.say(
            "\(occurrence.local.text.prefix(16).replacing("T", with: " "))  \(meeting.schedule?.zone ?? "")  "
              + "(\(DataFolder.text(occurrence.start)) to \(DataFolder.text(occurrence.end)))\n")
        }
      }
    }
  }

  private static func calendar(_ options: CommandOptions) async throws {
    guard let text = options["server"], let base = WebOrigin(text) else {
      throw CommandOptions.Problem(
        description: "--server is needed: the server's address, like https://meet.example.com.")
    }
    try await with(options) { _, tenant, meeting in
      let addresses = MeetingAddresses(base: base, meeting: meeting, tenant: tenant)
      guard
        let file = CalendarFile(
          meeting, tenant: tenant, addresses: addresses, readers: options.has("public") ? .anybody : .hosts)
      else { throw CommandGroup.Failure(description: "The meeting \(meeting.room.display) has no schedule.") }
      CommandLineText.say(String(decoding: try file.bytes(), as: UTF8.self))
    }
  }

  /// Lets `body` work on the meeting that `word`, or else the one operand, names.
  static func with(
    _ options: CommandOptions, _ word: String? = nil, _ body: (DataFolder, Tenant, MeetingRecord) async throws -> Void
  ) async throws {
    let word = try word ?? options.operand("The room's name, or the meeting's id,")
    try await DataFolder.with(options) { folder in
      let tenant = try await folder.requireTenant(options["tenant"])
      guard let (meeting, owner) = try await folder.meeting(named: word, of: tenant) else {
        throw CommandGroup.Failure(description: "There is no meeting \(word). `parley meeting list` shows them.")
      }
      try await body(folder, owner, meeting)
    }
  }
}
