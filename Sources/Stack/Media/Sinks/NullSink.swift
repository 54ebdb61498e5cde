import Synchronization

/// Discards video and audio, and counts them. For load tests, and for bots that only want a track to flow.
///
/// ```swift
/// let sink = NullSink()
/// video.add(sink)
/// try await Task.sleep(for: .seconds(10))
/// print("\(sink.videoFrames) pictures in ten seconds")
/// ```
public final class NullSink: VideoSink, AudioSink {
  private let videoCount = Atomic<Int>(0)
  private let audioCount = Atomic<Int>(0)

  /// A sink that has seen nothing yet.
  ///
  /// ```swift
  /// video.add(NullSink())  // only to have the track flow
  /// ```
  public init() {}

  /// Frames received so far.
  ///
  /// ```swift
  /// let sink = NullSink()
  /// video.add(sink)
  /// print(sink.videoFrames)
  /// ```
  public var videoFrames: Int { videoCount.load(ordering: .relaxed) }

  /// Audio frames received so far, 10 ms each.
  ///
  /// ```swift
  /// let sink = NullSink()
  /// audio.add(sink)
  /// print(sink.audioFrames)
  /// ```
  public var audioFrames: Int { audioCount.load(ordering: .relaxed) }

  /// Takes one frame.
  ///
  /// ```swift
  /// let sink = NullSink()
  /// sink.receive(frame)
  /// ```
  public func receive(_ frame: VideoFrame) { videoCount.add(1, ordering: .relaxed) }

  /// Takes one frame.
  ///
  /// ```swift
  /// let sink = NullSink()
  /// sink.receive(sound)
  /// ```
  public func receive(_ frame: AudioFrame) { audioCount.add(1, ordering: .relaxed) }
}
