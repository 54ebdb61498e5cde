import Synchronization

/// Audio that the app makes: pushed audio of any lengths leaves as 10 ms frames, on the pushing thread. The app keeps
/// the pace; pushing 20 ms every 20 ms is fine.
///
/// ```swift
/// let source = PushAudioSource()
/// try await meeting.local.publish(LocalAudioTrack(source))
/// source.push(sound)
/// ```
public final class PushAudioSource: AudioSource {
  private let slot = SinkSlot<AudioFrame>()
  private let slicer = Mutex(AudioSlicer())

  /// A source without audio yet.
  ///
  /// ```swift
  /// let echo = PushAudioSource()
  /// audio.add(ClosureAudioSink { sound in echo.push(sound) })
  /// ```
  public init() {}

  /// Passes audio on. A remainder of less than 10 ms waits for the next push; it is dropped when that has another
  /// number of channels, or a time that does not follow. Dropped while the source is not started. One thread at a time.
  ///
  /// ```swift
  /// let source = PushAudioSource()
  /// if source.push(sound) == 0 { print("Nobody takes sound now, or it is less than 10 ms.") }
  /// ```
  ///
  /// - Returns: How many frames of 10 ms left.
  @discardableResult public func push(_ frame: AudioFrame) -> Int {
    guard frame.channels == 1 || frame.channels == 2 else { return 0 }
    slicer.withLock { slicer in
      frame.samples.withUnsafeBufferPointer { slicer.append($0, channels: frame.channels, time: frame.time) }
    }
    var sent = 0
    while let next = slicer.withLock({ $0.next() }) {
      if slot.deliver(next) { sent += 1 }
    }
    return sent
  }

  /// Begins to hand on what is pushed; never fails.
  ///
  /// ```swift
  /// let source = PushAudioSource()
  /// try source.start { sound in print(sound.time) }
  /// ```
  public func start(_ sink: @escaping @Sendable (AudioFrame) -> Void) throws(MediaError) {
    slicer.withLock { $0 = AudioSlicer() }
    slot.set(sink)
  }

  /// Drops what is pushed from now on.
  ///
  /// ```swift
  /// let source = PushAudioSource()
  /// try source.start { sound in print(sound.time) }
  /// source.stop()
  /// ```
  public func stop() { slot.set(nil) }
}
