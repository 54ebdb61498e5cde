import Dispatch
import FoundationEssentials
import Glibc
import Parley

/// A command of the person or program at standard input during a meeting.
@MainActor enum StandardInput {
  /// One command a line, in `--json` mode.
  private struct Command: Decodable {
    var command: String
    var text: String?
    var to: String?
    var topic: String?
    var reliable: Bool?
    var source: String?
    var muted: Bool?
    /// A payload of so many bytes instead of `text`.
    var bytes: Int?
  }

  /// Reads until the input ends or the task is cancelled. The end of the input isn't a request to leave: a bot may have
  /// none.
  ///
  /// Nothing is read before everything read so far has been done: whoever writes faster than the network takes it
  /// waits, in the pipe.
  static func follow(_ meeting: Meeting, _ observer: any JoinObserver, _ leaveTask: LeaveTask, json: Bool) async {
    if let holding {
      isIn = true
      await runHeld(meeting, leaveTask)
      // It ends with the next bytes, or with those that it had read already.
      await holding.value
      await runHeld(meeting, leaveTask)
    }
    while let bytes = await read() {
      guard !Task.isCancelled else { return }
      if let screen = observer as? JoinScreen {
        screen.type(bytes)
        continue
      }
      for line in lines.add(bytes) {
        guard !Task.isCancelled else { return }
        await take(line, meeting, leaveTask, json: json)
      }
    }
  }

  /// Reads commands while somebody waits to be let in: `leave` holds at once, the others once they are in
  /// (``follow(_:_:_:json:)``). When ``LineSplitter/limit`` bytes are held no more is read until then.
  static func hold(_ leaveTask: LeaveTask) {
    guard holding == nil else { return }
    holding = Task { @MainActor in
      var count = 0
      while !isIn, count < LineSplitter.limit, let bytes = await read() {
        count += bytes.count
        for line in lines.add(bytes) {
          held.append(line)
          if !isIn, case .text(let text) = line, isLeave(text) { leaveTask.leave() }
        }
      }
    }
  }

  private static func isLeave(_ line: String) -> Bool {
    (try? JSONDecoder().decode(Command.self, from: Data(line.utf8)))?.command == "leave"
  }

  private static func runHeld(_ meeting: Meeting, _ leaveTask: LeaveTask) async {
    while !held.isEmpty, !Task.isCancelled { await take(held.removeFirst(), meeting, leaveTask, json: true) }
  }

  private static func take(
    _ line: LineSplitter.Line, _ meeting: Meeting, _ leaveTask: LeaveTask, json: Bool
  ) async {
    switch line {
    case .tooLong:
      CommandLineText.complain("A line of more than \(LineSplitter.limit) bytes was ignored.")
    case .text(let text): json ? await run(text, meeting, leaveTask) : chat(text, meeting)
    }
  }

  private static var lines = LineSplitter()
  private static var holding: Task<Void, Never>?
  private static var held: [LineSplitter.Line] = []
  private static var isIn = false

  private static func chat(_ line: String, _ meeting: Meeting) {
    guard line.contains(where: { !$0.isWhitespace }) else { return }
    do throws(JoinError) { try meeting.send(chat: line) } catch { CommandLineText.complain("\(error)") }
  }

  private static func run(_ line: String, _ meeting: Meeting, _ leaveTask: LeaveTask) async {
    guard let command = try? JSONDecoder().decode(Command.self, from: Data(line.utf8)) else {
      CommandLineText.complain("This line is no command: \(CommandLineText.printable(String(line.prefix(100))))")
      return
    }
    do {
      if try await lobby(command, meeting) { return }
    } catch { return CommandLineText.complain("\(error)") }
    let recipient = command.to.flatMap { id in meeting.participants.first { $0.id == id } }
    if let wanted = command.to, recipient == nil {
      // A message for one participant must not go to all.
      CommandLineText.complain("\(CommandLineText.printable(wanted)) is not in the meeting.")
      return
    }
    do {
      switch command.command {
      case "chat": try meeting.send(chat: command.text ?? "", to: recipient)
      case "data":
        let payload =
          command.bytes.map { [UInt8](repeating: 0x61, count: min(max($0, 0), 1 << 20)) }
          ?? Array((command.text ?? "").utf8)
        try await meeting.send(
          payload, topic: command.topic ?? "", reliability: command.reliable == false ? .lossy : .reliable,
          to: recipient.map { [$0] } ?? [])
      case "signal": try meeting.signal(type: command.topic ?? "", data: command.text ?? "", to: recipient)
      case "mute":
        for publication in publications(command.source, meeting) { publication.setMuted(command.muted ?? true) }
      case "unpublish":
        for publication in publications(command.source, meeting) { await publication.unpublish() }
      case "rename":
        let name = command.text ?? ""
        if let problem = JoinPlan.problem(ofName: name) { return CommandLineText.complain(problem) }
        meeting.local.rename(name)
      case "renewToken": try await meeting.renew(token: Secret(command.text ?? ""))
      case "leave": leaveTask.leave()
      case let name where RoomCommand.names.contains(name):
        let room = try JSONDecoder().decode(RoomCommand.Line.self, from: Data(line.utf8))
        _ = try await RoomCommand.run(room, to: recipient, meeting)
      case let name where ChatCommand.names.contains(name):
        let chat = try JSONDecoder().decode(ChatCommand.Line.self, from: Data(line.utf8))
        try await ChatCommand.run(chat, to: recipient, meeting)
      default: CommandLineText.complain("There is no command \(CommandLineText.printable(command.command)).")
      }
    } catch { CommandLineText.complain("\(error)") }
  }

