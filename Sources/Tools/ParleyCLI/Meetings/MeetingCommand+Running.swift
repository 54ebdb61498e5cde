import FoundationEssentials
import MeetingServer
import Meetings
import Options

/// `parley meeting people` and what else is done to a meeting that runs: by the server that runs on the data folder, as
/// its administration does it.
extension MeetingCommand {
  static let running: [CommandGroup.Member] = [
    .init(
      name: "people", operands: "ROOM|ID", help: "list who is in a meeting",
      table: [tenant, DataFolder.option, .json], run: people),
    .init(
      name: "remove-person", operands: "ROOM|ID PERSON",
      help: "take somebody out of a meeting: by their id, or by a name that nobody else there has",
      table: [Option("ban", "they may not come back into this meeting"), tenant, DataFolder.option, .json],
      run: removePerson),
    .init(
      name: "chat", operands: "ROOM|ID", help: "print what everybody could see of the chat of a meeting that runs",
      table: [tenant, DataFolder.option, Option("json", "print one JSON object instead of words")], run: chat),
    .init(
      name: "end", operands: "ROOM|ID", help: "end a meeting for everybody who is in it; it can be joined anew",
      table: [tenant, DataFolder.option, .json], run: end),
  ]

  /// A participant of a meeting, as the server describes it.
  private struct Person: Decodable {
    struct Publication: Decodable {
      var source: String
    }

    var id: String
    var name: String
    var role: String
    var connection: String
    var publications: [Publication]
    var token: String
    var since: String
    var quality: String?
  }

  private struct People: Decodable {
    var items: [Person]
  }

  private static func people(_ options: CommandOptions) async throws {
    try await with(options) { folder, _, meeting in
      let people = try await present(folder, meeting)
      if people.isEmpty, !options.has("json") {
        CommandLineText.say("Nobody is in the meeting \(meeting.room.display).\n")
      }
      for person in people { show(person, options) }
    }
  }

  private static func removePerson(_ options: CommandOptions) async throws {
    guard options.operands.count == 2, let word = options.operands.last else {
      throw CommandOptions.Problem(description: "A meeting and somebody who is in it are expected.")
    }
    try await with(options, options.operands[0]) { folder, _, meeting in
      let people = try await present(folder, meeting)
      let named = people.filter { $0.name == word }
      guard let person = people.first(where: { $0.id == word }) ?? named.first else {
        throw CommandGroup.Failure(
          description: people.isEmpty
            ? "Nobody is in the meeting \(meeting.room.display)."
            : "\(CommandLineText.printable(word)) is not in the meeting. `parley meeting people` shows who is.")
      }
      guard person.id == word || named.count == 1 else {
        throw CommandGroup.Failure(
          description: "\(named.count) people there are called \(CommandLineText.printable(word)). Name one by the id: "
            + named.map(\.id).joined(separator: ", ") + ".")
      }
      let bans = options.has("ban")
      _ = try await folder.needServer(
        "DELETE", "meetings/\(meeting.id)/participants/\(person.id)\(bans ? "?ban=true" : "")")
      if options.has("json") {
        let line: JSONLine = ["removed": .text(person.id), "name": .text(person.name), "banned": .truth(bans)]
        line.print()
      } else {
        CommandLineText.say(
          "\(CommandLineText.printable(person.name)) is out of the meeting \(meeting.room.display)"
            + "\(bans ? ", and may not come back" : "").\n")
      }
    }
  }

  private static func chat(_ options: CommandOptions) async throws {
    try await with(options) { folder, _, meeting in
      let format = options.has("json") ? "json" : "text"
      let body = try await folder.needServer("GET", "meetings/\(meeting.id)/chat?format=\(format)")
      let text = String(decoding: body, as: UTF8.self)
      CommandLineText.say(text.hasSuffix("\n") ? text : text + "\n")
    }
  }

  private static func end(_ options: CommandOptions) async throws {
    try await with(options) { folder, _, meeting in
      _ = try await folder.needServer("POST", "meetings/\(meeting.id)/end")
      if options.has("json") {
        let line: JSONLine = ["ended": .text(meeting.id.rawValue), "room": .text(meeting.room.display)]
        line.print()
      } else {
        CommandLineText.say("The meeting \(meeting.room.display) is ended.\n")
      }
    }
  }

  private static func present(_ folder: DataFolder, _ meeting: MeetingRecord) async throws -> [Person] {
    let body = try await folder.needServer("GET", "meetings/\(meeting.id)/participants")
    return try JSONDecoder().decode(People.self, from: Data(body)).items
  }

  private static func show(_ person: Person, _ options: CommandOptions) {
    if options.has("json") {
      let line: JSONLine = [
        "id": .text(person.id), "name": .text(person.name), "role": .text(person.role), "since": .text(person.since),
        "connection": .text(person.connection), "quality": JSONValue(person.quality),
        "sends": .list(person.publications.map { .text($0.source) }), "token": .text(person.token),
      ]
      line.print()
    } else {
      let sources = person.publications.map(\.source)
      let words = [
        CommandLineText.printable(person.name), person.id, person.role, "since \(person.since)",
        person.connection == "connected" ? "" : person.connection, "quality \(person.quality ?? "not known")",
        sources.isEmpty ? "" : "sends \(sources.joined(separator: ", "))",
      ]
      CommandLineText.say(words.filter { !$0.isEmpty }.joined(separator: "  ") + "\n")
    }
  }
}

extension DataFolder {
  private struct Refused: Decodable {
    var error: String

    enum CodingKeys: String, CodingKey {
      case error = "Error"
    }
  }

  /// Has the server that runs on this folder do something as its administration does, and returns what it answers; nil
  /// when no server runs here. Its refusals are thrown in its words.
  func ask(_ method: String, _ path: String) async throws -> [UInt8]? {
    guard let server = RunningServer.find(dataFolder: self.path) else { return nil }
    let answer = try await server.ask(method, path, by: Self.user)
    if (200...299).contains(answer.status) { return answer.body }
    let refused = try? JSONDecoder().decode(Refused.self, from: Data(answer.body))
    throw CommandGroup.Failure(description: refused?.error ?? "The server answered \(answer.status).")
  }

  /// Has the room of a meeting that runs hear at once of what was changed of it.
  func tellServer(of meeting: MeetingRecord) async {
    guard let server = RunningServer.find(dataFolder: self.path) else { return }
    if (try? await server.takeUp(meeting.id, by: Self.user)) == true { return }
    CommandLineText.complain(
      "The meeting is changed, but the server that runs on this data does not answer: a room that runs goes by it when the next participant comes."
    )
  }

  /// The same where nothing can be done without a server.
  func needServer(_ method: String, _ path: String) async throws -> [UInt8] {
    if let body = try await ask(method, path) { return body }
    throw CommandGroup.Failure(
      description:
        "No server runs on the data in \(self.path), so that nobody is in a meeting there. --data names another folder."
    )
  }

  /// Forgets a meeting, which ends for those who are in it; false when somebody else has removed it before.
  func remove(_ meeting: MeetingRecord, of tenant: Tenant) async throws -> Bool {
    // The next participant would open a second room of the same name next to the one that runs.
    if try await ask("DELETE", "meetings/\(meeting.id)") != nil { return true }
    let entry = entry("meeting.remove", meeting.id.rawValue, tenant: tenant.name, meeting.room.display)
    return try await remove(meeting, entry)
  }
}
