public import Basics

/// The settings of one outgoing stream (W3C WebRTC, `RTCRtpEncodingParameters`), and the properties of its source.
public struct EncodingParameters: Hashable, Sendable {
  /// Whether the stream is to be sent at all.
  public var isActive: Bool
  /// Below this the stream is paused, when it is not the lowest one of its source.
  public var minimumBitrate: DataRate
  /// More than this is never given.
  public var maximumBitrate: DataRate
  /// The width of the frames handed to the encoder before any scaling that ``StreamAllocation/scaleDown`` suggests; 0
  /// for audio.
  public var width: Int
  /// See ``width``.
  public var height: Int
  /// The frame rate of the source in frames per second; 0 for audio.
  public var framerate: Double
  /// A share of the bandwidth relative to other videos of the same connection; at least 0.1.
  public var priority: Double

  /// Parameters of one stream.
  public init(
    isActive: Bool = true, minimumBitrate: DataRate, maximumBitrate: DataRate, width: Int = 0, height: Int = 0,
    framerate: Double = 0, priority: Double = 1
  ) {
    self.isActive = isActive
    self.minimumBitrate = minimumBitrate
    self.maximumBitrate = maximumBitrate
    self.width = width
    self.height = height
    self.framerate = framerate
    self.priority = priority
  }

  /// Voice: 16 to 48 kb/s.
  public static let audio = EncodingParameters(minimumBitrate: .kilobits(16), maximumBitrate: .kilobits(48))

  /// Video of this size and rate, with bounds that fit the size: 640×360 about 0.1 to 0.8 Mb/s, 1280×720 0.35 to 2.5
  /// Mb/s.
  public static func video(width: Int, height: Int, framerate: Double = 30) -> EncodingParameters {
    let pixels = Double(max(width, 1)) * Double(max(height, 1))
    // Larger pictures need fewer bits for each pixel; fitted to what browsers use for 180p, 360p, 720p and 1080p.
    let steps = min(max((pixels / 230_400).squareRoot(), 0.25), 6)
    let most = 700_000 * steps * steps / (steps > 1 ? steps.squareRoot() * 0.79 : 1)
    return EncodingParameters(
      minimumBitrate: DataRate(bitsPerSecond: Int64(min(max(most / 7, 30_000), 600_000))),
      maximumBitrate: DataRate(bitsPerSecond: Int64(max(most, 150_000))), width: width, height: height,
      framerate: framerate)
  }

  /// A stream's defaults: 1280×720 without simulcast; of `count` layers the last one full size, each other half the
  /// width and height of the next.
  static func layer(_ index: Int, of count: Int) -> EncodingParameters {
    let shift = max(0, min(count, 4) - 1 - max(index, 0))
    return .video(width: 1_280 >> shift, height: 720 >> shift)
  }
}
