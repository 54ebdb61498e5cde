public import RTC

/// VP8 (RFC 6386) by libvpx. Damaged data is an error, never shown.
///
/// Cost: about 1 ms for 1280×720 and one allocation (the frame).
public final class VP8Decoder: VideoDecoder {
  private let decoder: VPXDecoder

  /// A decoder.
  /// - Throws: ``MediaError/decoderFailed(_:reason:)`` when the library refuses.
  public init() throws(MediaError) { decoder = try VPXDecoder(.vp8) }

  public var codec: Codec { .vp8 }
  /// Whether only a keyframe can be decoded now: at the beginning and after an error.
  public var needsKeyframe: Bool { decoder.needsKeyframe }
  /// Decodes one frame; nil when there is nothing to show. See ``VideoDecoder/decode(_:)``.
  public func decode(_ frame: EncodedFrame) throws(MediaError) -> VideoFrame? { try decoder.decode(frame) }
}
