import Parley

/// A bot that writes a picture of every participant to a PNG file, and leaves.
///
///     snapshot-bot http://localhost:8080/hello [directory]
@main enum SnapshotBot {
  @MainActor static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let url = arguments.first else {
      print("usage: snapshot-bot URL [directory]")
      return
    }
    let directory = arguments.count > 1 ? arguments[1] : "."
    let meeting = try Meeting(url, name: "Photographer")
    let events = meeting.events
    try await meeting.join()

    // Whoever sends a picture within five seconds is photographed.
    let leaving = Task {
      try? await Task.sleep(nanoseconds: 5_000_000_000)
      await meeting.leave()
    }
    var shots: [Task<Void, Never>] = []
    for await event in events {
      guard case .subscribed(let subscription) = event, let track = subscription.video,
        let participant = subscription.participant
      else { continue }
      let path = "\(directory)/\(fileName(participant)).png"
      shots.append(
        Task {
          for await frame in track.frames {
            do {
              try ImageFile.writePNG(frame, to: path)
              print("\(path): \(frame.width)×\(frame.height)")
            } catch { print("\(path): \(error)") }
            return
          }
        })
    }
    for shot in shots { await shot.value }
    leaving.cancel()
    if shots.isEmpty { print("Nobody sends a picture in \(url).") }
  }

  /// A name that is safe as a file's: letters and digits of the display name, and the id, which is unique.
  @MainActor private static func fileName(_ participant: RemoteParticipant) -> String {
    String(participant.name.map { $0.isLetter || $0.isNumber ? $0 : "-" }.prefix(40)) + "-" + participant.id
  }
}
