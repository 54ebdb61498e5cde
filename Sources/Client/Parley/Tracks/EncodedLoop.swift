public import Basics
public import RTC

/// A few seconds of media that are encoded already, sent over and over: for load tests and waiting music. It costs no
/// encoder, so one process can publish hundreds.
///
/// The first frame must be a keyframe; a receiver that needs one gets it by a restart of the loop.
///
/// ```swift
/// if let music = EncodedLoop(frames, duration: .seconds(4)) {
///   try await meeting.local.publish(music, as: .microphone)
/// }
/// ```
public final class EncodedLoop: Sendable {
  /// The frames; their `EncodedFrame.time` counts from the loop's start and rises.
  public let frames: [EncodedFrame]

  /// How long one round lasts; longer than the last frame's time.
  public let duration: TimeSpan

  /// A loop.
  ///
  /// ```swift
  /// guard let loop = EncodedLoop(frames, duration: .seconds(4)) else { return print("It cannot be looped.") }
  /// ```
  ///
  /// - Returns: Nil when there is no frame, the first isn't a keyframe, or times don't rise within `duration`.
  public init?(_ frames: [EncodedFrame], duration: TimeSpan) {
    guard let first = frames.first, let last = frames.last, first.isKeyframe, first.time >= .zero,
      last.time < .zero + duration, zip(frames, frames.dropFirst()).allSatisfy({ $0.time < $1.time }),
      frames.allSatisfy({ $0.codec == first.codec })
    else { return nil }
    self.frames = frames
    self.duration = duration
  }

  /// The codec of every frame.
  public var codec: Codec { frames[0].codec }
}
