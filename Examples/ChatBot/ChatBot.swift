import BotSupport
import Parley

/// A bot that answers in the chat: try "help", "who", "time in the meeting", or say its name.
///
///     chat-bot http://localhost:8080/hello
@main enum ChatBot {
  @MainActor static func main() async {
    await BotProgram("chat-bot", "Answers in the chat of a meeting.", usage: "URL").run { try await visit($0[0]) }
  }

  @MainActor private static func visit(_ url: String) async throws {
    let meeting = try Meeting(url, name: "Chatty")
    let visit = BotVisit(meeting)
    let events = meeting.events
    guard try await visit.join() else { return }
    BotOutput.say("Answering in \(url). Press Ctrl-C to leave.")
    let start = MonotonicClock.now
    for await event in events {
      switch event {
      case .chat(let message, isHistory: false) where message.from != meeting.local.id:
        guard let answer = answer(message, meeting, since: start) else { continue }
        // A private question gets a private answer.
        let asker = meeting.participants.first { $0.id == message.from }
        _ = try? meeting.send(chat: answer, to: message.to == nil ? nil : asker)
      case .ended(let reason, let text):
        BotOutput.say("Ended (\(reason.rawValue)): \(text)")
        try await visit.finish(reason)
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
}
