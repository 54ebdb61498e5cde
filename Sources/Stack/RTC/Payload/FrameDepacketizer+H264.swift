extension FrameDepacketizer {
  /// RFC 6184 sections 5.6, 5.7.1 and 5.8: each NAL unit gets a start code, in the order they come. Parameter sets stay
  /// in front of the frame that needs them.
  mutating func appendH264(_ payload: Span<UInt8>) throws(PayloadError) {
    let read = try H264Payload.parse(payload)
    switch read.structure {
    case .single:
      guard !isInsideUnit else { throw .incomplete }
      try startUnit(header: payload[0])
      noteParameters(payload)
      data.append(copying: payload.extracting(1..<payload.count))
    case .aggregation:
      guard !isInsideUnit else { throw .incomplete }
      // The parser has checked each size.
      var offset = 1
      while offset &+ 2 < payload.count {
        let size = Int(payload.networkUInt16(at: offset))
        let end = min(offset &+ 2 &+ size, payload.count)
        guard end > offset &+ 2 else { throw .malformed }
        let unit = payload.extracting((offset &+ 2)..<end)
        try startUnit(header: unit[0])
        noteParameters(unit)
        data.append(copying: unit.extracting(1..<unit.count))
        offset = end
      }
    case .fragment(let start, let end):
      guard start != isInsideUnit else { throw .incomplete }
      let type = payload[1] & 0x1F
      if start {
        try startUnit(header: payload[0] & 0xE0 | type)
        fragmentType = type
      }
      guard type == fragmentType else { throw .incomplete }
      data.append(copying: payload.extracting(2..<payload.count))
      isInsideUnit = !end
    }
  }

  private mutating func startUnit(header: UInt8) throws(PayloadError) {
    unitCount &+= 1
    // Each unit costs four bytes more than it has on the wire.
    guard unitCount <= Self.maximumUnits else { throw .tooLarge }
    let type = header & 0x1F
    if type == H264Payload.idr { isKeyframe = true }
    if (1...5).contains(type) {
      // nal_ref_idc is the same in all slices of a picture (H.264 section 7.4.1).
      isReference = header & 0x60 != 0
    }
    data.append(0)
    data.append(0)
    data.append(0)
    data.append(1)
    data.append(header)
  }

  private mutating func noteParameters(_ unit: Span<UInt8>) {
    if unit[0] & 0x1F == H264Payload.sps, let found = PictureSize.h264(sequenceParameterSet: unit) { size = found }
  }
}
