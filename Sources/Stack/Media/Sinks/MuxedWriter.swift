import Basics
import Synchronization

/// Writes VP8 and Opus to WebM or Matroska through GStreamer.
final class MuxedWriter: FileWriter {
  private struct State {
    var output: OutputPipeline?
    var video: OutputPipeline.Port?
    var audio: OutputPipeline.Port?
    var start: Instant?
    var failure: MediaError?
    var checked = Instant.zero
  }

  private let path: String
  private let width: Int
  private let height: Int
  private let channels: Int
  private let state: Mutex<State>

  /// Two seconds of frames may wait for the encoder; then they are dropped.
  private static let maximumWaitingPictures = 50

  init(
    _ path: String, muxer: String, tracks: FileSink.Tracks, width: Int, height: Int, bitrate: DataRate, channels: Int
  ) throws(MediaError) {
    self.path = path
    self.width = width
    self.height = height
    self.channels = channels
    // Says in words what GStreamer would only say later, from a thread of its own.
    _ = try OutputFile(path)
    try GStreamer.load()
    for (element, package) in [
      ("vp8enc", "gstreamer1.0-plugins-good"), (muxer, "gstreamer1.0-plugins-good"),
      ("opusenc", "gstreamer1.0-plugins-base"),
    ] { try GStreamer.require(element, package: package) }
    // One thread: libvpx's threads wait for each other's rows by spinning. With other programs at work, 40 frames of
    // 720p took 4 s of CPU with two threads and 0.35 s with one, and the file wasn't finished in time.
    var description = "\(muxer) name=mux ! filesink name=file"
    if tracks.contains(.video) {
      description +=
        "  appsrc name=video format=time is-live=false block=false max-bytes=0 "
        + "caps=video/x-raw,format=I420,width=\(width),height=\(height),framerate=0/1 ! queue max-size-bytes=0 "
        + "! vp8enc deadline=1 cpu-used=6 threads=1 keyframe-max-dist=120 end-usage=vbr "
        + "target-bitrate=\(bitrate.bitsPerSecond) ! queue ! mux."
    }
    if tracks.contains(.audio) {
      description +=
        "  appsrc name=audio format=time is-live=false block=false max-bytes=0 "
        + "caps=audio/x-raw,format=S16LE,layout=interleaved,rate=48000,channels=\(channels) "
        + "! queue ! audioconvert ! opusenc ! queue ! mux."
    }
    let output = try OutputPipeline(description, name: path, properties: [("file", "location", path)])
    state = Mutex(State(output: output, video: output.port("video"), audio: output.port("audio")))
  }

  deinit { state.withLock { $0.output }?.stop() }

  func write(_ frame: VideoFrame) {
    let frame = frame.fitted(width: width, height: height)
    let bytes = packed(frame)
    state.withLock { state in
      guard isWriting(&state), let port = state.video, let time = time(of: frame.time, &state) else { return }
      guard port.waiting < Self.maximumWaitingPictures * bytes.count else { return }
      if !bytes.withUnsafeBytes({ port.push($0, time: time, duration: nil) }) { fail(&state) }
    }
  }

  func write(_ frame: AudioFrame) {
    let frame = frame.converted(channels: channels)
    state.withLock { state in
      guard isWriting(&state), let port = state.audio, let time = time(of: frame.time, &state) else { return }
      if !frame.samples.withUnsafeBytes({ port.push($0, time: time, duration: frame.duration) }) { fail(&state) }
    }
  }

  private func time(of instant: Instant, _ state: inout State) -> TimeSpan? {
    let start = state.start ?? instant
    state.start = start
    return instant < start ? nil : instant - start
  }

  /// Whether what is handed on gets into the file. Ports take on without end after the pipeline broke off, so it is
  /// asked now and then.
  private func isWriting(_ state: inout State) -> Bool {
    let now = MonotonicClock.now
    if state.failure == nil, let output = state.output, now - state.checked >= .milliseconds(250) {
      state.checked = now
      state.failure = output.failure().map { .cannotWrite(path, reason: $0) }
    }
    return state.failure == nil
  }

  private func fail(_ state: inout State) {
    guard state.failure == nil else { return }
    state.failure = .cannotWrite(path, reason: state.output?.failure() ?? "the encoder or the muxer has stopped.")
  }

  var failure: MediaError? { state.withLock { $0.failure } }

  func finish() throws(MediaError) {
    let before = state.withLock { state in
      let before = state
      state.output = nil
      state.video = nil
      state.audio = nil
      return before
    }
    guard let output = before.output else {
      if let failure = before.failure { throw failure }
      return
    }
    defer { output.stop() }
    if let failure = before.failure { throw failure }
    before.video?.end()
    before.audio?.end()
    do throws(MediaError) {
      try output.finish(within: .seconds(20))
    } catch {
      state.withLock { $0.failure = error }
      throw error
    }
  }

  /// I420 in GStreamer's default layout: rows padded to 4 bytes.
  private func packed(_ frame: VideoFrame) -> [UInt8] {
    let yRow = (width + 3) & ~3
    let uvRow = ((width + 1) / 2 + 3) & ~3
    let size = yRow * height + 2 * uvRow * (height / 2)
    return [UInt8](unsafeUninitializedCapacity: size) { out, count in
      guard let base = out.baseAddress else { return }
      frame.withPlanes { y, u, v in
        guard let y = y.baseAddress, let u = u.baseAddress, let v = v.baseAddress else { return }
        for row in 0..<height { (base + row * yRow).update(from: y + row * frame.yStride, count: width) }
        let (uBase, vBase) = (base + yRow * height, base + yRow * height + uvRow * (height / 2))
        for row in 0..<(height / 2) {
          (uBase + row * uvRow).update(from: u + row * frame.uvStride, count: width / 2)
          (vBase + row * uvRow).update(from: v + row * frame.uvStride, count: width / 2)
        }
      }
      count = size
    }
  }
}
