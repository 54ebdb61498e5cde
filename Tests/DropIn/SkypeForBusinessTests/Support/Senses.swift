import Parley
import Synchronization

/// Measures the periods of what it hears, over the last half second.
final class Ear: AudioSink {
  private let state = Mutex<[Int16]>([])

  func receive(_ frame: AudioFrame) {
    state.withLock { samples in
      samples +=
        frame.channels == 2 ? stride(from: 0, to: frame.samples.count, by: 2).map { frame.samples[$0] } : frame.samples
      if samples.count > AudioFrame.sampleRate / 2 { samples.removeFirst(samples.count - AudioFrame.sampleRate / 2) }
    }
  }

  /// The frequency of a pure tone; 0 before there is half a second of sound.
  var frequency: Double {
    let samples = state.withLock { $0 }
    guard samples.count == AudioFrame.sampleRate / 2, samples.contains(where: { $0.magnitude > 500 }) else { return 0 }
    // Most periods are whole, also where a busy machine left holes in the sound.
    let rises = zip(samples, samples.dropFirst()).enumerated().compactMap { index, pair in
      pair.0 < 0 && pair.1 >= 0 ? index : nil
    }
    let periods = zip(rises, rises.dropFirst()).map { $1 - $0 }.sorted()
    return periods.isEmpty ? 0 : Double(AudioFrame.sampleRate) / Double(periods[periods.count / 2])
  }
}

/// Collects the markers of the test videos that it has seen.
final class Eye: VideoSink {
  private let state = Mutex<Set<Int>>([])
  var sources: Set<Int> { state.withLock { $0 } }
  func forget() { state.withLock { $0 = [] } }

  func receive(_ frame: VideoFrame) {
    guard let marker = TestPictureMarker.decode(frame) else { return }
    state.withLock { _ = $0.insert(Int(marker.sourceID)) }
  }
}

final class Counter: VideoSink {
  private let state = Mutex(0)
  var count: Int { state.withLock { $0 } }
  func receive(_ frame: VideoFrame) { state.withLock { $0 += 1 } }
}

/// A camera or microphone that cannot be opened, or is pulled out as soon as it is open.
final class BrokenDevice: VideoSource, AudioSource {
  private let opens: Bool
  private let error = MediaError.deviceUnavailable("Broken", reason: "it was pulled out.")

  private let onTry: @Sendable () -> Void

  init(opens: Bool, onTry: @escaping @Sendable () -> Void = {}) { (self.opens, self.onTry) = (opens, onTry) }

  func start(_ sink: @escaping @Sendable (VideoFrame) -> Void) throws(MediaError) { try open { _ in } }
  func start(_ sink: @escaping @Sendable (AudioFrame) -> Void) throws(MediaError) { try open { _ in } }
  func start(
    _ sink: @escaping @Sendable (VideoFrame) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError) { try open(onEnd) }
  func start(
    _ sink: @escaping @Sendable (AudioFrame) -> Void, onEnd: @escaping @Sendable (MediaError?) -> Void
  ) throws(MediaError) { try open(onEnd) }

  private func open(_ onEnd: (MediaError?) -> Void) throws(MediaError) {
    onTry()
    guard opens else { throw error }
    onEnd(error)
  }

  func stop() {}
}
