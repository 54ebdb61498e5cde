import Dispatch
import FoundationEssentials
import Glibc
import Parley

/// What the person or program at standard input says while a meeting goes on.
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

  /// Reads until the input ends or the task is cancelled. The end of the input is no wish to leave: a bot may have none.
  static func follow(_ meeting: Meeting, _ observer: any JoinObserver, json: Bool) async {
    for await bytes in input() {
      guard !Task.isCancelled else { return }
      if let screen = observer as? JoinScreen {
        screen.type(bytes)
      } else {
        for line in lines.add(bytes) { json ? await run(line, meeting) : chat(line, meeting) }
      }
    }
  }

  private static var lines = LineSplitter()

  private static func chat(_ line: String, _ meeting: Meeting) {
    guard line.contains(where: { !$0.isWhitespace }) else { return }
    do throws(JoinError) { try meeting.send(chat: line) } catch { CommandLineText.complain("\(error)") }
  }

  private static func run(_ line: String, _ meeting: Meeting) async {
    guard let command = try? JSONDecoder().decode(Command.self, from: Data(line.utf8)) else {
      CommandLineText.complain("This line is no command: \(CommandLineText.printable(String(line.prefix(100))))")
      return
    }
    let recipient = command.to.flatMap { id in meeting.participants.first { $0.id == id } }
    if let wanted = command.to, recipient == nil {
      // What was meant for one must not go to all.
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
      case "mute":
        for publication in meeting.local.publications where publication.source.rawValue == command.source ?? "camera" {
          publication.setMuted(command.muted ?? true)
        }
      case "unpublish":
        for publication in meeting.local.publications where publication.source.rawValue == command.source ?? "camera" {
          await publication.unpublish()
        }
      case "rename": meeting.local.rename(command.text ?? "")
      case "leave": await meeting.leave()
      default: CommandLineText.complain("There is no command \(CommandLineText.printable(command.command)).")
      }
    } catch { CommandLineText.complain("\(error)") }
  }

  /// Chunks of standard input, read as they come without holding a thread.
  // Not on the main actor: Dispatch calls what is handed to it here on threads of its own.
  private nonisolated static func input() -> AsyncStream<[UInt8]> {
    let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    // Cancelled from whichever side ends first, which Dispatch allows from any thread.
    nonisolated(unsafe) let source = DispatchSource.makeReadSource(fileDescriptor: 0, queue: .global())
    source.setEventHandler {
      var buffer = [UInt8](repeating: 0, count: 4_096)
      let count = read(0, &buffer, buffer.count)
      if count > 0 {
        continuation.yield(Array(buffer.prefix(count)))
      } else {
        continuation.finish()
        source.cancel()
      }
    }
    continuation.onTermination = { _ in source.cancel() }
    source.resume()
    return stream
  }
}

/// Cuts chunks of bytes into lines; a line of more than 1 MiB is cut.
struct LineSplitter {
  private var rest: [UInt8] = []

  /// The lines that `bytes` complete.
  mutating func add(_ bytes: [UInt8]) -> [String] {
    rest += bytes
    var lines: [String] = []
    while let end = rest.firstIndex(of: 10) {
      lines.append(String(decoding: rest[..<end], as: UTF8.self))
      rest.removeSubrange(...end)
    }
    if rest.count > 1 << 20 { rest = [] }
    return lines
  }
}
