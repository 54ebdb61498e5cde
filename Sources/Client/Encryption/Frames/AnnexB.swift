/// The NAL units of an H.264 access unit in the byte stream format (H.264 annex B).
struct AnnexB {
  /// NAL units of a coded slice: whole, in partitions, or of an instantaneous refresh.
  static let slices: ClosedRange<UInt8> = 1...5

  /// The first byte of the NAL unit after each start code.
  let units: [Int]

  /// Finds the NAL units; empty when there is no start code.
  init(_ bytes: Span<UInt8>) {
    var units: [Int] = []
    var index = 0
    while index + 3 < bytes.count {
      if bytes[index + 2] > 1 {
        index += 3
      } else if bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1 {
        units.append(index + 3)
        index += 3
      } else {
        index += 1
      }
    }
    self.units = units
  }

  static let startCode: [UInt8] = [0, 0, 0, 1]
  private static let parameterSets: ClosedRange<UInt8> = 7...8

  /// The parameter sets that come before a slice.
  func parameterSets(in bytes: Span<UInt8>, before slice: Int) -> [Range<Int>] {
    units.indices.dropLast().compactMap { index in
      let start = units[index]
      guard start < slice, Self.parameterSets.contains(bytes[start] & 0x1F) else { return nil }
      // The next start code, with zeros that may precede it.
      var end = units[index + 1] - 3
      while end > start, bytes[end - 1] == 0 { end -= 1 }
      return start..<end
    }
  }

  /// The first byte of the first slice; nil when the access unit has none.
  func firstSlice(in bytes: Span<UInt8>) -> Int? { units.first { Self.slices.contains(bytes[$0] & 0x1F) } }

  /// Appends bytes so that no start code stands in them (H.264 section 7.4.1).
  ///
  /// - Parameter zeros: How many zeros stand at the end of `output` in the same NAL unit.
  static func escape(_ bytes: Span<UInt8>, zeros: Int, appendingTo output: inout [UInt8]) {
    var zeros = zeros
    for index in 0..<bytes.count {
      let byte = bytes[index]
      if zeros >= 2, byte <= 3 {
        output.append(3)
        zeros = 0
      }
      output.append(byte)
      zeros = byte == 0 ? zeros + 1 : 0
    }
  }

  /// Appends bytes as they were before ``escape(_:zeros:appendingTo:)``.
  static func unescape(_ bytes: Span<UInt8>, zeros: Int, appendingTo output: inout [UInt8]) {
    var zeros = zeros
    for index in 0..<bytes.count {
      let byte = bytes[index]
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      output.append(byte)
      zeros = byte == 0 ? zeros + 1 : 0
    }
  }
}
