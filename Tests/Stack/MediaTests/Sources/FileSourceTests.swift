import Basics
import Foundation
import Media
import TestSeeds
import Testing

/// One after the other: they count the threads and descriptors of the whole process.
@Suite(.serialized, .tellsSeeds) struct FileSourceTests {
  private let clock = TestClock(midnight: .zero)

  /// Two seconds with a marker in each picture and a tone, flashes and beeps included.
  private func makeFilm(_ path: String, seconds: Int64 = 2, flashes: Bool = false) throws {
    let file = try FileSink(path, width: 320, height: 180, channels: 1)
    let picture = TestPictureSource(
      .bars, width: 320, height: 180, framesPerSecond: 25, sourceID: 42, flashes: flashes, clock: clock)
    let tone = ToneSource(frequency: 1_000, level: -6, pattern: flashes ? .beep : .steady, clock: clock)
    let begin = Instant.milliseconds(5_000)
    for sound in try tone.frames(Int(seconds) * 100, from: begin) { file.audio.receive(sound) }
    for index in 0..<(seconds * 25) {
      file.video.receive(try picture.frame(at: begin + .milliseconds(40 * index)))
    }
    try file.finish()
  }

  @Test(arguments: ["film.webm", "film.mkv"]) func aFilmPlaysInRealTimeAndLoops(_ name: String) throws {
    let folder = ScratchFolder()
    try makeFilm(folder.file(name))
    let film = try FileSource(folder.file(name))
    let duration = try #require(film.duration)
    #expect(abs(duration.milliseconds - 2_000) < 100)
    let pictures = Collected<(VideoFrame, Instant)>()
    let sounds = Collected<(AudioFrame, Instant)>()
    try #require(film.video).start { pictures.append(($0, MonotonicClock.now)) }
    try #require(film.audio).start { sounds.append(($0, MonotonicClock.now)) }
    #expect(pictures.wait(for: 75) && sounds.wait(for: 300))
    film.stop()

    let markers = pictures.values.compactMap { TestPictureMarker.decode($0.0) }
    #expect(markers.count == pictures.values.count && markers.allSatisfy { $0.sourceID == 42 })
    // Three seconds of a film of two: the pictures of the first come again.
    #expect(markers.count { $0.milliseconds == markers[1].milliseconds } >= 2)
    // Real time: picture 40 is 1.6 s after the first, on its own clock, and never given out before it is due.
    #expect(abs((pictures.values[40].0.time - pictures.values[0].0.time).milliseconds - 1_600) < 50)
    #expect(pictures.values.allSatisfy { $0.1 >= $0.0.time - .milliseconds(5) })
    #expect(sounds.values.allSatisfy { $0.0.samples.count == 960 && $0.1 >= $0.0.time - .milliseconds(5) })
    let samples = sounds.values[20..<120].flatMap { frame in stride(from: 0, to: 960, by: 2).map { frame.0.samples[$0] }
    }
    let level = strength(of: 1_000, in: samples)
    #expect(level > 12_000 && strength(of: 1_010, in: samples) < level / 10, "\(level)")
  }

  @Test func flashesAndBeepsStayTogether() throws {
    let folder = ScratchFolder()
    try makeFilm(folder.file("sync.webm"), seconds: 3, flashes: true)
    let film = try FileSource(folder.file("sync.webm"), loops: false)
    let flashes = Collected<Instant>()
    let beeps = Collected<Instant>()
    let ended = Collected<String>()
    let both = try FileSource(folder.file("sync.webm"), loops: false) { ended.append("\(String(describing: $0))") }
    film.stop()
    try #require(both.video).start { if TestPictureMarker.decode($0)?.isFlash == true { flashes.append($0.time) } }
    try #require(both.audio).start { frame in
      if frame.samples.contains(where: { abs(Int($0)) > 3_000 }) { beeps.append(frame.time) }
    }
    #expect(ended.wait(for: 1))
    #expect(ended.values == ["nil"])
    both.stop()
    func beginnings(_ times: [Instant]) -> [Instant] {
      times.enumerated().filter { $0 == 0 || .milliseconds(200) < $1 - times[$0 - 1] }.map(\.element)
    }
    let pairs = zip(beginnings(flashes.values), beginnings(beeps.values))
    #expect(beginnings(beeps.values).count >= 2)
    for (flash, beep) in pairs { #expect(abs((flash - beep).milliseconds) <= 45, "\((flash - beep).milliseconds) ms") }
  }

