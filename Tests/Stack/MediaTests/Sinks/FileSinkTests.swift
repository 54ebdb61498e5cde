import Basics
import Foundation
import Media
import Testing

/// Files that tests make, gone afterwards.
final class ScratchFolder {
  let path: String
  init() {
    path = NSTemporaryDirectory() + "/parley-media-\(UUID().uuidString)"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }
  deinit { try? FileManager.default.removeItem(atPath: path) }
  func file(_ name: String) -> String { path + "/" + name }
  func write(_ bytes: [UInt8], _ name: String) -> String {
    _ = FileManager.default.createFile(atPath: file(name), contents: Data(bytes))
    return file(name)
  }
}

/// Files of this process may not grow beyond so many bytes.
private func setFileLimit(_ bytes: rlim_t) -> Bool {
  let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
  var limit = rlimit()
  guard getrlimit(resource, &limit) == 0 else { return false }
  limit.rlim_cur = bytes
  return setrlimit(resource, &limit) == 0
}

@Suite struct FileSinkTests {
  private let clock = TestClock(midnight: .zero)

  @Test func waveFilesHoldWhatCameAndSilenceWhereNothingCame() throws {
    let folder = ScratchFolder()
    let sink = try FileSink(folder.file("tone.wav"), channels: 1)
    let frames = try ToneSource(frequency: 440).frames(50, from: .milliseconds(100))
    for frame in frames[0..<20] + frames[30..<50] { sink.audio.receive(frame) }
    try sink.finish()
    try sink.finish()
    sink.audio.receive(frames[0])
    let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: sink.path)))
    #expect(bytes.count == 44 + 50 * 960)
    #expect(
      String(decoding: bytes[0..<4], as: UTF8.self) == "RIFF"
        && String(decoding: bytes[36..<40], as: UTF8.self) == "data")
    let size: [UInt8] = [0x80, 0xBB, 0, 0]
    #expect(Array(bytes[40..<44]) == size, "50 times 960 bytes")
    let samples = bytes.dropFirst(44).withUnsafeBytes { raw in
      (0..<(raw.count / 2)).map { raw.loadUnaligned(fromByteOffset: $0 * 2, as: Int16.self) }
    }
    #expect(Array(samples[0..<(20 * 480)]) == frames[0..<20].flatMap(\.samples))
    #expect(samples[(20 * 480)..<(30 * 480)].allSatisfy { $0 == 0 })
    #expect(Array(samples[(30 * 480)...]) == frames[30...].flatMap(\.samples))
  }

  @Test func rawVideoFilesHaveASteadyRate() throws {
    let folder = ScratchFolder()
    let sink = try FileSink(folder.file("picture.y4m"), width: 64, height: 36, framesPerSecond: 25)
    let source = TestPictureSource(.bars, width: 64, height: 36, clock: clock)
    // 0, 40 and 200 ms are written, with three repetitions before the last; 45 ms is too early for a picture of its
    // own.
    for time in [0, 40, 45, 200] as [Int64] { sink.video.receive(try source.frame(at: .milliseconds(time))) }
    sink.video.receive(try TestPictureSource(.bars, width: 128, height: 72, clock: clock).frame(at: .milliseconds(240)))
    try sink.finish()
    let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: sink.path)))
    let header = try #require(bytes.firstIndex(of: 10))
    #expect(String(decoding: bytes[0..<header], as: UTF8.self).hasPrefix("YUV4MPEG2 W64 H36 F25:1"))
    #expect(bytes.count - header - 1 == 7 * (6 + 64 * 36 * 3 / 2))
  }

  @Test func picturesOfAnotherShapeKeepIt() throws {
    let folder = ScratchFolder()
    let sink = try FileSink(folder.file("picture.y4m"), width: 64, height: 36, framesPerSecond: 25)
    let white = { (width: Int, height: Int) in
      VideoFrame(width: width, height: height, time: .zero) { y, u, v in
        y.update(repeating: 235)
        u.update(repeating: 90)
        v.update(repeating: 200)
      }
    }
    // Upright, then one whose shape differs by rounding only.
    sink.video.receive(white(36, 64))
    sink.video.receive(white(426, 240).with(time: .zero + .milliseconds(40)))
    try sink.finish()
    let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: sink.path)))
    let header = try #require(bytes.firstIndex(of: 10)) + 1
    let size = 64 * 36
    let first = Array(bytes[(header + 6)..<(header + 6 + size * 3 / 2)])
    // 20 of 36 rows by 64 columns, in the middle.
    for row in 0..<36 {
      let line = first[(row * 64)..<(row * 64 + 64)]
      #expect(line.allSatisfy { $0 == 16 || $0 >= 234 } && line.map { $0 >= 234 }.firstIndex(of: true) == 22)
      #expect(line.count { $0 >= 234 } == 20)
    }
    for (plane, value) in [(0, UInt8(90)), (1, 200)] {
      let colour = first[(size + plane * size / 4)..<(size + (plane + 1) * size / 4)]
      #expect(colour.count { abs(Int($0) - Int(value)) <= 1 } == 10 * 18 && colour.count { $0 == 128 } == 22 * 18)
    }
    // Averages are rounded otherwise on another processor.
    let second = bytes[(header + size * 3 / 2 + 12)..<(header + size * 5 / 2 + 12)]
    #expect(second.allSatisfy { abs(Int($0) - 235) <= 1 }, "\(Set(second))")
  }

  @Test func whatCannotBeWrittenIsATypedError() throws {
    let folder = ScratchFolder()
    #expect(throws: MediaError.invalid("Files ending in '.xyz' cannot be written; .webm, .mkv, .y4m and .wav can.")) {
      try FileSink(folder.file("a.xyz"))
    }
    for name in ["no/such/folder/a.wav", "no/such/folder/a.y4m", "no/such/folder/a.webm"] {
      let error = #expect(throws: MediaError.self) { try FileSink(folder.file(name)) }
      #expect(error?.description.contains("No such file or directory") == true, "\(String(describing: error))")
    }
    #expect(throws: MediaError.self) { try FileSink(folder.file("a.webm"), width: 3, height: 5) }
  }

  @Test func aFullDiskIsReportedAtTheEnd() throws {
    guard access("/dev/full", W_OK) == 0 else { return }
    let sink = try FileSink("/dev/full", format: .y4m, width: 640, height: 360)
    for time in 0..<10 {
      sink.video.receive(try TestPictureSource(clock: clock).frame(at: .milliseconds(Int64(time) * 40)))
    }
    #expect(sink.failure?.description == "/dev/full cannot be written: No space left on device.")
    #expect(throws: MediaError.self) { try sink.finish() }
  }

  /// In a process of its own, whose files may not grow: a full disk without a disk.
  @Test func whatWasWrittenBeforeTheDiskWasFullCanBeRead() async throws {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      let limited = setFileLimit(200_001)
      try #require(limited)
      let folder = ScratchFolder()
      let wave = try FileSink(folder.file("tone.wav"), channels: 2)
      let frames = try ToneSource(frequency: 440).frames(300, from: .zero)
      for frame in frames { wave.audio.receive(frame) }
      #expect(wave.failure?.description.contains("File too large") == true, "\(String(describing: wave.failure))")
      #expect(throws: MediaError.self) { try wave.finish() }
      let sound = try [UInt8](Data(contentsOf: URL(fileURLWithPath: wave.path)))
      let bytes = sound[40..<44].reversed().reduce(0) { $0 << 8 | Int($1) }
      #expect(bytes % 4 == 0 && bytes + 44 == sound.count && bytes > 199_000, "\(bytes) of \(sound.count)")
      let first = sound.dropFirst(44).withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 4 * 480, as: Int16.self) }
      #expect(first == frames[1].samples[0])

      let raw = try FileSink(folder.file("picture.y4m"), width: 64, height: 36)
      let source = TestPictureSource(.bars, width: 64, height: 36, clock: TestClock(midnight: .zero))
      for index in 0..<100 { raw.video.receive(try source.frame(at: .milliseconds(Int64(index) * 40))) }
      #expect(throws: MediaError.self) { try raw.finish() }
      let picture = try [UInt8](Data(contentsOf: URL(fileURLWithPath: raw.path)))
      let header = try #require(picture.firstIndex(of: 10)) + 1
      let frame = 6 + 64 * 36 * 3 / 2
      #expect((picture.count - header) % frame == 0 && picture.count > 200_001 - frame, "\(picture.count)")
    }
  }

  @Test func aSoundFileIsPlayableWhileItIsWritten() throws {
    let folder = ScratchFolder()
    let sink = try FileSink(folder.file("tone.wav"), channels: 1)
    for frame in try ToneSource(frequency: 440).frames(300, from: .zero) { sink.audio.receive(frame) }
    // As a process leaves it that is killed now.
    let film = try FileSource(sink.path)
    let duration = try #require(film.duration)
    #expect(duration > .seconds(2) && duration < .seconds(3), "\(duration)")
    try sink.finish()
    #expect(try FileSource(sink.path).duration == .seconds(3))
  }

  @Test func aFullDiskIsKnownWhileAMuxedFileIsWritten() throws {
    guard access("/dev/full", W_OK) == 0 else { return }
    let sink = try FileSink("/dev/full", format: .webm, tracks: .audio, channels: 1)
    let limit = MonotonicClock.now + .seconds(30)
    var time = Instant.zero
    while sink.failure == nil, MonotonicClock.now < limit {
      sink.audio.receive(AudioFrame(samples: [Int16](repeating: 0, count: 480), time: time))
      time = time + .milliseconds(10)
      usleep(1_000)
    }
    let failure = sink.failure
    #expect(failure?.description.contains("/dev/full cannot be written") == true, "\(String(describing: failure))")
    #expect(throws: MediaError.self) { try sink.finish() }
  }

  @Test func snapshotsArePNG() throws {
    let folder = ScratchFolder()
    let frame = try TestPictureSource(.face, width: 160, height: 90, clock: clock).frame(at: .zero)
    try ImageFile.writePNG(frame, to: folder.file("a.png"))
    let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: folder.file("a.png"))))
    #expect(bytes.prefix(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    #expect(bytes[16..<24] == [0, 0, 0, 160, 0, 0, 0, 90])
    #expect(try ImageFile.pngBytes(frame) == bytes)
    #expect(throws: MediaError.self) { try ImageFile.writePNG(frame, to: folder.file("no/such/folder.png")) }
  }

  @Test func closuresAndNullTakeEverything() throws {
    let frames = Collected<VideoFrame>()
    let sounds = Collected<AudioFrame>()
    let null = NullSink()
    let frame = try TestPictureSource(.bars, width: 64, height: 36).frame(at: .zero)
    let sound = AudioFrame(samples: [], time: .zero)
    for sink in [ClosureVideoSink { frames.append($0) }, null] as [any VideoSink] { sink.receive(frame) }
    for sink in [ClosureAudioSink { sounds.append($0) }, null] as [any AudioSink] { sink.receive(sound) }
    #expect(frames.values.count == 1 && sounds.values == [sound] && null.videoFrames == 1 && null.audioFrames == 1)
  }
}
