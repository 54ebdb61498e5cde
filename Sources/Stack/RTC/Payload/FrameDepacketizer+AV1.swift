extension FrameDepacketizer {
  /// AOM, RTP payload format for AV1, sections 4.3 to 4.5: elements become OBUs with size fields (the low-overhead
  /// format of the AV1 specification, section 5.2); temporal delimiters and tile lists go, fragments are joined across
  /// packets.
  mutating func appendAV1(_ payload: Span<UInt8>) throws(PayloadError) {
    let header = try AV1AggregationHeader.parse(payload)
    guard header.continuesPrevious == isInsideUnit else { throw .incomplete }
    let announced = Int(payload[0] >> 4 & 0x03)
    var offset = 1
    var index = 0
    while offset < payload.count {
      var end = payload.count
      if announced == 0 || index &+ 1 < announced {
        let size = try AV1AggregationHeader.leb128(payload, &offset)
        guard size <= UInt64(payload.count &- offset) else { throw .malformed }
        end = offset &+ Int(size)
      }
      unit.append(copying: payload.extracting(offset..<end))
      index &+= 1
      offset = end
      let isLast = offset >= payload.count
      isInsideUnit = isLast && header.continuesInNext
      if !isInsideUnit { try finishOBU() }
    }
  }

  /// Appends the OBU put together in `unit` with its size (AV1 specification, sections 5.3 and 5.3.2).
  private mutating func finishOBU() throws(PayloadError) {
    defer { unit.removeAll(keepingCapacity: true) }
    // Senders may leave an element empty; it isn't an OBU.
    guard let first = unit.first else { return }
    unitCount &+= 1
    guard unitCount <= Self.maximumUnits else { throw .tooLarge }
    guard first & 0x80 == 0 else { throw .malformed }
    let type = first >> 3 & 0x0F
    let hasExtension = first & 0x04 != 0
    let hasSize = first & 0x02 != 0
    var start = hasExtension ? 2 : 1
    guard unit.count >= start else { throw .truncated }
    let extensionByte = hasExtension ? unit[1] : 0
    var end = unit.count
    if hasSize {
      // Senders should leave the size out (section 4.5), but may not.
      let bytes = unit.span
      let size = try AV1AggregationHeader.leb128(bytes, &start)
      guard size <= UInt64(end &- start) else { throw .malformed }
      end = start &+ Int(size)
    }
    // Temporal delimiter and tile list, which are not to be sent; padding, which nobody needs.
    guard type != 2, type != 8, type != 15 else { return }
    noteOBU(type, start..<end, extensionByte, hasExtension)
    data.append(first | 0x02)
    if hasExtension { data.append(extensionByte) }
    var rest = end &- start
    while rest > 0x7F {
      data.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    data.append(UInt8(truncatingIfNeeded: rest))
    data.append(contentsOf: unit[start..<end])
  }

  /// Reads the kind of frame and its size. A keyframe that decoding can start at has a sequence header with it.
  private mutating func noteOBU(_ type: UInt8, _ range: Range<Int>, _ extensionByte: UInt8, _ hasExtension: Bool) {
    switch type {
    case AV1AggregationHeader.sequenceHeader:
      hasSequenceHeader = true
      if let found = PictureSize.av1(sequenceHeader: unit.span, range) { size = found }
    case 3, 6:
      // Frame header and frame; of several layers the lowest comes first.
      guard !hasFrameHeader, let byte = range.isEmpty ? nil : unit[range.lowerBound] else { return }
      hasFrameHeader = true
      // show_existing_frame, then frame_type, of which 0 is a key frame (section 5.9.2).
      isKeyframe = hasSequenceHeader && byte & 0xE0 == 0
      if hasExtension { temporalID = extensionByte >> 5 }
    default: break
    }
  }
}
