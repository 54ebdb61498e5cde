import FoundationEssentials
import Parley
import Synchronization

/// What `parley join --record` writes: each received track into a file of its own, named after who sent it and what it shows.
@MainActor final class MeetingRecording {
  private let directory: String
  private let isRaw: Bool
  private var files: [TrackFile] = []
  private var paths: Set<String> = []
  /// Told when a file cannot be written, or not any further, as soon as that is known.
  var onProblem: (String) -> Void = { _ in }

  /// A recording into a directory, which is made when it is not there.
  init(directory: String, isRaw: Bool) throws(MediaError) {
    self.directory = directory
    self.isRaw = isRaw
    do {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    } catch { throw .cannotWrite(directory, reason: "the directory could not be made.") }
  }

  /// Records a track from now on.
  func add(_ subscription: Subscription) {
    let ending = isRaw ? (subscription.publication.kind == .video ? "y4m" : "wav") : "webm"
    let path = freePath(name(subscription), ending)
    let file = TrackFile(path: path, kind: subscription.publication.kind) { [weak self] error in
      Task { @MainActor in self?.onProblem("The recording stops: \(error)") }
    }
    files.append(file)
    switch subscription.track {
    case .video(let track): track.add(file)
    case .audio(let track): track.add(file)
    }
  }

  /// Completes every file; returns whether all of them could be written.
  func finish() -> Bool {
    var isWhole = isRaw ? writeStarts() : true
    for file in files {
      do throws(MediaError) { try file.finish() } catch {
        isWhole = false
        CommandLineText.complain("The recording \(file.path) is not whole: \(error)")
      }
    }
    files = []
    return isWhole
  }

  /// Writes when each file's first frame is to be shown or heard, in seconds of one clock: raw files have no times of their own, and
  /// without a common one sound and pictures cannot be laid side by side.
  private func writeStarts() -> Bool {
    var line: JSONLine = [:]
    for file in files {
      guard let start = file.start, let name = file.path.split(separator: "/").last else { continue }
      line.add(String(name), .number(Double(start.nanoseconds / 1_000) / 1e6))
    }
    let path = freePath("starts", "json")
    do { try Data((line.text + "\n").utf8).write(to: URL(filePath: path)) } catch {
      // Half of it, or nothing, would be taken for a list of no files.
      try? FileManager.default.removeItem(atPath: path)
      CommandLineText.complain("\(path) could not be written, so that it is not known when the other files begin.")
      return false
    }
    return true
  }

  /// A name that no path can be made of.
  private func name(_ subscription: Subscription) -> String {
    let person = subscription.participant.map(\.name) ?? "somebody"
    let safe = String(person.map { $0.isLetter || $0.isNumber ? $0 : "-" }.prefix(40))
    return "\(safe)-\(subscription.publication.source.rawValue)"
  }

  /// A path of the directory where nothing is yet: an earlier recording is not written over.
  private func freePath(_ name: String, _ ending: String) -> String {
    var path = "\(directory)/\(name).\(ending)"
    var number = 1
    while paths.contains(path) || FileManager.default.fileExists(atPath: path) {
      number += 1
      path = "\(directory)/\(name)-\(number).\(ending)"
    }
    paths.insert(path)
    return path
  }
}

/// The file of one track, opened with its first frame, since only that one tells the size.
private final class TrackFile: VideoSink, AudioSink {
  let path: String
  private let kind: MediaKind
  private let onFailure: @Sendable (MediaError) -> Void
  private let state = Mutex<(sink: FileSink?, start: Instant?, error: MediaError?, isOver: Bool)>(
    (nil, nil, nil, false))
  private let hasFailed = Atomic(false)

  /// A file of one kind of media; `onFailure` is told of the first error.
  init(path: String, kind: MediaKind, onFailure: @escaping @Sendable (MediaError) -> Void) {
    self.path = path
    self.kind = kind
    self.onFailure = onFailure
  }

  func receive(_ frame: VideoFrame) {
    let sink = open(at: frame.time, width: frame.width & ~1, height: frame.height & ~1, channels: 1)
    sink?.video.receive(frame)
    tell(sink)
  }

  func receive(_ frame: AudioFrame) {
    let sink = open(at: frame.time, width: 640, height: 360, channels: frame.channels)
    sink?.audio.receive(frame)
    tell(sink)
  }

  private func tell(_ sink: FileSink?) {
    guard !hasFailed.load(ordering: .relaxed), let error = sink?.failure ?? state.withLock({ $0.error }) else { return }
    if !hasFailed.exchange(true, ordering: .relaxed) { onFailure(error) }
  }

  /// The time of the first frame; nil before there is one.
  var start: Instant? { state.withLock { $0.start } }

  private func open(at time: Instant, width: Int, height: Int, channels: Int) -> FileSink? {
    state.withLock { state in
      if state.sink == nil, state.error == nil, !state.isOver {
        do throws(MediaError) {
          state.sink = try FileSink(
            path, tracks: kind == .video ? .video : .audio, width: width, height: height, channels: channels)
          state.start = time
        } catch { state.error = error }
      }
      return state.isOver ? nil : state.sink
    }
  }

  func finish() throws(MediaError) {
    let (sink, error) = state.withLock { state in
      state.isOver = true
      return (state.sink, state.error)
    }
    if let error { throw error }
    try sink?.finish()
  }
}
