/// Finds the NAL units of an H.264 byte stream (ITU-T H.264 annex B).
enum AnnexB {
  /// Fills `units` with the ranges of all NAL units in `bytes`, without start codes and without the zero bytes that may
  /// follow a unit.
  ///
  /// Cost: one look at each byte.
  static func findUnits(in bytes: Span<UInt8>, _ units: inout [Range<Int>]) {
    units.removeAll(keepingCapacity: true)
    let count = bytes.count
    var unitStart: Int?
    var index = 0
    while index &+ 2 < count {
      // Most bytes are larger than 1: then no start code can lie on this byte or the two before it.
      if bytes[index &+ 2] > 1 {
        index &+= 3
      } else if bytes[index] == 0, bytes[index &+ 1] == 0, bytes[index &+ 2] == 1 {
        if let unitStart { append(unitStart, index, bytes, &units) }
        unitStart = index &+ 3
        index &+= 3
      } else {
        index &+= 1
      }
    }
    if let unitStart { append(unitStart, count, bytes, &units) }
  }

  /// Appends a unit without trailing zeros; its own last byte is never zero (H.264 section 7.4.1).
  private static func append(_ start: Int, _ limit: Int, _ bytes: Span<UInt8>, _ units: inout [Range<Int>]) {
    var end = limit
    while end > start, bytes[end &- 1] == 0 { end &-= 1 }
    if end > start { units.append(start..<end) }
  }
}
