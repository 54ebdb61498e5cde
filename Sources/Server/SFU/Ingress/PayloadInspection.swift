import RTC

/// Reads the parts of a payload that forwarding needs: keyframe starts, PictureIDs, redundancy.
enum PayloadInspection {
  /// Fills in what `payload` says; false when it is malformed and must be dropped. Bounded, and nothing allocates.
  static func inspect(_ payload: Span<UInt8>, _ codec: Codec, _ packet: inout StoredPacket) -> Bool {
    switch codec {
    case .vp8:
      guard let descriptor = try? VP8Descriptor.parse(payload) else { return false }
      packet.startsKeyframe = descriptor.isKeyframeStart
      // I, L, then T and K follow the two flag bytes in this order (RFC 7741 section 4.2).
      packet.picture = fields(
        pictureID: descriptor.pictureID, isLong: descriptor.hasLongPictureID, tl0: descriptor.tl0PictureIndex,
        pictureIDOffset: 2, between: 0)
      packet.layers.take(descriptor)
      return true
    case .vp9:
      guard let descriptor = try? VP9Descriptor.parse(payload) else { return false }
      packet.startsKeyframe = descriptor.isKeyframeStart
      // The layer byte lies between both (RFC 9628 section 4.2).
      packet.picture = fields(
        pictureID: descriptor.pictureID, isLong: descriptor.hasLongPictureID, tl0: descriptor.tl0PictureIndex,
        pictureIDOffset: 1, between: 1)
      packet.layers.take(descriptor)
      return true
    case .h264:
      guard let read = try? H264Payload.parse(payload) else { return false }
      packet.startsKeyframe = read.isKeyframeStart
      return true
    case .av1:
      guard let header = try? AV1AggregationHeader.parse(payload) else { return false }
      packet.startsKeyframe = header.isKeyframeStart
      return true
    case .red:
      guard let primary = primaryBlock(payload) else { return false }
      packet.redPrimaryOffset = UInt16(truncatingIfNeeded: primary.range.lowerBound)
      packet.redPrimaryType = primary.payloadType
      return true
    case .opus, .pcmu, .pcma, .telephoneEvent: return true
    case .rtx: return false
    }
  }

  private static func fields(
    pictureID: UInt16?, isLong: Bool, tl0: UInt8?, pictureIDOffset: Int, between: Int
  ) -> PictureFields {
    var fields = PictureFields.none
    var offset = pictureIDOffset
    if let pictureID {
      fields.pictureID = pictureID
      fields.isLongPictureID = isLong
      fields.pictureIDOffset = UInt8(truncatingIfNeeded: offset)
      offset &+= isLong ? 2 : 1
    }
    if let tl0 {
      fields.tl0PictureIndex = tl0
      fields.tl0Offset = UInt8(truncatingIfNeeded: offset &+ between)
    }
    return fields
  }

  /// The packet's own audio, which a receiver without redundancy gets; nil for a malformed payload (RFC 2198 section
  /// 3).
  private static func primaryBlock(_ payload: Span<UInt8>) -> REDBlock? {
    guard let red = try? RED.parse(payload) else { return nil }
    var blocks = red.blocks
    while let block = blocks.next(in: payload) {
      if block.isPrimary { return block }
    }
    return nil
  }
}
