import FoundationEssentials
import Glibc
import MeetingServer
import Options
import Parley

/// `parley demo`: a server with a live meeting in it, so that there is somebody to meet when the page opens.
enum DemoCommand {
  static let declaration = Command(
    "demo", "run a server with a live meeting at /hello",
    overview: "Runs a meeting server with three bots in the room /hello.", options: ServerConfiguration.options,
    discussion: "The options are those of parley serve.")

  /// Runs the command and returns the exit status.
  static func run(_ arguments: [String], signals: AsyncStream<Int32>, reloads: AsyncStream<Void>?) async -> Int32 {
    if Program.showsHelp(declaration, "parley demo", arguments) { return 0 }
    return await ServeCommand.run(arguments, signals: signals, reloads: reloads, refusal: refusal(of:)) { server in
      let bots = await DemoBots.start(at: server.ready.url)
      return { await bots.stop() }
    }
  }

  /// Why there can be no demo with these settings; nil when there can be.
  static func refusal(of configuration: ServerConfiguration) -> String? {
    configuration.openRooms
      ? nil
      : "The demo's meeting is an open room, which --open-rooms no forbids: leave that out, or run parley serve instead."
  }
}

/// The three participants of the demo.
@MainActor final class DemoBots {
  private static let names = ["Ada", "Björn", "Chiyo"]
  private var meetings: [Meeting] = []
  private var keepers: [Task<Void, Never>] = []
  private var isAnnounced = false
  /// The errors that were reported since somebody joined.
  private var told: Set<String> = []

  /// Starts them; they join by themselves, and again whenever they lose the meeting.
  static func start(at base: String) async -> DemoBots {
    let bots = DemoBots()
    for (index, name) in names.enumerated() {
      bots.keepers.append(Task { await bots.keep(index, name, base) })
    }
    return bots
  }

  private func keep(_ index: Int, _ name: String, _ base: String) async {
    let url = "\(base)/hello"
    var options = JoinOptions()
    options.client = "parley-demo"
    // The server is this very process.
    options.trustsAnyCertificate = true
    // Its public address may lead to a proxy that is not up, or not for this machine.
    options.signaling = "ws" + base.dropFirst("http".count) + "/signal"
    while !Task.isCancelled {
      if let meeting = try? Meeting(url, name: name, options: options) {
        meetings.append(meeting)
        let events = meeting.events
        let (picture, voice) = TestMedia.make(style: index, takesTurns: true)
        do {
          try await meeting.local.publish(LocalVideoTrack(picture))
          try await meeting.local.publish(LocalAudioTrack(voice))
          try await meeting.join()
          announce(url)
          for await event in events { answer(event, meeting, index) }
        } catch { complain("\(error)") }
        meetings.removeAll { $0 === meeting }
      }
      try? await Task.sleep(nanoseconds: 2_000_000_000)
    }
  }

  /// People look at a server with bots: its address is printed once there is somebody to meet.
  private func announce(_ url: String) {
    told = []
    guard !isAnnounced else { return }
    isAnnounced = true
    CommandLineText.say("A live meeting: \(url)\n")
  }

  /// They try again and again: an error is reported once.
  private func complain(_ error: String) {
    guard !Task.isCancelled, told.insert(error).inserted else { return }
    CommandLineText.complain("The bots could not join the demo's meeting and will go on trying: \(error)")
  }

  /// The first bot greets, so that the chat is alive too. It greets in private, since the history of the chat is for
  /// what people say.
  private func answer(_ event: MeetingEvent, _ meeting: Meeting, _ index: Int) {
    guard index == 0 else { return }
    switch event {
    case .participantJoined(let participant) where !Self.names.contains(participant.name):
      _ = try? meeting.send(
        chat: "Welcome, \(participant.name)! I am a bot; my picture and voice are made by this server's Swift client.",
        to: participant)
    default: break
    }
  }

  func stop() async {
    for keeper in keepers { keeper.cancel() }
    for meeting in meetings { await meeting.leave() }
    meetings = []
  }
}
