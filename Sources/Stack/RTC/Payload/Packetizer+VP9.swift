extension Packetizer {
  /// RFC 9628 section 4.2 in flexible mode: each frame names the one that it refers to. So any pattern of layers and of
  /// unneeded frames can be described without announcing it, and a forwarder may drop frames. One spatial layer.
  mutating func packetizeVP9(_ frame: EncodedFrame, _ emit: (Span<UInt8>, Bool) -> Void) {
    let (layer, isSync) = noteLayer(frame, maximum: 7)
    if frame.isKeyframe { lastReference = SIMD8(repeating: Self.noPicture) }
    let descriptor = VP9Descriptor.Fields(
      pictureID: pictureID, isKeyframe: frame.isKeyframe,
      reference: frame.isKeyframe ? nil : referenceDifference(layer: layer),
      temporalID: hasTemporalLayers ? layer : nil, isSwitchingUpPoint: isSync || (layer == 0 && frame.isLayerSync),
      resolution: frame.isKeyframe ? Self.resolution(frame) : nil)
    if frame.isReference { lastReference[Int(layer)] = pictureID }
    pictureID = (pictureID &+ 1) & 0x7FFF
    split(
      frame.data, 0..<frame.data.count, header: descriptor.length, extra: descriptor.structureLength,
      write: { out, isFirst, isLast in descriptor.append(to: &out, startsFrame: isFirst, endsFrame: isLast) },
      emit: emit)
  }

  /// The distance to the newest frame that this one may refer to, 1 to 127: the last reference at or below its layer.
  /// That one already needed any older ones that the encoder may use as well.
  private func referenceDifference(layer: UInt8) -> UInt8 {
    var nearest: UInt16 = .max
    for lower in 0...Int(layer) where lastReference[lower] != Self.noPicture {
      nearest = min(nearest, (pictureID &- lastReference[lower]) & 0x7FFF)
    }
    // The field has seven bits. Behind more frames without a reference, or none, naming the previous picture asks for
    // too much, never for too little.
    return (1...127).contains(nearest) ? UInt8(nearest) : 1
  }

  private static func resolution(_ frame: EncodedFrame) -> VP9Descriptor.Resolution? {
    guard let width = UInt16(exactly: frame.width), let height = UInt16(exactly: frame.height), width > 0, height > 0
    else { return nil }
    return VP9Descriptor.Resolution(width: width, height: height)
  }
}

extension VP9Descriptor {
  /// The fields that a sender writes into the payload descriptor (RFC 9628 section 4.2), flexible mode, one spatial
  /// layer.
  struct Fields: Hashable, Sendable {
    /// 15 bits, always written in the long form.
    var pictureID: UInt16
    /// Whether the scalability structure goes with the first packet.
    var isKeyframe: Bool
    /// The distance to the frame that this one needs, 1 to 127; nil for a keyframe.
    var reference: UInt8?
    var temporalID: UInt8?
    var isSwitchingUpPoint: Bool
    var resolution: Resolution?

    /// The descriptor's length in bytes without the scalability structure.
    var length: Int { 3 &+ (temporalID == nil ? 0 : 1) &+ (reference == nil ? 0 : 1) }
    /// The length of the scalability structure, which only the first packet has.
    var structureLength: Int { isKeyframe ? (resolution == nil ? 1 : 5) : 0 }

    /// Writes the descriptor of one packet of the frame. One spatial layer is what no upper layer refers to (Z).
    func append(to out: inout [UInt8], startsFrame: Bool, endsFrame: Bool) {
      var flags: UInt8 = 0x80 | 0x10 | 0x01
      if reference != nil { flags |= 0x40 }
      if temporalID != nil { flags |= 0x20 }
      if startsFrame { flags |= 0x08 }
      if endsFrame { flags |= 0x04 }
      if startsFrame, isKeyframe { flags |= 0x02 }
      out.append(flags)
      out.append(0x80 | UInt8(truncatingIfNeeded: pictureID >> 8))
      out.append(UInt8(truncatingIfNeeded: pictureID))
      if let temporalID { out.append(temporalID << 5 | (isSwitchingUpPoint ? 0x10 : 0)) }
      if let reference { out.append(reference << 1) }
      guard startsFrame, isKeyframe else { return }
      // Section 4.2.1: N_S = 0 (one spatial layer), Y when the size is known, no picture group in flexible mode.
      out.append(resolution == nil ? 0x00 : 0x10)
      if let resolution {
        for value in [resolution.width, resolution.height] {
          out.append(UInt8(truncatingIfNeeded: value >> 8))
          out.append(UInt8(truncatingIfNeeded: value))
        }
      }
    }
  }
}
