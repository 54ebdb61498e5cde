import Dispatch
import Glibc
import Parley

/// A bot that sends a participant's picture and sound back: meet it to see and hear how you are seen and heard.
///
///     echo-bot http://localhost:8080/hello
@main enum EchoBot {
  @MainActor static func main() async {
    guard let url = CommandLine.arguments.dropFirst().first else {
      print("usage: echo-bot URL")
      exit(2)
    }
    do { try await run(url) } catch { fail(error) }
  }

  @MainActor private static func run(_ url: String) async throws {
    let meeting = try Meeting(url, name: "Echo")
    let picture = PushVideoSource()
    let sound = PushAudioSource()
    try await meeting.local.publish(LocalVideoTrack(picture))
    try await meeting.local.publish(LocalAudioTrack(sound))

    let leaving = leaveOnSignals(meeting)
    let events = meeting.events
    guard try await join(meeting) else { return await leaving.value }
    print("Echoing in \(url). Press Ctrl-C to leave.")

    // One participant at a time: the first who sends something. The next one's turn comes when that one leaves.
    var heard: (video: RemoteVideoTrack?, audio: RemoteAudioTrack?)
    let frames = ClosureVideoSink { picture.push($0) }
    let samples = ClosureAudioSink { sound.push($0) }
    for await event in events {
      switch event {
      case .subscribed, .unsubscribed, .participantLeft:
        let subscriptions =
          meeting.participants.lazy.map { $0.publications.compactMap(\.subscription) }.first { !$0.isEmpty } ?? []
        let video = subscriptions.compactMap(\.video).first
        let audio = subscriptions.compactMap(\.audio).first
        if video !== heard.video {
          heard.video?.remove(frames)
          video?.add(frames)
        }
        if audio !== heard.audio {
          heard.audio?.remove(samples)
          audio?.add(samples)
        }
        heard = (video, audio)
      case .data(let message):
        if let sender = message.sender {
          // Whoever has left meanwhile gets no echo, and that is no reason to stop for the others.
          do throws(JoinError) {
            try await meeting.send(
              message.bytes, topic: message.topic, reliability: message.isReliable ? .reliable : .lossy, to: [sender])
          } catch { print("Not echoed: \(error)") }
        }
      case .ended(let reason, let text):
        print("Ended (\(reason.rawValue)): \(text)")
        if reason == .failed || reason == .connectionLost { throw meeting.lastError ?? .ended }
        if reason == .left { await leaving.value }
      default: break
      }
    }
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
    var text = "echo-bot: \(error)\n"
    text.withUTF8 { bytes in _ = write(2, bytes.baseAddress, bytes.count) }
    exit(1)
  }
}
