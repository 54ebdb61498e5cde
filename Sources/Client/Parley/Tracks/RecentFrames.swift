import Basics
import RTC

/// The frames of a video that nobody watches yet, from its newest keyframe on: who begins to watch within half a second
/// begins with these, and need not wait for another keyframe, which the server lets a publisher send at most twice a
/// second.
///
/// A keyframe often is here before an app had time to show the track that it belongs to.
struct RecentFrames {
  /// How old the keyframe may be: who begins with it has to catch up with what came since.
  static let longest = TimeSpan.milliseconds(500)
  /// How many frames may be kept.
  static let maximumCount = 60

  private var frames: [EncodedFrame] = []
  private var start = Instant.zero

  /// Keeps a frame that is due. One without a keyframe before it is of no use, and what is too old or too many is let
  /// go.
  mutating func add(_ frame: EncodedFrame, now: Instant) {
    if frame.isKeyframe {
      frames = [frame]
      start = now
    } else if !frames.isEmpty {
      if now - start > Self.longest || frames.count == Self.maximumCount {
        frames = []
      } else {
        frames.append(frame)
      }
    }
  }

  /// The frames to begin with, and keeps none any more; empty when there is no keyframe that is young enough.
  mutating func take(now: Instant) -> [EncodedFrame] {
    defer { frames = [] }
    return now - start > Self.longest ? [] : frames
  }
}
