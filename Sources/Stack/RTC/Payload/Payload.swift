/// Questions about a payload whose answer depends on the codec.
public enum Payload {
  /// Whether a keyframe starts in this packet, so that a receiver can begin decoding here.
  ///
  /// True for the first packet of a keyframe; for H.264 also for its parameter sets, which come first. Audio can start
  /// anywhere. A malformed payload doesn't start a keyframe.
  ///
  /// Cost: a few bytes for VP8 and VP9, a walk over the aggregated units for H.264 and AV1. Nothing allocates.
  public static func isKeyframeStart(codec: Codec, payload: Span<UInt8>) -> Bool {
    switch codec {
    case .vp8: (try? VP8Descriptor.parse(payload))?.isKeyframeStart ?? false
    case .vp9: (try? VP9Descriptor.parse(payload))?.isKeyframeStart ?? false
    case .h264: (try? H264Payload.parse(payload))?.isKeyframeStart ?? false
    case .av1: (try? AV1AggregationHeader.parse(payload))?.isKeyframeStart ?? false
    case .opus, .red, .pcmu, .pcma, .telephoneEvent: true
    case .rtx: false
    }
  }
}
