import Basics

/// The counts of a stream's encoder since the stream began.
struct VideoEncoderCounts: Hashable, Sendable {
  private(set) var framesEncoded: UInt64 = 0
  private(set) var keyFramesEncoded: UInt64 = 0
  private(set) var totalEncodeTime = TimeSpan.zero
  private(set) var rate = FrameRateMeter()

  mutating func encoded(isKeyframe: Bool, from start: Instant, to end: Instant) {
    framesEncoded &+= 1
    if isKeyframe { keyFramesEncoded &+= 1 }
    totalEncodeTime = totalEncodeTime + (end - start)
    rate.add(end)
  }
}

/// The figures of a ``VideoPublisher`` about one of its streams.
struct VideoEncoderStatistics: Sendable {
  var counts: VideoEncoderCounts
  var framesPerSecond: Double
  var qualityLimitationReason: QualityLimitationReason
  /// Whether somebody watches it.
  var isWanted: Bool
}

/// The counts of a received track's decoder.
struct VideoDecoderCounts: Hashable, Sendable {
  private(set) var framesDecoded: UInt64 = 0
  private(set) var keyFramesDecoded: UInt64 = 0
  /// Frames that came out of the jitter buffer and were not decoded although somebody watches.
  var framesDropped: UInt64 = 0
  private(set) var totalDecodeTime = TimeSpan.zero
  private(set) var rate = FrameRateMeter()
  private(set) var size = PictureExtent()

  mutating func decoded(_ size: PictureExtent, isKeyframe: Bool, from start: Instant, to end: Instant) {
    framesDecoded &+= 1
    if isKeyframe { keyFramesDecoded &+= 1 }
    totalDecodeTime = totalDecodeTime + (end - start)
    rate.add(end)
    self.size = size
  }
}

/// Width and height in pixels; 0 by 0 before the first frame.
struct PictureExtent: Hashable, Sendable {
  var width = 0
  var height = 0
}
