import Basics
import Synchronization

/// Sound that the app makes: whatever lengths are pushed leave as 10 ms frames, on the pushing thread. The app keeps the pace; pushing
/// 20 ms every 20 ms is fine.
///
///     let source = PushAudioSource()
///     source.push(AudioFrame(samples: samples, time: MonotonicClock.now))
public final class PushAudioSource: AudioSource {
  private struct State {
    var sink: (@Sendable (AudioFrame) -> Void)?
    var rest: [Int16] = []
    var restTime = Instant.zero
    var channels = 1
  }

  private let state = Mutex(State())

  /// A source without sound yet.
  public init() {}

  /// Hands sound on. What does not fill 10 ms waits for the next push; a change of the number of channels drops it. Dropped while the
  /// source is not started. Any thread, but one at a time.
  /// - Returns: How many frames of 10 ms left.
  @discardableResult public func push(_ frame: AudioFrame) -> Int {
    state.withLock { state in
      guard let sink = state.sink, frame.channels == 1 || frame.channels == 2 else { return 0 }
      if state.channels != frame.channels || state.rest.isEmpty {
        state.channels = frame.channels
        state.rest.removeAll(keepingCapacity: true)
        state.restTime = frame.time
      }
      let size = AudioFrame.samplesPer10Milliseconds * frame.channels
      if state.rest.isEmpty, frame.samples.count == size {
        sink(frame)
        return 1
      }
      state.rest.append(contentsOf: frame.samples)
      var sent = 0
      while state.rest.count - sent * size >= size {
        let samples = Array(state.rest[(sent * size)..<((sent + 1) * size)])
        sink(AudioFrame(samples: samples, channels: frame.channels, time: state.restTime))
        state.restTime = state.restTime + .milliseconds(10)
        sent += 1
      }
      state.rest.removeFirst(sent * size)
      return sent
    }
  }

  public func start(_ sink: @escaping @Sendable (AudioFrame) -> Void) throws(MediaError) {
    state.withLock {
      $0.sink = sink
      $0.rest = []
    }
  }

  public func stop() { state.withLock { $0.sink = nil } }
}
