import Synchronization

/// Takes pictures and sound and forgets them; counts what came. For load tests, and for bots that only want a track to flow.
public final class NullSink: VideoSink, AudioSink {
  private let videoCount = Atomic<Int>(0)
  private let audioCount = Atomic<Int>(0)

  /// A sink that has seen nothing yet.
  public init() {}

  /// Pictures taken so far.
  public var videoFrames: Int { videoCount.load(ordering: .relaxed) }
  /// Stretches of sound taken so far, 10 ms each.
  public var audioFrames: Int { audioCount.load(ordering: .relaxed) }

  /// Takes one frame.
  public func receive(_ frame: VideoFrame) { videoCount.add(1, ordering: .relaxed) }
  /// Takes one frame.
  public func receive(_ frame: AudioFrame) { audioCount.add(1, ordering: .relaxed) }
}
