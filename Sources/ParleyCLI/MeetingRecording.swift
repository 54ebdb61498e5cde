import FoundationEssentials
import Parley
import Synchronization

/// What `parley join --record` writes: each received track into a file of its own, named after who sent it and what it shows.
@MainActor final class MeetingRecording {
  private let directory: String
  private let isRaw: Bool
  private var files: [TrackFile] = []
  private var names: Set<String> = []

  /// A recording into a directory, which is made when it is not there.
  init(directory: String, isRaw: Bool) throws(MediaError) {
    self.directory = directory
    self.isRaw = isRaw
    do {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    } catch { throw .cannotOpen(directory, reason: "the directory could not be made") }
  }

  /// Records a track from now on.
  func add(_ subscription: Subscription) {
    let ending = isRaw ? (subscription.publication.kind == .video ? "y4m" : "wav") : "webm"
    let file = TrackFile(path: "\(directory)/\(name(subscription)).\(ending)", kind: subscription.publication.kind)
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
    let path = "\(directory)/starts.json"
    do { try Data((line.text + "\n").utf8).write(to: URL(filePath: path)) } catch {
      CommandLineText.complain("\(path) could not be written.")
      return false
    }
    return true
  }

  /// A name that no path can be made of, and that was not used yet.
  private func name(_ subscription: Subscription) -> String {
    let person = subscription.participant.map(\.name) ?? "somebody"
    let safe = String(person.map { $0.isLetter || $0.isNumber ? $0 : "-" }.prefix(40))
    let base = "\(safe)-\(subscription.publication.source.rawValue)"
    var name = base
    var number = 1
    while !names.insert(name).inserted {
      number += 1
      name = "\(base)-\(number)"
    }
    return name
  }
}

/// The file of one track, opened with its first frame, since only that one tells the size.
private final class TrackFile: VideoSink, AudioSink {
  let path: String
  private let kind: MediaKind
  private let state = Mutex<(sink: FileSink?, start: Instant?, error: MediaError?, isOver: Bool)>(
    (nil, nil, nil, false))

  init(path: String, kind: MediaKind) {
    self.path = path
    self.kind = kind
  }

  func receive(_ frame: VideoFrame) {
    open(at: frame.time, width: frame.width & ~1, height: frame.height & ~1, channels: 1)?.video.receive(frame)
  }

  func receive(_ frame: AudioFrame) {
    open(at: frame.time, width: 640, height: 360, channels: frame.channels)?.audio.receive(frame)
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
