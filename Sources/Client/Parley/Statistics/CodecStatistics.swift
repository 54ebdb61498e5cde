public import RTC

/// The codec of a stream (`RTCCodecStats`).
///
/// ```swift
/// for track in statistics.inbound { print(track.publication, track.codec?.mimeType ?? "nothing yet") }
/// ```
public struct CodecStatistics: Hashable, Sendable {
  /// The media type, such as `video/VP8` or `audio/opus`.
  public let mimeType: String

  /// The number that the two sides agreed on for it.
  public let payloadType: PayloadType

  /// Ticks of its timestamps a second.
  public let clockRate: UInt32

  /// How many channels were agreed on; nil for video. Opus always says 2 (RFC 7587 section 7).
  public let channels: Int?

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
