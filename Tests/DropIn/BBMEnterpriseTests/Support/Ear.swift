import Parley
import Synchronization

/// Measures the frequency of what it hears, over the last half second.
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
