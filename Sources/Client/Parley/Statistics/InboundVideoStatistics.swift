public import Basics
import Media
import RTC

/// The video members of `RTCInboundRtpStreamStats`. Video that nobody watches is received and not decoded, and doesn't
/// count as dropped.
///
/// ```swift
/// if let video = inbound.video { print("\(video.frameWidth)x\(video.frameHeight) at \(video.framesPerSecond)") }
/// ```
public struct InboundVideoStatistics: Hashable, Sendable {
  public let framesReceived: UInt64

  /// Frames decoded; the same number as ``RemoteVideoTrack/framesDecoded``.
  public let framesDecoded: UInt64

  /// Those of them that refer to no other.
  public let keyFramesDecoded: UInt64

  /// Frames that were received whole and not decoded: a reference is missing, this machine is too slow, or the decoder
  /// refused.
  public let framesDropped: UInt64

  /// How long decoding took, all frames together.
  public let totalDecodeTime: TimeSpan

  /// Frames decoded in the last second.
  public let framesPerSecond: Double

  /// The size of the last decoded frame in pixels; 0 before the first.
  public let frameWidth: Int

  public let frameHeight: Int

  /// Frames that took more than one packet.
  public let framesAssembledFromMultiplePackets: UInt64

  /// From the first to the last packet of those, all of them together.
  public let totalAssemblyTime: TimeSpan

  /// How often the video froze: for three usual intervals, and for 150 ms more than a usual one. Counted where frames
  /// leave the jitter buffer, also while nobody watches.
  public let freezeCount: UInt64

  /// How long those times were together.
  public let totalFreezesDuration: TimeSpan

  /// How often no frame came for more than five seconds.
  public let pauseCount: UInt64

  /// How long those times were together.
  public let totalPausesDuration: TimeSpan

  /// The time between frames, all of it together.
  public let totalInterFrameDelay: TimeSpan

  /// The squares of the times between frames in seconds, all of them together.
  public let totalSquaredInterFrameDelay: Double

  /// PLI messages sent (RFC 4585): how often a keyframe was requested.
  public let pliCount: UInt64

  /// Full intra requests sent: the other way of asking for a keyframe.
  public let firCount: UInt64

  init(_ rtp: InboundStreamStatistics, _ buffer: VideoJitterStatistics, _ decoder: VideoDecoderCounts, now: Instant) {
    framesReceived = buffer.framesReceived
    framesDecoded = decoder.framesDecoded
    keyFramesDecoded = decoder.keyFramesDecoded
    framesDropped = buffer.framesDropped + decoder.framesDropped
    totalDecodeTime = decoder.totalDecodeTime
    framesPerSecond = decoder.rate.framesPerSecond(now: now)
    frameWidth = decoder.size.width
    frameHeight = decoder.size.height
    framesAssembledFromMultiplePackets = buffer.framesAssembledFromMultiplePackets
    totalAssemblyTime = buffer.totalAssemblyTime
    freezeCount = buffer.freezeCount
    totalFreezesDuration = buffer.totalFreezesDuration
    pauseCount = buffer.pauseCount
    totalPausesDuration = buffer.totalPausesDuration
    totalInterFrameDelay = buffer.totalInterFrameDelay
    totalSquaredInterFrameDelay = buffer.totalSquaredInterFrameDelay
    pliCount = rtp.pliCount
    firCount = rtp.firCount
  }
}
