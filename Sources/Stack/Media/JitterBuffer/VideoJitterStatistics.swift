public import Basics

/// Counts of a ``VideoJitterBuffer``, in the terms of the W3C's "Identifiers for WebRTC's Statistics API"
/// (`RTCInboundRtpStreamStats`). They only grow, until ``VideoJitterBuffer/reset()``.
///
/// A frame counts as decoded and shown once it is given out: the buffer gives out nothing else.
public struct VideoJitterStatistics: Hashable, Sendable {
  /// Complete frames, shown or not: `framesReceived` of the W3C.
  public internal(set) var framesReceived: UInt64 = 0
  /// Of those, the ones that took more than one packet.
  public internal(set) var framesAssembledFromMultiplePackets: UInt64 = 0
  /// From the first to the last packet of those frames, summed up.
  public internal(set) var totalAssemblyTime = TimeSpan.zero
  /// Frames given out: `framesDecoded` of the W3C.
  public internal(set) var framesDecoded: UInt64 = 0
  /// Keyframes given out: `keyFramesDecoded` of the W3C.
  public internal(set) var keyFramesDecoded: UInt64 = 0
  /// Complete frames that were not given out, because what they refer to is missing or memory ran out.
  public internal(set) var framesDropped: UInt64 = 0
  /// Packets that came too late, twice or malformed.
  public internal(set) var packetsDiscarded: UInt64 = 0
  /// How long frames stayed here, from their first packet on, summed up over ``jitterBufferEmittedCount``.
  public internal(set) var jitterBufferDelay = TimeSpan.zero
  /// The delay aimed at when each frame was given out, summed up over ``jitterBufferEmittedCount``.
  public internal(set) var jitterBufferTargetDelay = TimeSpan.zero
  /// The delay that jitter alone would have asked for, summed up over ``jitterBufferEmittedCount``.
  public internal(set) var jitterBufferMinimumDelay = TimeSpan.zero
  /// Frames given out: `jitterBufferEmittedCount` of the W3C.
  public internal(set) var jitterBufferEmittedCount: UInt64 = 0
  /// How often the video stood still noticeably: for three usual intervals, and for 150 ms more than a usual one.
  public internal(set) var freezeCount: UInt64 = 0
  /// How long those times were.
  public internal(set) var totalFreezesDuration = TimeSpan.zero
  /// How often no frame came for more than five seconds.
  public internal(set) var pauseCount: UInt64 = 0
  /// How long those times were.
  public internal(set) var totalPausesDuration = TimeSpan.zero
  /// The time between frames, summed up.
  public internal(set) var totalInterFrameDelay = TimeSpan.zero
  /// The square of the time between frames in seconds, summed up.
  public internal(set) var totalSquaredInterFrameDelay = 0.0
  /// How often a keyframe was asked for.
  public internal(set) var keyframeRequests: UInt64 = 0

  public init() {}
}

/// Detects freezes and pauses by the times at which frames are shown.
struct FreezeDetector: Sendable {
  /// The last intervals, at most 30 (W3C, `freezeCount`).
  private var intervals: [TimeSpan] = []
  private var position = 0
  private var sum = TimeSpan.zero
  private var last: Instant?

  /// An interval above this is a pause, no freeze.
  private static let pause = TimeSpan.seconds(5)

  /// Takes note of a frame that is shown at `time`.
  mutating func shown(at time: Instant, _ statistics: inout VideoJitterStatistics) {
    defer { last = time }
    guard let last else { return }
    let interval = max(time - last, .zero)
    statistics.totalInterFrameDelay = statistics.totalInterFrameDelay + interval
    statistics.totalSquaredInterFrameDelay += interval.seconds * interval.seconds
    if interval > Self.pause {
      statistics.pauseCount &+= 1
      statistics.totalPausesDuration = statistics.totalPausesDuration + interval
      return
    }
    if !intervals.isEmpty {
      let average = TimeSpan(nanoseconds: sum.nanoseconds / Int64(intervals.count))
      if interval >= max(average * 3, average + .milliseconds(150)) {
        statistics.freezeCount &+= 1
        statistics.totalFreezesDuration = statistics.totalFreezesDuration + interval
      }
    }
    sum = sum + interval
    if intervals.count < 30 {
      intervals.append(interval)
    } else {
      sum = sum - intervals[position]
      intervals[position] = interval
      position = (position &+ 1) % 30
    }
  }
}
