import Basics
import Synchronization

/// Writes a RIFF WAVE file of 16-bit samples at 48 kHz. Gaps in the frames' times become silence.
///
/// The header always says how much has been written so far, so that the file can be played up to there whatever ends
/// the writing.
final class WaveWriter: FileWriter {
  private struct State: ~Copyable {
    var file: OutputFile
    var start: Instant?
    /// Written samples a channel, for the header.
    var written: Int64 = 0
    /// How long the file was when the header was last brought up to date.
    var described: Int64 = 0
  }

  private let channels: Int
  private let state: Mutex<State>

  /// The sizes in the header have 32 bits; what would overflow them is left out.
  private static let maximumBytes: Int64 = 4_294_000_000
  private static let headerBytes: Int64 = 44

  init(_ path: String, channels: Int) throws(MediaError) {
    self.channels = channels
    var file = try OutputFile(path)
    Self.header(channels: channels, bytes: 0).withUnsafeBytes { file.write($0) }
    state = Mutex(State(file: file))
  }

  deinit { try? finish() }

  func write(_ frame: VideoFrame) {}

  func write(_ frame: AudioFrame) {
    let frame = frame.converted(channels: channels)
    state.withLock { state in
      guard state.file.isOpen else { return }
      let start = state.start ?? frame.time
      state.start = start
      let due = (frame.time - start).nanoseconds / 1000 * 48 / 1000
      let gap = due - state.written
      // Less than 20 ms either way is the clock's unrest, not silence; more than a minute is another recording.
      if gap > 960 {
        let silence = [Int16](repeating: 0, count: Int(min(gap, 48_000 * 60)) * channels)
        append(silence, to: &state)
      }
      append(frame.samples, to: &state)
    }
  }

  private func append(_ samples: [Int16], to state: inout State) {
    let count = Int64(samples.count / channels)
    guard (state.written + count) * Int64(channels) * 2 < Self.maximumBytes else { return }
    // WAVE is little-endian, and so is every machine this runs on.
    samples.withUnsafeBytes { state.file.write($0) }
    state.written += count
    describe(&state)
    if state.file.failure != nil { close(&state) }
  }

  /// Has the header say what the system has taken.
  private func describe(_ state: inout State) {
    let length = state.file.written
    guard length != state.described, length >= Self.headerBytes else { return }
    state.described = length
    let block = Int64(channels * 2)
    let bytes = (length - Self.headerBytes) / block * block
    state.file.patch(Self.header(channels: channels, bytes: UInt32(bytes)), at: 0)
    if state.file.failure != nil { state.file.cut(to: Self.headerBytes + bytes) }
  }

  private func close(_ state: inout State) {
    state.file.flush()
    describe(&state)
    state.file.close()
  }

  var failure: MediaError? { state.withLock { $0.file.failure } }

  func finish() throws(MediaError) {
    let failure = state.withLock { state -> MediaError? in
      close(&state)
      return state.file.failure
    }
    if let failure { throw failure }
  }

  private static func header(channels: Int, bytes: UInt32) -> [UInt8] {
    func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
      withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
    return Array("RIFF".utf8) + little(bytes + 36) + Array("WAVEfmt ".utf8) + little(UInt32(16)) + little(UInt16(1))
      + little(UInt16(channels)) + little(UInt32(48_000)) + little(UInt32(48_000 * channels * 2))
      + little(UInt16(channels * 2)) + little(UInt16(16)) + Array("data".utf8) + little(bytes)
  }
}