  @Test func soundAloneAndPicturesAloneAreFilmsToo() throws {
    let folder = ScratchFolder()
    let wave = try FileSink(folder.file("tone.wav"), channels: 1)
    for frame in try ToneSource(frequency: 700, level: -6).frames(100, from: .zero) { wave.audio.receive(frame) }
    try wave.finish()
    let tone = try FileSource(folder.file("tone.wav"))
    #expect(tone.video == nil)
    let sounds = Collected<AudioFrame>()
    try #require(tone.audio).start { sounds.append($0) }
    #expect(sounds.wait(for: 60))
    tone.stop()
    let samples = sounds.values[5..<55].flatMap { frame in stride(from: 0, to: 960, by: 2).map { frame.samples[$0] } }
    #expect(abs(strength(of: 700, in: samples) - 16_422) < 300)

    let raw = try FileSink(folder.file("picture.webm"), tracks: .video, width: 320, height: 180)
    let source = TestPictureSource(.bars, width: 320, height: 180, sourceID: 5, clock: clock)
    for index in 0..<25 { raw.video.receive(try source.frame(at: .milliseconds(Int64(index) * 40))) }
    try raw.finish()
    let film = try FileSource(folder.file("picture.webm"))
    #expect(film.audio == nil)
    let pictures = Collected<VideoFrame>()
    try #require(film.video).start { pictures.append($0) }
    #expect(pictures.wait(for: 10))
    film.stop()
    #expect(pictures.values.allSatisfy { TestPictureMarker.decode($0)?.sourceID == 5 })
  }

  @Test func badFilesAreTypedErrorsInWords() throws {
    let folder = ScratchFolder()
    var random = SeededGenerator(seed: TestSeed.of(3))
    let cases: [(String, String)] = [
      (folder.file("missing.webm"), "No such file"), (folder.path, "it is a folder"),
      (folder.write([], "empty.webm"), "it is empty"),
      (folder.write(Array("Dear Sir or Madam, this is no film.\n".utf8), "letter.webm"), "holds no audio or video"),
      (folder.write((0..<5_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }, "noise.webm"), "holds no audio"),
      ("http://127.0.0.1:9/film.webm", "cannot be opened"), ("nonsense://x/y", "cannot be opened"),
    ]
    for (location, words) in cases {
      let error = #expect(throws: MediaError.self) { try FileSource(location) }
      #expect(error?.description.contains(words) == true, "\(location): \(String(describing: error))")
    }
  }

  @Test("GStreamer's words stand in parentheses, behind words for people")
  func libraryWordsAreDetails() throws {
    let folder = ScratchFolder()
    var random = SeededGenerator(seed: TestSeed.of(4))
    let noise = folder.write((0..<5_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }, "noise.webm")
    var errors: [MediaError] = []
    for location in [noise, "http://127.0.0.1:9/film.webm", "nonsense://x/y", "file:///no%20where.webm"] {
      let error = #expect(throws: MediaError.self) { try FileSource(location) }
      error.map { errors.append($0) }
    }
    let pipelines: [(String, String)] = [
      ("filesrc location=/nowhere/at/all", "it is not there ("),
      ("v4l2src device=/dev/null", "("), ("alsasrc device=nothing", "("),
      ("audiotestsrc num-buffers=1 ! video/x-raw", "its pipeline is not written as GStreamer expects ("),
    ]
    for (description, words) in pipelines {
      let source = PipelineAudioSource(description, name: "tried", timeout: .seconds(5))
      let error = #expect(throws: MediaError.self) { try source.start { _ in } }
      #expect(error?.description.contains(words) == true, "\(String(describing: error))")
      error.map { errors.append($0) }
    }
    for error in errors {
      let text = error.description
      let said = text.prefix { $0 != "(" }
      for word in ["Resource", " stream", "Could not", "element", "Internal", "Failed", "device '"] {
        #expect(!said.contains(word), "\(text)")
      }
      #expect(text.hasSuffix(".") && !text.hasSuffix(".."), "\(text)")
      print("MediaError: \(text)")
    }
  }

  @Test("a path that isn't a regular file is refused with a sentence that names it")
  func fifosSocketsAndDevicesAreRefused() throws {
    let folder = ScratchFolder()
    let fifo = folder.file("fifo")
    try #require(mkfifo(fifo, 0o600) == 0)
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    // Outside of the folder, whose path is too long for an address.
    let path = "/tmp/parley-\(getpid()).socket"
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
    defer { unlink(path) }
    let cases = [(fifo, "a FIFO"), ("file://" + fifo, "a FIFO"), (path, "a socket"), ("/dev/zero", "a device")]
    for (location, words) in cases {
      let error = #expect(throws: MediaError.self) { try FileSource(location) }
      #expect(error?.description.contains(words) == true, "\(location): \(String(describing: error))")
    }
  }

