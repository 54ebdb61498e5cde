/// Writes a dependency descriptor for one receiver: with the frame numbers of its stream, and with a mask of the decode
/// targets that are still complete when some layers are left out (AOM, RTP payload format for AV1, appendix A.8.2).
package enum DependencyWriter {
  /// Writes the descriptor `source` into `output` and returns its length; 0 when it does not fit the output or a header
  /// extension.
  ///
  /// - Parameters:
  ///   - frameNumber: The number to write instead of its own.
  ///   - activeTargets: The mask to write, with the number of targets that it is for; nil leaves the descriptor's own
  ///     as it is.
  ///   - frame: The result of ``DependencyReader`` for the same descriptor: it says where the mask goes, and whether
  ///     there is one.
  /// - Complexity: linear in the length, bit by bit when a mask goes in.
  package static func write(
    _ source: Span<UInt8>, frameNumber: UInt16, activeTargets: (mask: UInt32, count: Int)?, maskBit: Int,
    hasMask: Bool, into output: inout MutableSpan<UInt8>
  ) -> Int {
    guard source.count >= 3, source.count <= output.count else { return 0 }
    guard let active = activeTargets else {
      for index in 0..<source.count { output[index] = source[index] }
      output.setNetworkUInt16(frameNumber, at: 1)
      return source.count
    }
    let isExtended = source.count > 3
    // Template and frame number, five flags, the structure, the mask, the rest.
    let before = isExtended ? maskBit : 29
    let after = isExtended ? before &+ (hasMask ? active.count : 0) : source.count &* 8
    guard before >= 29, after <= source.count &* 8, active.count >= 1, active.count <= 32 else { return 0 }
    let end = isExtended ? source.count &* 8 : after
    let length = (before &+ active.count &+ max(end &- after, 0) &+ 7) >> 3
    guard length <= 255, length <= output.count else { return 0 }
    for index in 0..<length { output[index] = 0 }
    var bit = 0
    func put(_ value: UInt8, _ output: inout MutableSpan<UInt8>) {
      output[bit >> 3] |= value << UInt8(7 &- bit & 7)
      bit &+= 1
    }
    let limit = isExtended ? before : 24
    for place in 0..<limit { put(source[place >> 3] >> UInt8(7 &- place & 7) & 1, &output) }
    bit = before
    for place in stride(from: active.count &- 1, through: 0, by: -1) {
      put(UInt8(truncatingIfNeeded: active.mask >> UInt32(place) & 1), &output)
    }
    var place = after
    while isExtended, place < end {
      put(source[place >> 3] >> UInt8(7 &- place & 7) & 1, &output)
      place &+= 1
    }
    output[3] |= 0x40
    output.setNetworkUInt16(frameNumber, at: 1)
    return length
  }
}
