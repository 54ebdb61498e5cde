public import Basics
import CGStreamer
import Glibc

/// Video and audio of a media file or URL, in real time, and again from the beginning at the end.
///
/// Both run on one clock, from the moment the first is started. GStreamer's base and good plugins decide the formats:
/// WebM, Matroska, Ogg, WAV, FLAC, MP3, VP8, VP9, Opus, Vorbis, motion JPEG and more. H.264, H.265 and AAC need
/// decoders that are not among them.
///
/// ```swift
/// let film = try FileSource("film.webm")
/// if let pictures = film.video { try await meeting.local.publish(LocalVideoTrack(pictures)) }
/// if let sound = film.audio { try await meeting.local.publish(LocalAudioTrack(sound)) }
/// ```
public final class FileSource: Sendable {
  /// The path or URL.
  ///
  /// ```swift
  /// let film = try FileSource("film.webm")
  /// print("Playing \(film.location)")
  /// ```
  public let location: String

  /// How long it lasts; nil when unknown, as with live streams.
  ///
  /// ```swift
  /// let film = try FileSource("film.webm")
  /// if let duration = film.duration { print("\(duration.seconds) s") }
  /// ```
  public let duration: TimeSpan?

  /// nil for a file without video.
  ///
  /// ```swift
  /// let film = try FileSource("film.webm")
  /// if let pictures = film.video { try await meeting.local.publish(LocalVideoTrack(pictures)) }
  /// ```
  public let video: (any VideoSource)?

  /// Stereo; nil for a file without audio.
  ///
  /// ```swift
  /// let jingle = try FileSource("jingle.ogg")
  /// if let sound = jingle.audio { try await meeting.local.publish(LocalAudioTrack(sound)) }
  /// ```
  public let audio: (any AudioSource)?

  private let player: FilePlayer

  /// Opens a file or URL and finds its tracks. Blocks until they are known: usually some ten milliseconds, `timeout` at
  /// most.
  ///
  /// ```swift
  /// let film = try FileSource("film.webm", loops: false) { error in print(error?.description ?? "The film is over.") }
  /// ```
  ///
  /// - Parameters:
  ///   - location: A path, or a URL (`https://…`, `file:///…`, `rtsp://…`).
  ///   - loops: Whether to start again at the end.
  ///   - timeout: The limit for opening, here and when it is started.
  ///   - onEnd: Called on a thread of the source when it has ended permanently, with the error if it was one.
  /// - Throws: ``MediaError/cannotOpen(_:reason:)`` when there is no such file or the URL does not answer,
  ///   ``MediaError/notMedia(_:reason:)`` when it has neither video nor audio, ``MediaError/missingComponent(_:hint:)``
  ///   when its coding needs something that is not installed.
  public init(
    _ location: String, loops: Bool = true, timeout: TimeSpan = .seconds(10),
    onEnd: @escaping @Sendable (MediaError?) -> Void = { _ in }
  ) throws(MediaError) {
    self.location = location
    let isURL = location.contains("://")
    if !isURL {
      try Self.checkFile(location)
    } else if let path = Self.path(ofURL: location) {
      try Self.checkFile(path)
    }
    try GStreamer.load()
    let uri: String
    if isURL {
      uri = location
    } else {
      let (result, text) = GStreamer.withMessage { parley_gst_uri(Self.absolute(location), $0, $1) }
      guard result == 0 else { throw .cannotOpen(location, reason: "its path is too long or not valid.") }
      uri = text
    }
    let found = parley_gst_discover(uri, UInt64(max(timeout.nanoseconds, 1_000_000_000)))
    try Self.check(found, location, timeout)
    duration = found.duration > 0 ? TimeSpan(nanoseconds: found.duration) : nil
    let player = FilePlayer(
      location: location, uri: uri, hasVideo: found.video_streams > 0, hasAudio: found.audio_streams > 0, loops: loops,
      timeout: timeout, onEnd: onEnd)
    self.player = player
    video = found.video_streams > 0 ? FileVideo(player) : nil
    audio = found.audio_streams > 0 ? FileAudio(player) : nil
  }

  /// Stops both. Letting go of this object does not: who publishes ``video`` or ``audio`` holds those, and what plays
  /// ends with them.
  ///
  /// ```swift
  /// let film = try FileSource("film.webm")
  /// try film.audio?.start { sound in print(sound.time) }
  /// film.stop()
  /// ```
  public func stop() { player.stop() }

  private static func absolute(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    guard let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return String(cString: folder) + "/" + path
  }

  /// The path of a `file:` URL in its plain form, so that it is checked as a path is; nil for every other.
  private static func path(ofURL url: String) -> String? {
    guard url.lowercased().hasPrefix("file:///"), !url.contains("%") else { return nil }
    return String(url.dropFirst(7))
  }

  /// The common mistakes, before a library is loaded for them.
  private static func checkFile(_ path: String) throws(MediaError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw .cannotOpen(path, reason: "\(String(cString: strerror(errno))).")
    }
    // These have no end and no beginning, and may never answer: opening a FIFO waits for somebody to write to it.
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw .cannotOpen(path, reason: "it is a folder.")
    case S_IFIFO: throw .cannotOpen(path, reason: "it is a FIFO, not a file.")
    case S_IFSOCK: throw .cannotOpen(path, reason: "it is a socket, not a file.")
    default: throw .cannotOpen(path, reason: "it is a device, not a file.")
    }
    guard access(path, R_OK) == 0 else { throw .cannotOpen(path, reason: "\(String(cString: strerror(errno))).") }
    if status.st_size == 0 { throw .notMedia(path, reason: "it is empty.") }
  }

  private static func check(_ found: parley_discovery, _ location: String, _ timeout: TimeSpan) throws(MediaError) {
    var found = found
    let detail = withUnsafeBytes(of: &found.detail) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    switch found.result {
    case 0: break
    case 2: throw .notMedia(location, reason: detail.isEmpty ? "its format is unknown." : detail)
    case 3: throw .cannotOpen(location, reason: "there was no answer within \(timeout.milliseconds) ms.")
    case 4 where found.audio_streams + found.video_streams == 0 || !detail.isEmpty:
      throw .missingComponent(
        "A \(detail)",
        hint:
          "\(location) needs it, and it is not among GStreamer's base and good plugins. Convert the file to VP8 or VP9 with Opus (WebM)."
      )
    default: throw .cannotOpen(location, reason: detail.isEmpty ? "no reason is known." : detail)
    }
    if found.audio_streams + found.video_streams == 0 {
      throw .notMedia(location, reason: "there is neither picture nor sound in it.")
    }
    let limit = VideoFrame.maximumDimension
    if found.width > limit || found.height > limit {
      throw .notMedia(location, reason: "its picture is larger than \(limit) pixels each way.")
    }
  }
}
