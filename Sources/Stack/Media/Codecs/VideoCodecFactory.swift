public import RTC

/// Makes encoders and decoders, and lists those that there are.
///
/// ```swift
/// let settings = VideoEncoderSettings(width: frame.width, height: frame.height, bitrate: .kilobits(500))
/// let encoder = try VideoCodecFactory.encoder(for: .vp8, settings: settings)
/// let decoder = try VideoCodecFactory.decoder(for: .vp8)
/// ```
public enum VideoCodecFactory {
  /// Codecs that can be sent, the best choice first: VP8 is the cheapest and every browser takes it.
  public static let encodable: [Codec] = [.vp8, .vp9, .h264]
  /// Codecs that can be received.
  public static let decodable: [Codec] = [.vp8, .vp9, .h264, .av1]

  /// An encoder. Takes its memory at once.
  /// - Throws: ``MediaError/missingComponent(_:hint:)`` for a codec that is not ``encodable``, and what the encoder
  ///   throws.
  public static func encoder(
    for codec: Codec, settings: VideoEncoderSettings
  ) throws(MediaError) -> any VideoEncoder {
    switch codec {
    case .vp8: try VP8Encoder(settings)
    case .vp9: try VP9Encoder(settings)
    case .h264: try H264Encoder(settings)
    default: throw .missingComponent("An encoder for \(codec.name)", hint: "Send \(names(encodable)) instead.")
    }
  }

  /// A decoder.
  /// - Throws: ``MediaError/missingComponent(_:hint:)`` for a codec that is not ``decodable``, and what the decoder
  ///   throws.
  public static func decoder(for codec: Codec) throws(MediaError) -> any VideoDecoder {
    switch codec {
    case .vp8: try VP8Decoder()
    case .vp9: try VP9Decoder()
    case .h264: try H264Decoder()
    case .av1: try AV1Decoder()
    default: throw .missingComponent("A decoder for \(codec.name)", hint: "Receive \(names(decodable)) instead.")
    }
  }

  private static func names(_ codecs: [Codec]) -> String { codecs.map(\.name).joined(separator: ", ") }
}
