import FoundationEssentials
import Glibc
import Options
import Parley

/// `parley join`: takes part in a meeting from the terminal.
enum JoinCommand {
  static let table: [Option] = [
    Option("name", .text("NAME"), otherwise: "the one in the address, or Guest", "the display name"),
    Option(
      "publish", .either(.either(.either(.file, "testsrc"), "sync"), "none"), default: "none",
      "what to send: a media file or URL, a test picture with a tone, a flash with a beep each second, or nothing"),
    Option("style", .number(0...2), default: "0", "which test picture"),
    Option("codec", .choice(["VP8", "VP9", "H264"], anyCase: true), "the video codec to send"),
    Option(
      "decoders", .text("CODECS"), otherwise: "all of them",
      "the video codecs to receive, with commas between them: VP8, VP9, H264 and AV1"),
    Option("simulcast", "send the picture in three sizes"),
    Option("microphone", "send this machine's microphone"),
    Option("camera", .text("NAME"), "send a camera by its name or path; \"default\" takes the first"),
    Option("screen", "share this machine's screen (the X display of $DISPLAY)"),
    Option("speaker", "play the meeting's sound on this machine"),
    Option(
      "record", .folder,
      "write what each participant sends into WebM files of that directory; no file is written over (Ada-camera-2.webm)"
    ),
    Option(
      "raw", "with --record: write .y4m and .wav files instead, uncompressed, and when each begins into starts.json"),
    Option("token", .text("TOKEN"), "a join token, where the address has none"),
    Option(
      "server", .text("URL"), "with --token and without an address: the server of the meeting that the token is for"),
    Option("discover", .text("URL"), "instead of an address: that of a discover document, as the service gives it"),
    Option("passcode", .text("TEXT"), "the meeting's passcode, where it has one"),
    Option(
      "vault", "in an encrypted meeting: use the lasting key of your vault, whose passcode is asked for; needs a token"),
    VaultSeenFile.option,
    Option(
      "identity", .file,
      "in encrypted meetings: the file with this person's lasting key, made where there is none; PARLEY_IDENTITY_PASSPHRASE seals it"
    ),
    Option(
      "sign-in", .time("S"), default: "300",
      "where people sign in: for how many seconds to wait until somebody did in a browser; 0: not at all"),
    Option("duration", .time("S"), otherwise: "when told to", "leave after so many seconds"),
    Option(
      "patience", .time("S"), otherwise: "120", "for how many seconds to try to come back after the meeting was lost"),
    Option("json", "print one JSON object a line instead of the live screen"),
    Option("insecure", "trust any certificate of the server"),
    Option("relay", "send media only through a TURN server"),
  ]

  static let declaration = Command(
    "join", operands: "URL", "take part in a meeting from the terminal", overview: "Joins a meeting.", options: table,
    usages: [
      "URL [options]", "--server URL --token TOKEN [options]", "--discover URL [--token TOKEN] [options]",
    ],
    discussion: """
      On a terminal the meeting is shown live, and what you type is sent to the chat. With --json each line has an "event":
      joined, participantJoined, trackSubscribed, firstFrame, stats, left, …; and standard input takes a command a line, such as
      {"command":"chat","text":"hello"}, {"command":"data","text":"…"}, {"command":"mute","source":"camera","muted":true} or
      {"command":"leave"}; docs/client-sdk.md lists them all. Who waits to be let in can leave; the other commands wait until they are in.

      The exit status is 0 after leaving; 1 when the meeting could not be joined or was lost, a recording could not be written, or
      nobody reads standard output any more; 2 when the options are wrong.
      """)

  /// Runs the command and returns the exit status.
  @MainActor static func run(_ arguments: [String], signals: AsyncStream<Int32>) async -> Int32 {
    if Program.showsHelp(declaration, "parley join", arguments) { return 0 }
    do {
      let options = try CommandOptions(arguments, table: table, command: "parley join")
      let target = try JoinTarget(options)
      if options.has("raw"), !options.has("record") {
        throw CommandOptions.Problem(description: "--raw says how to record, so --record is needed too.")
      }
      let plan = try JoinPlan(options)
      queueOutput(json: options.has("json"))
      let watch = SignalWatch(signals)
      let identity = try await JoinIdentity(options, target, watch)
      let (status, signIn) = await run(target, plan, identity, options, watch)
      guard let signIn, let wait = plan.signIn else { return status }
      let pass = await SignInPrompt.pass(
        at: signIn, within: wait, json: options.has("json"), insecure: options.has("insecure"), watch)
      guard let pass else { return 1 }
      return await run(target.with(pass.token), plan, identity, options, watch).status
    } catch let problem as VaultProblem {
      CommandLineText.complain("\(problem)")
      return 1
    } catch let failure as CommandGroup.Failure {
      CommandLineText.complain("\(failure)")
      return 1
    } catch {
      CommandLineText.complain("\(error)")
      return 2
    }
  }

  /// Events and recordings go on when nobody reads what is said.
  private static func queueOutput(json: Bool) {
    if json { return CommandLineText.queueOutput(notice: JSONLine.droppedNotice) }
    // Each drawing of the screen is whole.
    let isScreen = isScreen
    CommandLineText.queueOutput { isScreen ? nil : "(\($0) lines were not read in time)\n" }
  }

  /// Whether a person sits at the terminal.
  private static var isScreen: Bool { isatty(1) == 1 && isatty(0) == 1 }

