public import Basics
import Synchronization

/// Writes video and audio to a file, for keeping or for tests.
///
/// The name's ending chooses the format: `.webm` and `.mkv` hold VP8 and Opus (GStreamer writes them), `.y4m` raw
/// video, `.wav` raw audio. The two halves share one time line, that of the frames' times.
///
/// ```swift
/// let file = try FileSink("meeting.webm", width: 1280, height: 720)
/// video.add(file.video)
/// audio.add(file.audio)
/// try await Task.sleep(for: .seconds(60))
/// try file.finish()
/// ```
public final class FileSink: Sendable {
  /// The formats that can be written.
  ///
  /// ```swift
  /// func format(lossless: Bool, tracks: FileSink.Tracks) -> FileSink.Format {
  ///   guard lossless else { return tracks == .video ? .webm : .mkv }
  ///   return tracks == .video ? .y4m : .wav
  /// }
  /// ```
  public enum Format: String, CaseIterable, Sendable {
    /// VP8 and Opus.
    case webm
    /// VP8 and Opus in Matroska.
    case mkv
    /// Raw frames at a steady rate, as most video tools read them, without audio.
    case y4m
    /// Raw audio, without video.
    case wav
  }

  /// The tracks of a file.
  ///
  /// ```swift
  /// let file = try FileSink("screen.webm", tracks: .video)
  /// ```
  public struct Tracks: OptionSet, Sendable {
    /// The bits.
    ///
    /// ```swift
    /// let isNothing = FileSink.Tracks([]).rawValue == 0
    /// ```
    public let rawValue: Int

    /// From bits.
    ///
    /// ```swift
    /// let saved = FileSink.Tracks(rawValue: 3)  // both
    /// ```
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// ```swift
    /// let file = try FileSink("screen.webm", tracks: .video)
    /// ```
    public static let video = Tracks(rawValue: 1)

    /// ```swift
    /// let file = try FileSink("voices.mkv", tracks: .audio)
    /// ```
    public static let audio = Tracks(rawValue: 2)
  }

  /// The file.
  ///
  /// ```swift
  /// let file = try FileSink("meeting.webm")
  /// print("Recording to \(file.path)")
  /// ```
  public let path: String

  /// Frames of another size are scaled to fit, with black bars if the shapes differ.
  ///
  /// ```swift
  /// let file = try FileSink("ann.webm", tracks: .video)
  /// video.add(file.video)
  /// ```
  public let video: any VideoSink

  /// ```swift
  /// let file = try FileSink("everybody.wav")
  /// meeting.playSound(to: file.audio)
  /// ```
  public let audio: any AudioSink

  private let writer: any FileWriter

  /// Opens a file for writing; one of that name is replaced.
  ///
  /// ```swift
  /// let file = try FileSink("talk.webm", width: 1280, height: 720, bitrate: .kilobits(2_500))
  /// ```
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - format: nil: by the name's ending.
  ///   - tracks: The tracks that will come. A muxer waits for each track that is announced: announce no track that
  ///     stays away.
  ///   - width: Pixels a row of the video, an even number.
  ///   - height: Rows of the video, an even number.
  ///   - framesPerSecond: The steady rate of `.y4m`; the others keep the frames' own times.
  ///   - bitrate: Of the video, for `.webm` and `.mkv`.
  ///   - channels: Of the audio, 1 or 2.
  public init(
    _ path: String, format: Format? = nil, tracks: Tracks = [.video, .audio], width: Int = 640, height: Int = 360,
    framesPerSecond: Int = 25, bitrate: DataRate = .kilobits(1_500), channels: Int = 2
  ) throws(MediaError) {
    let ending = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
    guard let format = format ?? Format(rawValue: ending) else {
      throw .invalid("Files ending in '.\(ending)' cannot be written; .webm, .mkv, .y4m and .wav can.")
    }
    guard (2...VideoFrame.maximumDimension).contains(width), (2...VideoFrame.maximumDimension).contains(height),
      width % 2 == 0, height % 2 == 0
    else { throw .invalid("A picture of \(width)x\(height) cannot be written: both must be even.") }
    guard (1...120).contains(framesPerSecond), channels == 1 || channels == 2 else {
      throw .invalid("1 to 120 frames a second and 1 or 2 channels can be written.")
    }
    self.path = path
    switch format {
    case .y4m: writer = try RawVideoWriter(path, width: width, height: height, framesPerSecond: framesPerSecond)
    case .wav: writer = try WaveWriter(path, channels: channels)
    case .webm, .mkv:
      writer = try MuxedWriter(
        path, muxer: format == .webm ? "webmmux" : "matroskamux", tracks: tracks, width: width, height: height,
        bitrate: bitrate, channels: channels)
    }
    let writer = writer
    video = ClosureVideoSink { writer.write($0) }
    audio = ClosureAudioSink { writer.write($0) }
  }

  /// The first thing that went wrong while writing, such as a full disk: what comes afterwards is lost. Nil while all
  /// is well.
  ///
  /// ```swift
  /// let file = try FileSink("everybody.wav")
  /// if let failure = file.failure { print("The recording is not whole: \(failure)") }
  /// ```
  public var failure: MediaError? { writer.failure }

  /// Completes the file; what comes later is ignored. Blocks until it is on its way to the disk. Harmless when
  /// repeated.
  ///
  /// ```swift
  /// let file = try FileSink("everybody.wav")
  /// meeting.playSound(to: file.audio)
  /// for await case .ended in meeting.events { try file.finish() }
  /// ```
  ///
  /// - Throws: ``MediaError`` when something could not be written, now or earlier.
  public func finish() throws(MediaError) { try writer.finish() }
}

/// A writer of one format. Thread-safe.
protocol FileWriter: Sendable {
  func write(_ frame: VideoFrame)
  func write(_ frame: AudioFrame)
  var failure: MediaError? { get }
  func finish() throws(MediaError)
}
