public import Media
import Synchronization

/// Audio of somebody else, 10 ms at a time. It is decoded only while somebody listens.
///
/// ```swift
/// audio.add(ClosureAudioSink { sound in print(sound.samples.max() ?? 0) })
/// ```
public final class RemoteAudioTrack: Sendable {
  private struct State {
    var sinks: [any AudioSink] = []
    var isOver = false
    var heard = false
    var volume = 1.0
    var onListened: (@Sendable (Bool) -> Void)?
    var onFirstFrame: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  init(onListened: @escaping @Sendable (Bool) -> Void, onFirstFrame: @escaping @Sendable () -> Void) {
    state.withLock {
      $0.onListened = onListened
      $0.onFirstFrame = onFirstFrame
    }
  }

  /// Plays to `sink` from now on, on the media thread: it must not block.
  ///
  /// ```swift
  /// audio.add(try FileSink("ann.wav", tracks: .audio).audio)
  /// ```
  public func add(_ sink: any AudioSink) {
    let listened = state.withLock { state -> (@Sendable (Bool) -> Void)? in
      guard !state.isOver else { return nil }
      state.sinks.append(sink)
      return state.sinks.count == 1 ? state.onListened : nil
    }
    listened?(true)
  }

  /// Plays no more to `sink`; a call under way may still be running.
  ///
  /// ```swift
  /// let speaker = try SpeakerSink()
  /// audio.add(speaker)
  /// audio.remove(speaker)
  /// ```
  public func remove(_ sink: any AudioSink) {
    let listened = state.withLock { state -> (@Sendable (Bool) -> Void)? in
      let had = !state.sinks.isEmpty
      state.sinks.removeAll { $0 === sink }
      return had && state.sinks.isEmpty ? state.onListened : nil
    }
    listened?(false)
  }

  /// How loud it is in what ``Meeting/playSound(to:)`` plays: 0 is silent, 1 as it came, 4 the most. Sinks of the track
  /// itself get it as it came.
  public var volume: Double {
    get { state.withLock { $0.volume } }
    set { state.withLock { $0.volume = newValue.isNaN ? 1 : min(max(newValue, 0), 4) } }
  }

  var isListened: Bool { state.withLock { !$0.sinks.isEmpty } }

  /// Gives 10 ms of audio to the sinks. `isReal` is false while nothing has been received yet.
  func play(_ frame: AudioFrame, isReal: Bool) {
    let (sinks, first) = state.withLock { state -> ([any AudioSink], (@Sendable () -> Void)?) in
      let isFirst = isReal && !state.heard
      if isFirst { state.heard = true }
      return (state.sinks, isFirst ? state.onFirstFrame : nil)
    }
    for sink in sinks { sink.receive(frame) }
    first?()
  }

  /// The track is over.
  func finish() {
    state.withLock { state in
      state.isOver = true
      state.sinks = []
      state.onListened = nil
      state.onFirstFrame = nil
    }
  }
}
