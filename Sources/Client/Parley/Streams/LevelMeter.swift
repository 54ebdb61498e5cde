package import Media
import Synchronization

/// Measures how loud a track is.
package final class LevelMeter: AudioSink {
  private let level = Mutex(AudioLevel.silence)

  package init() {}

  package func receive(_ frame: AudioFrame) {
    let new = AudioLevel.measure(frame.samples)
    level.withLock { $0 = new }
  }

  /// The level of the latest audio, 0 to 1.
  package var value: Float { Float(AudioLevel.amplitude(of: level.withLock { $0 })) }
}
