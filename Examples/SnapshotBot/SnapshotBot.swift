import Dispatch
import Glibc
import Parley

/// A bot that writes a picture of every participant to a PNG file, and leaves.
///
///     snapshot-bot http://localhost:8080/hello [directory]
@main enum SnapshotBot {
  @MainActor static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let url = arguments.first else {
      print("usage: snapshot-bot URL [directory]")
      exit(2)
    }
    do { try await run(url, directory: arguments.count > 1 ? arguments[1] : ".") } catch { fail(error) }
  }

  @MainActor private static func run(_ url: String, directory: String) async throws {
    let meeting = try Meeting(url, name: "Photographer")
    let (leaving, now) = leaveOnSignals(meeting)
    let events = meeting.events
    guard try await join(meeting) else { return await leaving.value }

    // Whoever sends a picture within five seconds is photographed.
    let timer = Task {
      try? await Task.sleep(nanoseconds: 5_000_000_000)
      now.yield()
    }
    defer { timer.cancel() }
    var shots: [Task<Void, Never>] = []
    for await event in events {
      if case .ended(let reason, _) = event {
        if reason == .failed || reason == .connectionLost { throw meeting.lastError ?? .ended }
        if reason == .left { await leaving.value }
      }
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
    if shots.isEmpty { print("Nobody sends a picture in \(url).") }
  }

  /// A name that is safe as a file's: letters and digits of the display name, and the id, which is unique.
  @MainActor private static func fileName(_ participant: RemoteParticipant) -> String {
    String(participant.name.map { $0.isLetter || $0.isNumber ? $0 : "-" }.prefix(40)) + "-" + participant.id
  }

  /// Joins; false when it was told to stop meanwhile.
  @MainActor private static func join(_ meeting: Meeting) async throws -> Bool {
    do { try await meeting.join() } catch {
      if meeting.endReason == .left { return false }
      throw error
    }
    return true
  }

  /// Leaves the meeting at Ctrl-C and SIGTERM, so that the others see it at once, or when it is told to. The task is done when the
  /// server knows.
  @MainActor private static func leaveOnSignals(
    _ meeting: Meeting
  ) -> (task: Task<Void, Never>, now: AsyncStream<Void>.Continuation) {
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
    let sources = [SIGINT, SIGTERM].map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler { continuation.yield() }
      source.resume()
      return source
    }
    let task = Task {
      for await _ in signals { break }
      let isJoining = meeting.state == .connecting
      await meeting.leave()
      // A join that is under way may take its time to notice.
      if isJoining { exit(0) }
      for source in sources { source.cancel() }
    }
    return (task, continuation)
  }

  /// One sentence on standard error, and the exit status of a failure. The errors of Parley are sentences for people.
  private static func fail(_ error: any Error) -> Never {
    var text = "snapshot-bot: \(error)\n"
    text.withUTF8 { bytes in _ = write(2, bytes.baseAddress, bytes.count) }
    exit(1)
  }
}
