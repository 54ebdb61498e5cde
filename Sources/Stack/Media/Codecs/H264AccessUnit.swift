/// One access unit as Annex B byte stream (H.264 annex B), filtered for a decoder: its contents, the size of its
/// frames, and only the units that decoding needs.
struct H264AccessUnit {
  /// Parameter sets and slices, each behind a start code. The bytes given, when nothing was left out.
  let data: [UInt8]
  /// Whether it holds a slice of an IDR frame.
  private(set) var isKeyframe = false
  /// Whether it holds any slice.
  private(set) var hasSlices = false
  /// The largest size in any of its sequence parameter sets; nil without one.
  private(set) var largestSize: (width: Int, height: Int)?

  /// Nobody sends more units than this in one frame, and they would only cost time.
  private static let maximumUnits = 1_024

  /// Reads the units. Cost: one pass over the bytes; copies them only when something is left out.
  /// - Throws: ``MediaError/decoderFailed(_:reason:)`` when there is no start code, too many units, or a parameter set
  ///   is not readable.
  init(_ bytes: [UInt8]) throws(MediaError) {
    var units: [Range<Int>] = []
    var isWhole = true
    var count = 0
    bytes.withUnsafeBufferPointer { buffer in
      var start = Self.nextUnit(in: buffer, from: 0)
      while let begin = start, count < Self.maximumUnits {
        let next = Self.nextUnit(in: buffer, from: begin)
        // The end still holds the next start code, and zeros in front of it.
        var end = next.map { $0 - 3 } ?? buffer.count
        while end > begin, buffer[end - 1] == 0 { end -= 1 }
        start = next
        count += 1
        guard end > begin else { continue }
        units.append(begin..<end)
      }
    }
    guard count > 0 else { throw Self.failure("the frame has no start code") }
    guard count < Self.maximumUnits else { throw Self.failure("the frame has too many parts") }

    var kept: [Range<Int>] = []
    for unit in units {
      guard bytes[unit.lowerBound] & 0x80 == 0 else { throw Self.failure("a part's header is malformed") }
      switch bytes[unit.lowerBound] & 0x1F {
      case 1: hasSlices = true
      case 5:
        hasSlices = true
        isKeyframe = true
      case 7:
        guard let size = Self.pictureSize(Array(bytes[unit])) else {
          throw Self.failure("a sequence parameter set is not readable")
        }
        if size.width * size.height >= (largestSize?.width ?? 0) * (largestSize?.height ?? 0) { largestSize = size }
      case 8: break
      default:
        isWhole = false
        continue
      }
      kept.append(unit)
    }
    if isWhole {
      data = bytes
    } else {
      var sifted: [UInt8] = []
      sifted.reserveCapacity(bytes.count)
      for unit in kept {
        sifted.append(contentsOf: [0, 0, 0, 1])
        sifted.append(contentsOf: bytes[unit])
      }
      data = sifted
    }
  }

  /// The start of the first unit after `offset`: behind the next three-byte start code.
  private static func nextUnit(in bytes: UnsafeBufferPointer<UInt8>, from offset: Int) -> Int? {
    var index = offset
    while index + 2 < bytes.count {
      // Looking at the third byte first lets most positions be passed three at a time.
      if bytes[index + 2] > 1 {
        index += 3
      } else if bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1 {
        return index + 3
      } else {
        index += 1
      }
    }
    return nil
  }

  /// The coded size a sequence parameter set announces, in whole macroblocks and before cropping (section 7.3.2.1.1);
  /// nil when it is malformed.
  static func pictureSize(_ unit: [UInt8]) -> (width: Int, height: Int)? {
    // Emulation prevention bytes (section 7.3.1) aren't data. The fields in question lie in the first bytes.
    var payload: [UInt8] = []
    var zeros = 0
    for byte in unit.dropFirst().prefix(256) {
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      payload.append(byte)
    }
    return payload.withUnsafeBufferPointer { bytes in
      var reader = BitstreamReader(bytes)
      guard let profile = reader.read(8), reader.read(16) != nil, reader.exponential() != nil else { return nil }
      if [100, 110, 122, 244, 44, 83, 86, 118, 128].contains(profile) {
        guard let chroma = reader.exponential(), chroma == 1, reader.exponential() == 0, reader.exponential() == 0,
          reader.flag() != nil, let hasMatrix = reader.flag()
        else { return nil }
        if hasMatrix {
          for list in 0..<8 {
            guard let isPresent = reader.flag() else { return nil }
            if isPresent, !skipScalingList(of: list < 6 ? 16 : 64, &reader) { return nil }
          }
        }
      }
      guard reader.exponential() != nil, let order = reader.exponential() else { return nil }
      if order == 0 {
        guard reader.exponential() != nil else { return nil }
      } else if order == 1 {
        guard reader.flag() != nil, reader.signedExponential() != nil, reader.signedExponential() != nil,
          let cycle = reader.exponential(), cycle < 256
        else { return nil }
        for _ in 0..<cycle { guard reader.signedExponential() != nil else { return nil } }
      }
      guard reader.exponential() != nil, reader.flag() != nil, let width = reader.exponential(),
        let height = reader.exponential(), let isProgressive = reader.flag()
      else { return nil }
      // Sizes come minus one, and fields in pairs; 2^32 macroblocks times 32 fits well into 64 bits.
      return ((width + 1) * 16, (height + 1) * (isProgressive ? 16 : 32))
    }
  }

  private static func skipScalingList(of size: Int, _ reader: inout BitstreamReader) -> Bool {
    var last = 8
    var next = 8
    for _ in 0..<size {
      if next != 0 {
        guard let delta = reader.signedExponential() else { return false }
        next = (last + delta + 256) & 255
      }
      last = next == 0 ? last : next
    }
    return true
  }

  private static func failure(_ reason: String) -> MediaError { .decoderFailed("H264", reason: reason) }
}
