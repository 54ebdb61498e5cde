import BotSupport
import Parley

/// A bot that writes a picture of every participant to a PNG file, and leaves.
///
///     snapshot-bot http://localhost:8080/hello [directory]
@main enum SnapshotBot {
  @MainActor static func main() async {
    await BotProgram(
      "snapshot-bot", "Writes a picture of every participant to a PNG file, and leaves.", usage: "URL [directory]"
    ).run { arguments in
      try await visit(arguments[0], directory: arguments.count > 1 ? arguments[1] : ".")
    }
  }

  @MainActor private static func visit(_ url: String, directory: String) async throws {
    let meeting = try Meeting(url, name: "Photographer")
    let visit = BotVisit(meeting)
    let events = meeting.events
    guard try await visit.join() else { return }

    // A participant who sends video within five seconds is photographed.
    let timer = Task {
      try? await Task.sleep(nanoseconds: 5_000_000_000)
      visit.leave()
    }
    defer { timer.cancel() }
    var shots: [Task<Void, any Error>] = []
    for await event in events {
      if case .ended(let reason, _) = event { try await visit.finish(reason) }
      guard case .subscribed(let subscription) = event, let track = subscription.video,
        let participant = subscription.participant
      else { continue }
      let path = "\(directory)/\(fileName(participant)).png"
      shots.append(
        Task {
          for await frame in track.frames {
            try ImageFile.writePNG(frame, to: path)
            BotOutput.say("\(path): \(frame.width)×\(frame.height)")
            return
          }
        })
    }
    for shot in shots { try await shot.value }
    if shots.isEmpty { BotOutput.say("Nobody sends a picture in \(url).") }
  }

  /// A name that is safe as a file's: letters and digits of the display name, and the id, which is unique.
  @MainActor private static func fileName(_ participant: RemoteParticipant) -> String {
    String(participant.name.map { $0.isLetter || $0.isNumber ? $0 : "-" }.prefix(40)) + "-" + participant.id
  }
}
