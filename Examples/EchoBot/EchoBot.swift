import BotSupport
import Parley

/// A bot that sends a participant's picture and sound back: meet it to see and hear how you are seen and heard.
///
///     echo-bot http://localhost:8080/hello
@main enum EchoBot {
  @MainActor static func main() async {
    await BotProgram("echo-bot", "Sends back what a participant shows and says.", usage: "URL").run {
      try await visit($0[0])
    }
  }

  @MainActor private static func visit(_ url: String) async throws {
    let meeting = try Meeting(url, name: "Echo")
    let picture = PushVideoSource()
    let sound = PushAudioSource()
    try await meeting.local.publish(LocalVideoTrack(picture))
    try await meeting.local.publish(LocalAudioTrack(sound))

    let visit = BotVisit(meeting)
    let events = meeting.events
    guard try await visit.join() else { return }
    BotOutput.say("Echoing in \(url). Press Ctrl-C to leave.")

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
          // A sender who has left gets no echo, and that isn't a reason to stop for the others.
          do throws(JoinError) {
            try await meeting.send(
              message.bytes, topic: message.topic, reliability: message.isReliable ? .reliable : .lossy, to: [sender])
          } catch { BotOutput.say("Not echoed: \(error)") }
        }
      case .ended(let reason, let text):
        BotOutput.say("Ended (\(reason.rawValue)): \(text)")
        try await visit.finish(reason)
      default: break
      }
    }
  }
}
