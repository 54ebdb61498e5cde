extension PictureSize {
  /// The size that the first packet of a keyframe states: VP8's frame header, VP9's scalability structure or frame
  /// header, H.264's sequence parameter set, AV1's sequence header. Nil when the packet does not say.
  ///
  /// Reads a few dozen bytes; for H.264 they are copied, so call it for keyframes only. `isEncrypted` says that frames
  /// are encrypted end to end: what no codec's form leaves clear isn't read, which is VP9's frame header.
  package static func ofKeyframe(
    _ codec: Codec, _ payload: Span<UInt8>, isEncrypted: Bool = false
  ) -> PictureSize? {
    switch codec {
    case .vp8:
      guard let descriptor = try? VP8Descriptor.parse(payload), descriptor.isKeyframeStart else { return nil }
      return vp8(payload, descriptor.length..<payload.count)
    case .vp9:
      guard let descriptor = try? VP9Descriptor.parse(payload) else { return nil }
      if let size = descriptor.resolution { return PictureSize(width: Int(size.width), height: Int(size.height)) }
      return isEncrypted ? nil : VP9FrameHeader(payload, descriptor.length..<payload.count).size
    case .h264: return ofH264(payload)
    case .av1: return ofAV1(payload)
    default: return nil
    }
  }

  /// Of the first sequence parameter set in an H.264 payload (RFC 6184 sections 5.6 and 5.7.1).
  private static func ofH264(_ payload: Span<UInt8>) -> PictureSize? {
    guard let read = try? H264Payload.parse(payload), read.starts(H264Payload.sps) else { return nil }
    if read.structure == .single { return h264(sequenceParameterSet: payload) }
    guard read.structure == .aggregation else { return nil }
    var offset = 1
    while offset &+ 2 < payload.count {
      let size = Int(payload.networkUInt16(at: offset))
      let start = offset &+ 2
      guard size > 0, start &+ size <= payload.count else { return nil }
      if payload[start] & 0x1F == H264Payload.sps {
        return h264(sequenceParameterSet: payload.extracting(start..<(start &+ size)))
      }
      offset = start &+ size
    }
    return nil
  }

  /// Of the sequence header among the OBUs of an AV1 payload (RTP payload format for AV1, section 4.3).
  private static func ofAV1(_ payload: Span<UInt8>) -> PictureSize? {
    guard let header = try? AV1AggregationHeader.parse(payload), header.hasSequenceHeader else { return nil }
    let announced = Int(payload[0] >> 4 & 0x03)
    var offset = 1
    var index = 0
    while offset < payload.count {
      var end = payload.count
      if announced == 0 || index &+ 1 < announced {
        guard let size = try? AV1AggregationHeader.leb128(payload, &offset), size <= UInt64(payload.count &- offset)
        else { return nil }
        end = offset &+ Int(size)
      }
      index &+= 1
      if end > offset, payload[offset] >> 3 & 0x0F == AV1AggregationHeader.sequenceHeader {
        var start = offset &+ (payload[offset] & 0x04 != 0 ? 2 : 1)
        // An OBU may state its size although the element has one (section 4.5).
        if payload[offset] & 0x02 != 0 {
          guard start < end, (try? AV1AggregationHeader.leb128(payload, &start)) != nil else { return nil }
        }
        return start < end ? av1(sequenceHeader: payload, start..<end) : nil
      }
      offset = end
    }
    return nil
  }
}
