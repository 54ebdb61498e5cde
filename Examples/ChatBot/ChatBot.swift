import Dispatch
import Glibc
import Parley

/// A bot that answers in the chat: try "help", "who", "time in the meeting", or say its name.
///
///     chat-bot http://localhost:8080/hello
@main enum ChatBot {
  @MainActor static func main() async {
    guard let url = CommandLine.arguments.dropFirst().first else {
      print("usage: chat-bot URL")
      exit(2)
    }
    do { try await run(url) } catch { fail(error) }
  }

  @MainActor private static func run(_ url: String) async throws {
    let meeting = try Meeting(url, name: "Chatty")
    let leaving = leaveOnSignals(meeting)
    let events = meeting.events
    guard try await join(meeting) else { return await leaving.value }
    print("Answering in \(url). Press Ctrl-C to leave.")
    let start = MonotonicClock.now
    for await event in events {
      switch event {
      case .chat(let message, isHistory: false) where message.from != meeting.local.id:
        guard let answer = answer(message, meeting, since: start) else { continue }
        // A private question gets a private answer.
        let asker = meeting.participants.first { $0.id == message.from }
        try? meeting.send(chat: answer, to: message.to == nil ? nil : asker)
      case .ended(let reason, let text):
        print("Ended (\(reason.rawValue)): \(text)")
        if reason == .failed || reason == .connectionLost { throw meeting.lastError ?? .ended }
        if reason == .left { await leaving.value }
      default: break
      }
    }
  }

  @MainActor private static func answer(_ message: ChatMessage, _ meeting: Meeting, since start: Instant) -> String? {
    let text = message.text.lowercased()
    if text.contains("help") { return "I know: who, time, and hello." }
    if text.contains("who") {
      return "Here are: " + ([meeting.local.name] + meeting.participants.map(\.name)).joined(separator: ", ") + "."
    }
    if text.contains("time") {
      let minutes = Int((MonotonicClock.now - start).seconds) / 60
      return minutes == 0 ? "I have been here for less than a minute." : "I have been here for \(minutes) min."
    }
    if text.contains("hello") || text.contains("chatty") { return "Hello, \(message.name)!" }
    return nil
  }

  /// Joins; false when it was told to stop meanwhile.
  @MainActor private static func join(_ meeting: Meeting) async throws -> Bool {
    do { try await meeting.join() } catch {
      if meeting.endReason == .left { return false }
      throw error
    }
    return true
  }

  /// Leaves the meeting at Ctrl-C and SIGTERM, so that the others see it at once. The task is done when the server knows.
  @MainActor private static func leaveOnSignals(_ meeting: Meeting) -> Task<Void, Never> {
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
    let sources = [SIGINT, SIGTERM].map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler { continuation.yield() }
      source.resume()
      return source
    }
    return Task {
      for await _ in signals { break }
      let isJoining = meeting.state == .connecting
      await meeting.leave()
      // A join that is under way may take its time to notice.
      if isJoining { exit(0) }
      for source in sources { source.cancel() }
    }
  }

  /// One sentence on standard error, and the exit status of a failure. The errors of Parley are sentences for people.
  private static func fail(_ error: any Error) -> Never {
    var text = "chat-bot: \(error)\n"
    text.withUTF8 { bytes in _ = write(2, bytes.baseAddress, bytes.count) }
    exit(1)
  }
}
