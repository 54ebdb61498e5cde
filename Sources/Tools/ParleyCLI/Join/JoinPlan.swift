import Dispatch
import Media
import Parley

/// The tracks and the duration of `parley join`, read from its options.
@MainActor struct JoinPlan {
  enum Content {
    case nothing
    case testPicture(style: Int)
    case syncSignal
    case file(String)
  }

  let content: Content
  let camera: String?
  let screen: Bool
  let microphone: Bool
  /// Cleans the microphone, of the speaker's echo too; nil without a microphone.
  let processor: AudioProcessor?
  /// Why the microphone is not cleaned, in words; nil where it is, and without one.
  let processorProblem: String?
  let video: VideoOptions
  /// The video codecs to receive; nil for all.
  let decoders: [Codec]?
  let duration: Double?
  let patience: Double?
  /// For how long somebody may sign in, in seconds; nil when nobody is waited for.
  let signIn: Double?

  init(
    _ options: CommandOptions,
    makeProcessor: (AudioProcessor.Configuration) throws(MediaError) -> AudioProcessor = {
      configuration throws(MediaError) in try AudioProcessor(configuration)
    }
  ) throws(CommandOptions.Problem) {
    if let problem = options["name"].flatMap(Self.problem(ofName:)) {
      throw CommandOptions.Problem(description: "--name: \(problem)")
    }
    let style = options.count("style")
    switch options["publish"] {
    case nil, "none"?: content = .nothing
    case "testsrc"?: content = .testPicture(style: style)
    case "sync"?: content = .syncSignal
    case let file?: content = .file(file)
    }
    camera = options["camera"]
    screen = options.has("screen")
    microphone = options.has("microphone")
    var problem: String?
    do throws(MediaError) {
      processor = microphone ? try makeProcessor(.init(echoCancellation: options.has("speaker"))) : nil
    } catch {
      processor = nil
      let consequence =
        options.has("speaker")
        ? "with its noise, and with the echo of the speaker. Use headphones, or the others hear themselves"
        : "with its noise"
      problem = "The microphone is sent as it is, \(consequence). \(error)"
    }
    processorProblem = problem
    var video = VideoOptions(simulcast: options.has("simulcast"))
    if let name = options["codec"] {
      guard let codec = Codec(name: name, clockRate: 90_000), VideoCodecFactory.encodable.contains(codec) else {
        throw CommandOptions.Problem(description: "--codec \(name): VP8, VP9 or H264 is expected.")
      }
      video.codec = codec
    }
    self.video = video
    decoders = try options["decoders"].map(Self.decoders)
    duration = options.seconds("duration")
    patience = options.seconds("patience")
    let wait = options.seconds("sign-in") ?? 0
    signIn = wait > 0 ? wait : nil
  }

  /// The codecs of a list such as `VP8,H264`.
  private static func decoders(_ list: String) throws(CommandOptions.Problem) -> [Codec] {
    let names = list.split(separator: ",").map { $0.filter { $0 != " " } }
    let codecs = names.compactMap { Codec(name: $0, clockRate: 90_000) }.filter(VideoCodecFactory.decodable.contains)
    guard !codecs.isEmpty, codecs.count == names.count else {
      throw CommandOptions.Problem(
        description: "--decoders \(list): VP8, VP9, H264 or AV1 is expected, or some of them.")
    }
    return codecs
  }

  /// Why a display name is too long; nil when it isn't. The server would leave out what is more.
  static func problem(ofName name: String) -> String? {
    name.count > Meeting.maximumNameLength
      ? "A name has at most \(Meeting.maximumNameLength) characters. This one has \(name.count)." : nil
  }

  /// Opens the file or URL to send, if there is one. That may take seconds, for which a thread waits that is nobody
  /// else's; cancelling the task ends the waiting here at once.
  func open() async throws -> FileSource? {
    guard case .file(let path) = content else { return nil }
    return try await Self.open(path)
  }

  private nonisolated static func open(_ path: String) async throws -> FileSource {
    let (results, continuation) = AsyncStream.makeStream(of: Result<FileSource, MediaError>.self)
    DispatchQueue(label: "opening").async {
      do throws(MediaError) {
        continuation.yield(.success(try FileSource(path)))
      } catch { continuation.yield(.failure(error)) }
      continuation.finish()
    }
    for await result in results { return try result.get() }
    throw JoinError.cancelled
  }

  /// Publishes everything; called before joining, so that it goes out with the first offer.
  /// - Parameters:
  ///   - file: The source that ``open()`` returned.
  ///   - observer: Receives the differences between the sent and the requested media.
  func publish(_ file: FileSource?, to meeting: Meeting, telling observer: any JoinObserver) async throws {
    switch content {
    case .nothing: break
    case .testPicture(let style):
      try await publish(TestMedia.make(style: style), to: meeting)
    case .syncSignal: try await publish(TestMedia.makeSyncSignal(), to: meeting)
    case .file:
      guard let file else { return }
      if let picture = file.video { try await meeting.local.publish(LocalVideoTrack(picture, options: video)) }
      if let sound = file.audio { try await meeting.local.publish(LocalAudioTrack(sound)) }
    }
    if let camera {
      try await meeting.local.publish(LocalVideoTrack(CameraSource(try Self.camera(camera)), options: video))
    }
    if screen {
      try await meeting.local.publish(
        LocalVideoTrack(ScreenSource(), options: VideoOptions(isScreen: true)), as: .screen)
    }
    if microphone {
      if let processorProblem { observer.problem(processorProblem) }
      let source = MicrophoneSource()
      try await meeting.local.publish(LocalAudioTrack(processor.map { CleanedAudioSource(source, by: $0) } ?? source))
    }
  }

  private func publish(_ media: (any VideoSource, any AudioSource), to meeting: Meeting) async throws {
    try await meeting.local.publish(LocalVideoTrack(media.0, options: video))
    try await meeting.local.publish(LocalAudioTrack(media.1))
  }

  /// The camera that a person means: by its name or its path, or the first one.
  private static func camera(_ text: String) throws(MediaError) -> MediaDevice {
    let cameras = try MediaDevices.cameras()
    let found = text == "default" ? cameras.first : cameras.first { $0.name == text || $0.id.hasSuffix(text) }
    guard let found else {
      let names = cameras.map(\.name).joined(separator: ", ")
      throw .deviceUnavailable(
        text == "default" ? "camera" : text,
        reason: cameras.isEmpty ? "this machine has no camera." : "the cameras of this machine are: \(names).")
    }
    return found
  }

  /// Plays the meeting's audio.
  func play(_ meeting: Meeting) async {
    do throws(MediaError) {
      let speaker = try SpeakerSink()
      meeting.playSound(to: processor.map { EchoReferenceSink(speaker, of: $0) } ?? speaker)
    } catch { CommandLineText.complain("\(error)") }
  }

  /// Decodes a track without showing it, so that its frames are counted and ``MeetingEvent/firstFrame(_:)`` comes.
  func watch(_ subscription: Subscription) {
    switch subscription.track {
    case .video(let track): track.add(NullSink())
    case .audio(let track): track.add(NullSink())
    }
  }
}
