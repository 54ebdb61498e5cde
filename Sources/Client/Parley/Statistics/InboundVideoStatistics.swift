public import Basics
import Media
import RTC

/// The video members of `RTCInboundRtpStreamStats`. What nobody watches is received and not decoded, and does not count as dropped.
///
/// ```swift
/// if let video = inbound.video { print("\(video.frameWidth)x\(video.frameHeight) at \(video.framesPerSecond)") }
/// ```
public struct InboundVideoStatistics: Hashable, Sendable {
  /// Complete pictures received.
  ///
  /// ```swift
  /// let received = inbound.video?.framesReceived ?? 0
  /// ```
  public let framesReceived: UInt64

  /// Pictures decoded; the same number as ``RemoteVideoTrack/framesDecoded``.
  ///
  /// ```swift
  /// let isWatched = (inbound.video?.framesDecoded ?? 0) > 0
  /// ```
  public let framesDecoded: UInt64

  /// Those of them that refer to no other.
  ///
  /// ```swift
  /// let keyframes = inbound.video?.keyFramesDecoded ?? 0
  /// ```
  public let keyFramesDecoded: UInt64

  /// Pictures that were received whole and not decoded: what they refer to is missing, this machine is too slow, or the decoder refused.
  ///
  /// ```swift
  /// let dropped = inbound.video?.framesDropped ?? 0
  /// ```
  public let framesDropped: UInt64

  /// How long decoding took, all pictures together.
  ///
  /// ```swift
  /// if let video = inbound.video, video.framesDecoded > 0 {
  ///   print("\(video.totalDecodeTime.seconds / Double(video.framesDecoded)) s a picture")
  /// }
  /// ```
  public let totalDecodeTime: TimeSpan

  /// Frames decoded in the last second.
  ///
  /// ```swift
  /// let rate = inbound.video?.framesPerSecond ?? 0
  /// ```
  public let framesPerSecond: Double

  /// The size of the last decoded picture in pixels; 0 before the first.
  ///
  /// ```swift
  /// let width = inbound.video?.frameWidth ?? 0
  /// ```
  public let frameWidth: Int

  /// Likewise.
  ///
  /// ```swift
  /// let height = inbound.video?.frameHeight ?? 0
  /// ```
  public let frameHeight: Int

  /// Pictures that took more than one packet.
  ///
  /// ```swift
  /// let large = inbound.video?.framesAssembledFromMultiplePackets ?? 0
  /// ```
  public let framesAssembledFromMultiplePackets: UInt64

  /// From the first to the last packet of those, all of them together.
  ///
  /// ```swift
  /// if let video = inbound.video, video.framesAssembledFromMultiplePackets > 0 {
  ///   print("\(video.totalAssemblyTime.seconds / Double(video.framesAssembledFromMultiplePackets)) s a picture")
  /// }
  /// ```
  public let totalAssemblyTime: TimeSpan

  /// How often the picture stood still noticeably: for three usual intervals, and for 150 ms more than a usual one. Counted where
  /// pictures leave the jitter buffer, also while nobody watches.
  ///
  /// ```swift
  /// if let video = inbound.video, video.freezeCount > 0 { print("The picture stood still \(video.freezeCount) times.") }
  /// ```
  public let freezeCount: UInt64

  /// How long those times were together.
  ///
  /// ```swift
  /// let frozen = inbound.video?.totalFreezesDuration.seconds ?? 0
  /// ```
  public let totalFreezesDuration: TimeSpan

  /// How often no picture came for more than five seconds.
  ///
  /// ```swift
  /// let pauses = inbound.video?.pauseCount ?? 0
  /// ```
  public let pauseCount: UInt64

  /// How long those times were together.
  ///
  /// ```swift
  /// let paused = inbound.video?.totalPausesDuration.seconds ?? 0
  /// ```
  public let totalPausesDuration: TimeSpan

  /// The time between pictures, all of it together.
  ///
  /// ```swift
  /// if let video = inbound.video, video.framesReceived > 1 {
  ///   print("\(video.totalInterFrameDelay.seconds / Double(video.framesReceived)) s from picture to picture")
  /// }
  /// ```
  public let totalInterFrameDelay: TimeSpan

  /// The squares of the times between pictures in seconds, all of them together.
  ///
  /// ```swift
  /// if let video = inbound.video, video.framesReceived > 1 {
  ///   let mean = video.totalInterFrameDelay.seconds / Double(video.framesReceived)
  ///   print("variance \(video.totalSquaredInterFrameDelay / Double(video.framesReceived) - mean * mean)")
  /// }
  /// ```
  public let totalSquaredInterFrameDelay: Double

  /// Picture loss indications sent: how often a keyframe was asked for.
  ///
  /// ```swift
  /// let asked = inbound.video?.pliCount ?? 0
  /// ```
  public let pliCount: UInt64

  /// Full intra requests sent: the other way of asking for a keyframe.
  ///
  /// ```swift
  /// let asked = inbound.video?.firCount ?? 0
  /// ```
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
