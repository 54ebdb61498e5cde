extension Packetizer {
  /// RFC 6184 packetization mode 1: runs of units that fit together become a STAP-A (section 5.7.1), a unit of its own
  /// stays as it is (section 5.6), a unit that does not fit becomes FU-As (section 5.8). Access unit delimiters and
  /// filler are left out; no decoder needs them.
  mutating func packetizeH264(_ frame: EncodedFrame, _ emit: (Span<UInt8>, Bool) -> Void) throws(PayloadError) {
    var units = self.units
    // Given back below, so that its memory serves the next frame.
    self.units = []
    defer { self.units = units }
    AnnexB.findUnits(in: frame.data.span, &units)
    units.removeAll { Self.isLeftOut(frame.data[$0.lowerBound] & 0x1F) }
    guard !units.isEmpty else { throw .malformed }
    // Types above 23 are packet types: a receiver would take such a unit for an aggregate or a fragment (section 5.2).
    guard units.allSatisfy({ (1...23).contains(frame.data[$0.lowerBound] & 0x1F) }) else { throw .malformed }

    var index = 0
    while index < units.count {
      var end = index &+ 1
      var size = 3 &+ units[index].count
      while end < units.count, size &+ 2 &+ units[end].count <= maximumPayloadSize {
        size &+= 2 &+ units[end].count
        end &+= 1
      }
      let isLast = end == units.count
      if end &- index > 1 {
        aggregate(frame.data, units[index..<end])
        emit(scratch.span, isLast)
      } else if units[index].count <= maximumPayloadSize {
        scratch.removeAll(keepingCapacity: true)
        scratch.append(contentsOf: frame.data[units[index]])
        emit(scratch.span, isLast)
      } else {
        fragment(frame.data, units[index]) { payload, isEnd in emit(payload, isEnd && isLast) }
      }
      index = end
    }
  }

  /// Access unit delimiter, end of sequence, end of stream, filler data.
  private static func isLeftOut(_ type: UInt8) -> Bool { (9...12).contains(type) }

  private mutating func aggregate(_ data: [UInt8], _ units: ArraySlice<Range<Int>>) {
    scratch.removeAll(keepingCapacity: true)
    scratch.append(24)
    for unit in units {
      // F is the OR, NRI the maximum of all units (section 5.7).
      let header = data[unit.lowerBound]
      scratch[0] |= header & 0x80
      if header & 0x60 > scratch[0] & 0x60 { scratch[0] = scratch[0] & ~0x60 | header & 0x60 }
      scratch.append(UInt8(truncatingIfNeeded: unit.count >> 8))
      scratch.append(UInt8(truncatingIfNeeded: unit.count))
      scratch.append(contentsOf: data[unit])
    }
  }

  private mutating func fragment(_ data: [UInt8], _ unit: Range<Int>, emit: (Span<UInt8>, Bool) -> Void) {
    let header = data[unit.lowerBound]
    split(
      data, (unit.lowerBound &+ 1)..<unit.upperBound, header: 2,
      write: { out, isFirst, isLast in
        out.append(header & 0xE0 | 28)
        out.append((isFirst ? 0x80 : 0) | (isLast ? 0x40 : 0) | header & 0x1F)
      }, emit: emit)
  }
}