  /// Damage anywhere must end in an error or in playing what is left, never in a trap or a wait without end.
  @Test func damagedFilmsDoNotCrashOrHang() throws {
    let folder = ScratchFolder()
    try makeFilm(folder.file("film.webm"))
    let whole = try [UInt8](Data(contentsOf: URL(fileURLWithPath: folder.file("film.webm"))))
    var random = SeededGenerator(seed: TestSeed.of(21))
    for round in 0..<25 {
      var bytes = whole
      if round % 3 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
      for _ in 0..<(1 + round) where !bytes.isEmpty {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      let path = folder.write(bytes, "damaged\(round).webm")
      do {
        let film = try FileSource(path, timeout: .seconds(5))
        try film.video?.start { _ in }
        try film.audio?.start { _ in }
        film.stop()
      } catch {
        #expect(!error.description.isEmpty)
      }
    }
  }

  @Test(
    "A film cut off before its first frame ends with a sentence, looping or not",
    arguments: [true, false])
  func cutOffBeforeTheFirstPicture(loops: Bool) throws {
    let folder = ScratchFolder()
    try makeFilm(folder.file("film.webm"))
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.file("film.webm")))
    // The header is there: what plays is found out, and then there is nothing.
    try whole.prefix(600).write(to: URL(fileURLWithPath: folder.file("cut.webm")))
    let ended = Collected<MediaError?>()
    let film = try FileSource(folder.file("cut.webm"), loops: loops) { ended.append($0) }
    try #require(film.video).start { _ in }
    #expect(ended.wait(for: 1))
    film.stop()
    guard case .notMedia(let name, _) = ended.values.first ?? nil else {
      Issue.record("it ended with \(ended.values)")
      return
    }
    #expect(name.hasSuffix("cut.webm"))
  }

  @Test func nothingStaysBehind() throws {
    let folder = ScratchFolder()
    try makeFilm(folder.file("film.webm"), seconds: 1)
    func play() throws {
      let film = try FileSource(folder.file("film.webm"))
      let pictures = Collected<VideoFrame>()
      try film.video?.start { pictures.append($0) }
      try film.audio?.start { _ in }
      #expect(pictures.wait(for: 3))
      film.stop()
      _ = try? FileSource(folder.file("missing"))
      _ = try? FileSource("http://127.0.0.1:9/film.webm")
    }
    // The first rounds load libraries and start GLib's own helper.
    for _ in 0..<3 { try play() }
    // GLib keeps one thread that starts others, for the life of the process.
    #expect(ProcessResources.settles { ProcessResources.mediaThreads() <= 1 }, "\(ProcessResources.threadNames())")
    let descriptors = ProcessResources.descriptors()
    for _ in 0..<8 { try play() }
    #expect(ProcessResources.settles { ProcessResources.mediaThreads() <= 1 }, "\(ProcessResources.threadNames())")
    #expect(ProcessResources.settles { ProcessResources.descriptors() <= descriptors + 2 })
  }

  @Test func pipelinesGivePicturesAndSound() throws {
    let video = PipelineVideoSource(
      "videotestsrc is-live=true pattern=white", width: 320, height: 180, framesPerSecond: 20)
    let audio = PipelineAudioSource("audiotestsrc is-live=true freq=600 volume=0.5")
    let pictures = Collected<(VideoFrame, Instant)>()
    let sounds = Collected<AudioFrame>()
    try video.start { pictures.append(($0, MonotonicClock.now)) }
    try audio.start { sounds.append($0) }
    #expect(pictures.wait(for: 20) && sounds.wait(for: 100))
    video.stop()
    audio.stop()
    #expect(pictures.values.allSatisfy { $0.0.width == 320 && $0.0.height == 180 })
    #expect(
      pictures.values.allSatisfy { frame in frame.0.withPlanes { y, _, _ in y[100 * frame.0.yStride + 100] > 220 } })
    // The times are those of capture on our clock, not some other clock's.
    #expect(pictures.values.allSatisfy { abs(($0.1 - $0.0.time).milliseconds) < 2_000 })
    let samples = sounds.values[20..<100].flatMap(\.samples)
    #expect(abs(strength(of: 600, in: samples) - 16_384) < 400)
  }

  @Test func impossiblePipelinesAndMissingDevicesAreTypedErrors() {
    #expect(throws: MediaError.self) { try PipelineVideoSource("nosuchelement").start { _ in } }
    #expect(throws: MediaError.self) { try PipelineVideoSource("videotestsrc !! !").start { _ in } }
    #expect(throws: MediaError.self) { try ScreenSource(.display(":987")).start { _ in } }
    if access("/dev/video0", F_OK) != 0 {
      let error = #expect(throws: MediaError.self) { try CameraSource().start { _ in } }
      #expect(error?.description.contains("no camera") == true)
    }
    if access("/dev/snd", F_OK) != 0 {
      for attempt in [{ try MicrophoneSource().start { _ in } }, { _ = try SpeakerSink() }] as [() throws -> Void] {
        let error = #expect(throws: MediaError.self) { try attempt() }
        if case .deviceUnavailable = error {} else { Issue.record("\(String(describing: error))") }
      }
    }
  }
}
