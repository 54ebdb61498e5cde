import FoundationEssentials
import Glibc
import Parley

/// `parley join`: takes part in a meeting from the terminal.
enum JoinCommand {
  static let table: [CommandOptions.Option] = [
    .init("name", "NAME", "the display name (default: the address's, or parley)"),
    .init(
      "publish", "testsrc|sync|FILE|none",
      "what to send: a test picture with a tone, a flash with a beep each second, a media file or URL, or nothing (default)"
    ),
    .init("style", "N", "which test picture: 0, 1 or 2"),
    .init("codec", "VP8|VP9|H264", "the video codec to send"),
    .init("simulcast", nil, "send the picture in three sizes"),
    .init("microphone", nil, "send this machine's microphone"),
    .init("camera", "NAME", "send a camera by its name or path; \"default\" takes the first"),
    .init("screen", nil, "share this machine's screen (the X display of $DISPLAY)"),
    .init("speaker", nil, "play the meeting's sound on this machine"),
    .init("record", "DIR", "write what each participant sends into WebM files of that directory"),
    .init(
      "raw", nil,
      "with --record: write .y4m and .wav files instead, uncompressed, and when each begins into starts.json"),
    .init("token", "TOKEN", "a join token, where the address has none"),
    .init("duration", "S", "leave after so many seconds (default: when told to)"),
    .init("patience", "S", "for how many seconds to try to come back after the meeting was lost (default 120)"),
    .init("json", nil, "print one JSON object a line instead of the live screen"),
    .init("insecure", nil, "trust any certificate of the server"),
    .init("relay", nil, "send media only through a TURN server"),
  ]

  static let help = """
    Joins a meeting.

    Usage: parley join URL [options]

    Options:
    \(CommandOptions.help(table))

    On a terminal the meeting is shown live, and what you type is sent to the chat. With --json each line has an "event":
    joined, participantJoined, trackSubscribed, firstFrame, stats, left, …; and standard input takes a command a line, such as
    {"command":"chat","text":"hello"}, {"command":"data","text":"…"}, {"command":"mute","source":"camera","muted":true} or
    {"command":"leave"}. The exit status is 0 after leaving, 1 when the meeting could not be joined or was lost.
    """

  /// Runs the command and returns the exit status.
  @MainActor static func run(_ arguments: [String], signals: AsyncStream<Int32>) async -> Int32 {
    if arguments.contains("--help") || arguments.contains("-h") {
      CommandLineText.say(help + "\n")
      return 0
    }
    do {
      let options = try CommandOptions(arguments, table: table)
      guard let url = options.operands.first, options.operands.count == 1 else {
        throw CommandOptions.Problem(
          description: "The address of one meeting is expected: parley join http://localhost:8080/hello")
      }
      let plan = try JoinPlan(options)
      return await run(url, plan, options, signals)
    } catch {
      CommandLineText.complain("\(error)")
      return 2
    }
  }

  @MainActor private static func makeObserver(of meeting: Meeting, json: Bool) -> any JoinObserver {
    if json { return JoinReport(meeting) }
    if isatty(1) == 1, isatty(0) == 1 { return JoinScreen(meeting) }
    return JoinReport(meeting, plain: true)
  }

  @MainActor private static func run(
    _ url: String, _ plan: JoinPlan, _ options: CommandOptions, _ signals: AsyncStream<Int32>
  ) async -> Int32 {
    let meeting: Meeting
    do {
      var join = JoinOptions(name: options["name"])
      join.client = "parley-join"
      join.trustsAnyCertificate = options.has("insecure")
      join.usesOnlyRelays = options.has("relay")
      if let patience = plan.patience { join.reconnectPatience = .milliseconds(Int64(patience * 1_000)) }
      meeting = try Meeting(url, token: options["token"].map { Secret($0) }, name: options["name"], options: join)
    } catch {
      CommandLineText.complain("\(error)")
      return 1
    }
    let recording: MeetingRecording?
    do throws(MediaError) {
      recording = try options["record"].map { path throws(MediaError) in
        try MeetingRecording(directory: path, isRaw: options.has("raw"))
      }
    } catch {
      CommandLineText.complain("\(error)")
      return 1
    }
    let observer = makeObserver(of: meeting, json: options.has("json"))
    let events = meeting.events
    // The media and the wait for signals must not depend on each other.
    let stop = Task { @MainActor in
      for await _ in signals { break }
      if !Task.isCancelled { await meeting.leave() }
    }
    defer { stop.cancel() }
    do {
      try await plan.publish(to: meeting)
      try await meeting.join()
    } catch {
      observer.close()
      await meeting.leave()
      CommandLineText.complain("\(error)")
      return 1
    }
    if options.has("speaker") { await plan.play(meeting) }
    let timer = plan.duration.map { seconds in
      Task { @MainActor in
        try? await Task.sleep(nanoseconds: UInt64(seconds * 1e9))
        if !Task.isCancelled { await meeting.leave() }
      }
    }
    let input = Task { @MainActor in await StandardInput.follow(meeting, observer, json: options.has("json")) }
    let clock = Task { @MainActor in
      while !Task.isCancelled {
        try? await Task.sleep(nanoseconds: observer.interval)
        await observer.tick()
      }
    }
    var status: Int32 = 0
    for await event in events {
      if case .subscribed(let subscription) = event { recording?.add(subscription) ?? plan.watch(subscription) }
      observer.take(event)
      if case .ended(let reason, _) = event { status = reason == .left || reason == .shutdown ? 0 : 1 }
    }
    timer?.cancel()
    input.cancel()
    clock.cancel()
    recording?.finish()
    observer.close()
    if status != 0, let error = meeting.lastError { CommandLineText.complain("\(error)") }
    return status
  }
}

/// Shows a meeting to whoever runs the command.
@MainActor protocol JoinObserver: AnyObject, Sendable {
  /// How often ``tick()`` is wanted, in nanoseconds.
  nonisolated var interval: UInt64 { get }
  /// Takes an event, in order.
  func take(_ event: MeetingEvent)
  /// Time to measure or to draw.
  func tick() async
  /// Nothing more comes: gives the terminal back.
  func close()
}
