/// The open bitstream units of an AV1 temporal unit (AV1 section 5.3), as their places in its bytes.
struct OBUSequence {
  static let sequenceHeader: UInt8 = 1
  static let temporalDelimiter: UInt8 = 2
  static let frame: UInt8 = 6

  /// A unit: its header, size and payload.
  struct Unit: Equatable {
    let type: UInt8
    let start: Int
    let payload: Range<Int>
  }

  let units: [Unit]

  /// Finds the units; nil when the bytes are not a sequence of them. A last unit without a size reaches to the end.
  init?(_ bytes: Span<UInt8>) {
    var units: [Unit] = []
    var offset = 0
    while offset < bytes.count {
      let start = offset
      let header = bytes[offset]
      // The forbidden bit.
      guard header & 0x80 == 0 else { return nil }
      offset += header & 0x04 != 0 ? 2 : 1
      guard offset <= bytes.count else { return nil }
      var end = bytes.count
      if header & 0x02 != 0 {
        guard let (size, length) = Self.size(bytes, at: offset), size <= bytes.count - offset - length else {
          return nil
        }
        offset += length
        end = offset + size
      }
      units.append(Unit(type: header >> 3 & 15, start: start, payload: offset..<end))
      offset = end
    }
    guard !units.isEmpty else { return nil }
    self.units = units
  }

  /// A size in LEB128 (AV1 section 4.10.5), and its bytes.
  private static func size(_ bytes: Span<UInt8>, at offset: Int) -> (Int, Int)? {
    var value = 0
    // Four bytes hold more than any frame that is taken.
    for index in 0..<4 where offset + index < bytes.count {
      let byte = bytes[offset + index]
      value |= Int(byte & 0x7F) << (7 * index)
      if byte & 0x80 == 0 { return (value, index + 1) }
    }
    return nil
  }

  /// Appends a size in its shortest form.
  static func append(size: Int, to output: inout [UInt8]) {
    var rest = size
    while rest > 0x7F {
      output.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    output.append(UInt8(truncatingIfNeeded: rest))
  }
}
