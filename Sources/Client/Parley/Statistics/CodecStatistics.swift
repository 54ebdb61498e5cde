public import RTC

/// The codec of a stream (`RTCCodecStats`).
///
/// ```swift
/// for track in statistics.inbound { print(track.publication, track.codec?.mimeType ?? "nothing yet") }
/// ```
public struct CodecStatistics: Hashable, Sendable {
  /// The media type, such as `video/VP8` or `audio/opus`.
  ///
  /// ```swift
  /// let isScalable = inbound.codec?.mimeType == "video/VP9"
  /// ```
  public let mimeType: String

  /// The number that the two sides agreed on for it.
  ///
  /// ```swift
  /// if let number = inbound.codec?.payloadType { print("a=rtpmap:\(number.rawValue)") }
  /// ```
  public let payloadType: PayloadType

  /// Ticks of its timestamps a second.
  ///
  /// ```swift
  /// let ticks = inbound.codec.map { inbound.jitter.seconds * Double($0.clockRate) }
  /// ```
  public let clockRate: UInt32

  /// How many channels were agreed on; nil for video. Opus always says 2 (RFC 7587 section 7).
  ///
  /// ```swift
  /// let isSound = inbound.codec?.channels != nil
  /// ```
  public let channels: Int?

  /// The codec itself.
  ///
  /// ```swift
  /// let isH264 = inbound.codec?.codec == .h264
  /// ```
  public let codec: Codec

  /// Nil before the first packet.
  init?(_ codec: Codec?, _ payloadType: PayloadType?) {
    guard let codec, let payloadType else { return nil }
    self.codec = codec
    self.payloadType = payloadType
    mimeType = "\(codec.kind.rawValue)/\(codec.name)"
    clockRate = codec.clockRate
    channels = codec.kind == .audio ? Int(codec.channels) : nil
  }
}
