import Basics
import Synchronization

/// Writes YUV4MPEG2: a line of text, then each frame after the word FRAME, at a steady rate. Late frames fill the gap
/// before them, early ones are left out. On a full disk, the file ends with the last frame that is whole.
final class RawVideoWriter: FileWriter {
  private struct State: ~Copyable {
    var file: OutputFile
    var start: Instant?
    var written: Int64 = 0
    var last: VideoFrame?
  }

  private let width: Int
  private let height: Int
  private let framesPerSecond: Int64
  private let headerBytes: Int64
  private let state: Mutex<State>

  /// A gap longer than this many frames is not filled: a source was stopped and the file need not be hours of a still.
  private static let maximumFill: Int64 = 250

  init(_ path: String, width: Int, height: Int, framesPerSecond: Int) throws(MediaError) {
    self.width = width
    self.height = height
    self.framesPerSecond = Int64(framesPerSecond)
    var file = try OutputFile(path)
    let header = "YUV4MPEG2 W\(width) H\(height) F\(framesPerSecond):1 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n"
    Array(header.utf8).withUnsafeBytes { file.write($0) }
    headerBytes = Int64(header.utf8.count)
    state = Mutex(State(file: file))
  }

  deinit { try? finish() }

  func write(_ frame: VideoFrame) {
    let frame = frame.fitted(width: width, height: height)
    state.withLock { state in
      guard state.file.isOpen else { return }
      let start = state.start ?? frame.time
      state.start = start
      let index = ((frame.time - start).microseconds * framesPerSecond + 500_000) / 1_000_000
      guard index >= state.written else { return }
      if let last = state.last {
        for _ in 0..<min(index - state.written, Self.maximumFill) { Self.append(last, to: &state.file) }
      }
      Self.append(frame, to: &state.file)
      state.written = index + 1
      state.last = frame
      if state.file.failure != nil { close(&state) }
    }
  }

  private func close(_ state: inout State) {
    state.file.flush()
    if state.file.failure != nil, state.file.written > headerBytes {
      let frameBytes = Int64(6 + width * height + 2 * ((width + 1) / 2) * ((height + 1) / 2))
      state.file.cut(to: headerBytes + (state.file.written - headerBytes) / frameBytes * frameBytes)
    }
    state.file.close()
    state.last = nil
  }

  func write(_ frame: AudioFrame) {}

  var failure: MediaError? { state.withLock { $0.file.failure } }

  func finish() throws(MediaError) {
    let failure = state.withLock { state -> MediaError? in
      close(&state)
      return state.file.failure
    }
    if let failure { throw failure }
  }

  private static func append(_ frame: VideoFrame, to file: inout OutputFile) {
    Array("FRAME\n".utf8).withUnsafeBytes { file.write($0) }
    frame.withPlanes { y, u, v in
      for row in 0..<frame.height { append(y, row * frame.yStride, frame.width, &file) }
      for plane in [u, v] {
        for row in 0..<frame.uvHeight { append(plane, row * frame.uvStride, frame.uvWidth, &file) }
      }
    }
  }

  private static func append(_ plane: UnsafeBufferPointer<UInt8>, _ start: Int, _ count: Int, _ file: inout OutputFile)
  {
    file.write(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(plane)[start..<(start + count)]))
  }
}
