extension Packetizer {
  /// RFC 7741 section 4.2: every packet has a 15-bit `PictureID`, and with temporal layers TL0PICIDX, TID and Y. The
  /// whole frame is sent as partition 0, since receivers here and in browsers take whole frames only.
  mutating func packetizeVP8(_ frame: EncodedFrame, _ emit: (Span<UInt8>, Bool) -> Void) {
    // TID has two bits.
    let (layer, isSync) = noteLayer(frame, maximum: 3)
    if layer == 0 { tl0PictureIndex &+= 1 }
    let descriptor = VP8Descriptor.Fields(
      isReference: frame.isReference, pictureID: pictureID,
      layer: hasTemporalLayers
        ? .init(tl0PictureIndex: tl0PictureIndex, temporalID: layer, isLayerSync: isSync) : nil)
    pictureID = (pictureID &+ 1) & 0x7FFF
    split(
      frame.data, 0..<frame.data.count, header: descriptor.length,
      write: { out, isFirst, _ in descriptor.append(to: &out, startsFrame: isFirst) }, emit: emit)
  }
}

extension VP8Descriptor {
  /// The fields that a sender writes into the payload descriptor (RFC 7741 section 4.2).
  struct Fields: Hashable, Sendable {
    /// Place of the frame in its temporal structure.
    struct Layer: Hashable, Sendable {
      var tl0PictureIndex: UInt8
      /// 0 to 3.
      var temporalID: UInt8
      var isLayerSync: Bool
    }

    var isReference: Bool
    /// 15 bits, always written in the long form: rewriting on the way then never changes a payload's length.
    var pictureID: UInt16
    var layer: Layer?

    /// The descriptor's length in bytes.
    var length: Int { layer == nil ? 4 : 6 }

    /// Writes the descriptor of one packet of the frame.
    func append(to out: inout [UInt8], startsFrame: Bool) {
      out.append(0x80 | (isReference ? 0 : 0x20) | (startsFrame ? 0x10 : 0))
      out.append(layer == nil ? 0x80 : 0xE0)
      out.append(0x80 | UInt8(truncatingIfNeeded: pictureID >> 8))
      out.append(UInt8(truncatingIfNeeded: pictureID))
      if let layer {
        out.append(layer.tl0PictureIndex)
        out.append(layer.temporalID << 6 | (layer.isLayerSync ? 0x20 : 0))
      }
    }
  }
}
