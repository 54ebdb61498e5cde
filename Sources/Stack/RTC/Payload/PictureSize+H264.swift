extension PictureSize {
  /// Of an H.264 sequence parameter set (ITU-T H.264 section 7.3.2.1.1), with its NAL header. Nil when it cannot be
  /// read.
  static func h264(sequenceParameterSet unit: Span<UInt8>) -> PictureSize? {
    // Emulation prevention (section 7.3.1) is undone in a copy; what precedes the size is short.
    var bytes: [UInt8] = []
    let limit = min(unit.count, 512)
    bytes.reserveCapacity(limit)
    var zeros = 0
    for index in 1..<max(limit, 1) {
      let byte = unit[index]
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros &+ 1 : 0
      bytes.append(byte)
    }
    var reader = BitReader(0..<bytes.count)
    return try? readH264(bytes.span, &reader)
  }

  private static func readH264(_ bytes: Span<UInt8>, _ reader: inout BitReader) throws(PayloadError) -> PictureSize {
    let profile = try reader.read(8, in: bytes)
    try reader.skip(16)
    _ = try reader.exponentialGolomb(in: bytes)
    var chroma: UInt32 = 1
    var isSeparate = false
    // The profiles that have a chroma format, see section 7.3.2.1.1.
    if [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135].contains(profile) {
      chroma = try reader.exponentialGolomb(in: bytes)
      guard chroma <= 3 else { throw .malformed }
      if chroma == 3 { isSeparate = try reader.flag(in: bytes) }
      _ = try reader.exponentialGolomb(in: bytes)
      _ = try reader.exponentialGolomb(in: bytes)
      try reader.skip(1)
      if try reader.flag(in: bytes) { try skipScalingLists(bytes, &reader, count: chroma == 3 ? 12 : 8) }
    }
    _ = try reader.exponentialGolomb(in: bytes)
    try skipOrderCount(bytes, &reader)
    _ = try reader.exponentialGolomb(in: bytes)
    try reader.skip(1)
    let columns = try reader.exponentialGolomb(in: bytes)
    let rows = try reader.exponentialGolomb(in: bytes)
    let hasFramesOnly = try reader.flag(in: bytes)
    // 65,536 pixels, more than any level allows.
    guard columns < 4_096, rows < 4_096 else { throw .malformed }
    if !hasFramesOnly { try reader.skip(1) }
    try reader.skip(1)
    var width = (Int(columns) &+ 1) &* 16
    // Field pictures have half the rows.
    let fields: Int = hasFramesOnly ? 1 : 2
    var height = (Int(rows) &+ 1) &* 16 &* fields
    if try reader.flag(in: bytes) {
      let hasHalfWidth = !isSeparate && (chroma == 1 || chroma == 2)
      let hasHalfHeight = !isSeparate && chroma == 1
      let unitX: Int = hasHalfWidth ? 2 : 1
      let halfUnitY: Int = hasHalfHeight ? 2 : 1
      let unitY = halfUnitY &* fields
      // Left, right, top, bottom.
      var crop = SIMD4<Int>()
      for side in 0..<4 { crop[side] = Int(try reader.exponentialGolomb(in: bytes)) }
      width &-= unitX &* (crop[0] &+ crop[1])
      height &-= unitY &* (crop[2] &+ crop[3])
      guard width > 0, height > 0 else { throw .malformed }
    }
    return PictureSize(width: width, height: height)
  }

  private static func skipOrderCount(_ bytes: Span<UInt8>, _ reader: inout BitReader) throws(PayloadError) {
    switch try reader.exponentialGolomb(in: bytes) {
    case 0: _ = try reader.exponentialGolomb(in: bytes)
    case 1:
      try reader.skip(1)
      _ = try reader.exponentialGolomb(in: bytes)
      _ = try reader.exponentialGolomb(in: bytes)
      let count = try reader.exponentialGolomb(in: bytes)
      guard count <= 255 else { throw .malformed }
      for _ in 0..<count { _ = try reader.exponentialGolomb(in: bytes) }
    default: break
    }
  }

  /// Passes over scaling lists (section 7.3.2.1.1.1): each ends early when its next scale becomes 0.
  private static func skipScalingLists(
    _ bytes: Span<UInt8>, _ reader: inout BitReader, count: Int
  ) throws(PayloadError) {
    for list in 0..<count where try reader.flag(in: bytes) {
      var last = 8
      var next = 8
      for _ in 0..<(list < 6 ? 16 : 64) {
        if next != 0 {
          let code = Int(try reader.exponentialGolomb(in: bytes))
          // Signed codes alternate: 0, 1, -1, 2, … (section 9.1.1).
          let delta = code & 1 == 1 ? (code &+ 1) / 2 : 0 &- code / 2
          next = (last &+ delta &+ 256) & 0xFF
        }
        if next != 0 { last = next }
      }
    }
  }
}