  /// Does what hosts do about the lobby; false when the command is another.
  private static func lobby(_ command: Command, _ meeting: Meeting) async throws(JoinError) -> Bool {
    switch command.command {
    case "admit", "deny":
      switch LobbyChoice(command.to ?? "", among: meeting.lobby) {
      case .one(let somebody):
        if command.command == "admit" { try await meeting.admit(somebody) } else { try await meeting.deny(somebody) }
      case .nobody:
        CommandLineText.complain("\(CommandLineText.printable(command.to ?? "Nobody")) is not waiting to be let in.")
      case .several(let people):
        let ids = people.map { CommandLineText.printable($0.id) }.joined(separator: ", ")
        CommandLineText.complain(
          "\(people.count) people named \(CommandLineText.printable(command.to ?? "")) wait. Name one by id: \(ids).")
      }
    case "admitAll": try await meeting.admitAll()
    case "lock": try await meeting.lock()
    case "unlock": try await meeting.unlock()
    default: return false
    }
    return true
  }

  /// The publication of a source; says so when there is none.
  private static func publications(_ source: String?, _ meeting: Meeting) -> [LocalPublication] {
    let source = source ?? "camera"
    let found = meeting.local.publications.filter { $0.source.rawValue == source }
    if found.isEmpty { CommandLineText.complain("Nothing is published from the source \(source).") }
    return found
  }

  /// A queue, and so a thread, of its own, since reading waits for as long as nothing is typed.
  private nonisolated static let queue = DispatchQueue(label: "standard input")

  /// The next bytes; nil at the end of the input.
  private nonisolated static func read() async -> [UInt8]? {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: nextBytes()) }
    }
  }

  private nonisolated static func nextBytes() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      var waiting = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
      // A process in the background that only reads its terminal when something comes is not stopped for it.
      if poll(&waiting, 1, -1) < 0, errno != EINTR { return nil }
      let count = Glibc.read(0, &buffer, buffer.count)
      if count > 0 { return Array(buffer.prefix(count)) }
      guard count < 0, errno == EINTR || errno == EAGAIN else { return nil }
    }
  }
}

/// Cuts chunks of bytes into lines. A line longer than ``limit`` is left out as a whole.
struct LineSplitter {
  /// How many bytes a line may have.
  static let limit = 1 << 20

  /// The text between two line ends.
  enum Line: Hashable {
    case text(String)
    /// More than ``LineSplitter/limit`` bytes.
    case tooLong
  }

  private var rest: [UInt8] = []
  private var isTooLong = false

  /// The lines that `bytes` complete.
  mutating func add(_ bytes: [UInt8]) -> [Line] {
    var lines: [Line] = []
    var bytes = bytes[...]
    while let end = bytes.firstIndex(of: 10) {
      keep(bytes[..<end])
      lines.append(isTooLong ? .tooLong : .text(String(decoding: rest, as: UTF8.self)))
      rest = []
      isTooLong = false
      bytes = bytes[(end + 1)...]
    }
    keep(bytes)
    return lines
  }

  private mutating func keep(_ bytes: ArraySlice<UInt8>) {
    guard !isTooLong else { return }
    rest += bytes
    if rest.count > Self.limit {
      isTooLong = true
      rest = []
    }
  }
}