  @MainActor private static func makeObserver(of meeting: Meeting, _ leaveTask: LeaveTask, json: Bool)
    -> any JoinObserver
  {
    if json { return JoinReport(meeting) }
    if isScreen { return JoinScreen(meeting, leaveTask) }
    return JoinReport(meeting, plain: true)
  }

  @MainActor private static func run(
    _ target: JoinTarget, _ plan: JoinPlan, _ identity: JoinIdentity, _ options: CommandOptions,
    _ signals: SignalWatch
  ) async -> (status: Int32, signIn: String?) {
    let meeting: Meeting
    do {
      var join = JoinOptions(name: options["name"])
      join.client = "parley-join"
      join.passcode = options["passcode"].map { Secret($0) }
      join.trustsAnyCertificate = options.has("insecure")
      join.usesOnlyRelays = options.has("relay")
      join.receivedVideoCodecs = plan.decoders
      identity.apply(to: &join)
      if let patience = plan.patience { join.reconnectTimeout = .milliseconds(Int64(patience * 1_000)) }
      meeting = try target.meeting(name: options["name"], options: join)
    } catch {
      CommandLineText.complain("\(error)")
      return (1, nil)
    }
    let recording: MeetingRecording?
    do throws(MediaError) {
      recording = try options["record"].map { path throws(MediaError) in
        try MeetingRecording(directory: path, isRaw: options.has("raw"))
      }
    } catch {
      CommandLineText.complain("\(error)")
      return (1, nil)
    }
    let leaveTask = LeaveTask(from: meeting)
    let observer = makeObserver(of: meeting, leaveTask, json: options.has("json"))
    recording?.onProblem = { observer.problem($0) }
    let events = meeting.events
    // Lines that were read only after joining would come too late for a person in the lobby.
    let waits = LobbyReports(meeting.events, observer) {
      if options.has("json") { StandardInput.hold(leaveTask) }
    }
    let opening = Task { @MainActor in try await plan.open() }
    signals.onSignal {
      opening.cancel()
      leaveTask.leave()
    }
    do {
      try await plan.publish(try await opening.value, to: meeting, telling: observer)
      try await meeting.join()
      waits.stop()
    } catch {
      waits.stop()
      if meeting.encryption.state == .refused { observer.take(.encryptionChanged(meeting.encryption)) }
      observer.close()
      leaveTask.leave()
      await leaveTask.finished()
      // Nothing is said of it where it can be mended.
      if case JoinError.signInRequired(let url) = error, plan.signIn != nil { return (1, url) }
      let isLeaving = error as? JoinError == .cancelled
      CommandLineText.complain(isLeaving ? "The meeting was left before it was joined." : "\(error)")
      return (1, nil)
    }
    if options.has("speaker") { await plan.play(meeting) }
    let timer = plan.duration.map { seconds in
      Task { @MainActor in
        try? await Task.sleep(nanoseconds: UInt64(seconds * 1e9))
        if !Task.isCancelled { leaveTask.leave() }
      }
    }
    let input = Task { @MainActor in
      await StandardInput.follow(meeting, observer, leaveTask, json: options.has("json"))
    }
    let clock = Task { @MainActor in
      while !Task.isCancelled {
        try? await Task.sleep(nanoseconds: observer.interval)
        await observer.tick()
        if CommandLineText.outputProblem != nil { leaveTask.leave() }
      }
    }
    var status: Int32 = 0
    var farewell: String?
    for await event in events {
      if case .subscribed(let subscription) = event { recording?.add(subscription) ?? plan.watch(subscription) }
      if !waits.hasReported(event) { observer.take(event) }
      // Nobody sees what happens here: the one at the other end of the pipe has gone, or the disk is full.
      if CommandLineText.outputProblem != nil { leaveTask.leave() }
      if case .ended(let reason, let message) = event {
        status = reason == .left || reason == .shutdown ? 0 : 1
        // With --json the line `left` has it.
        if status != 0 || (reason == .shutdown && !options.has("json")) { farewell = message }
      }
    }
    timer?.cancel()
    input.cancel()
    clock.cancel()
    identity.remember(meeting.knownIdentities) { observer.problem($0) }
    observer.close()
    // Later errors are reported with the end of the file.
    recording?.onProblem = { _ in }
    if recording?.finish() == false { status = 1 }
    await leaveTask.finished()
    if let farewell { CommandLineText.complain(farewell) }
    return (status, nil)
  }
}

/// Reports waiting while the meeting is being joined.
@MainActor private final class LobbyReports {
  private var count = 0
  private var task: Task<Void, Never>?

  /// `onWait` is called at each.
  init(
    _ events: AsyncStream<MeetingEvent>, _ observer: any JoinObserver, onWait: @escaping @MainActor () -> Void
  ) {
    task = Task { @MainActor [weak self] in
      for await event in events {
        guard case .waiting = event, let self, !Task.isCancelled else { continue }
        self.count += 1
        observer.take(event)
        onWait()
      }
    }
  }

  func stop() { task?.cancel() }

  /// Whether this event was reported already.
  func hasReported(_ event: MeetingEvent) -> Bool {
    guard count > 0, case .waiting = event else { return false }
    count -= 1
    return true
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
  /// Something went wrong that the meeting itself knows nothing of, in words.
  func problem(_ text: String)
  /// Nothing more comes: gives the terminal back.
  func close()
}
