/// The size of a video frame in its codec's headers, in pixels.
package struct PictureSize: Hashable, Sendable {
  /// Width in pixels.
  package var width: Int
  /// Height in pixels.
  package var height: Int

  /// Of a VP8 keyframe (RFC 6386 section 9.1): 14 bits each behind the start code, the rest is a scale that nobody
  /// uses.
  static func vp8(_ payload: Span<UInt8>, _ range: Range<Int>) -> PictureSize? {
    guard range.count >= 10, range.upperBound <= payload.count else { return nil }
    let start = range.lowerBound
    guard payload[start &+ 3] == 0x9D, payload[start &+ 4] == 0x01, payload[start &+ 5] == 0x2A else { return nil }
    let width = Int(payload[start &+ 6]) | Int(payload[start &+ 7] & 0x3F) << 8
    let height = Int(payload[start &+ 8]) | Int(payload[start &+ 9] & 0x3F) << 8
    return PictureSize(width: width, height: height)
  }

  /// Of an AV1 sequence header: the largest frame of the sequence (AV1 specification, section 5.5.1).
  static func av1(sequenceHeader bytes: Span<UInt8>, _ range: Range<Int>) -> PictureSize? {
    var reader = BitReader(range)
    return try? readAV1(bytes, &reader)
  }

  private static func readAV1(_ bytes: Span<UInt8>, _ reader: inout BitReader) throws(PayloadError) -> PictureSize {
    try reader.skip(4)
    let isReduced = try reader.flag(in: bytes)
    if isReduced {
      try reader.skip(5)
    } else {
      var decoderModel: Int?
      if try reader.flag(in: bytes) {
        try reader.skip(64)
        if try reader.flag(in: bytes) { _ = try reader.exponentialGolomb(in: bytes) }
        if try reader.flag(in: bytes) {
          decoderModel = Int(try reader.read(5, in: bytes)) &+ 1
          try reader.skip(42)
        }
      }
      let hasDisplayDelay = try reader.flag(in: bytes)
      for _ in 0...Int(try reader.read(5, in: bytes)) {
        try reader.skip(12)
        if try reader.read(5, in: bytes) > 7 { try reader.skip(1) }
        if let decoderModel, try reader.flag(in: bytes) { try reader.skip(2 &* decoderModel &+ 1) }
        if hasDisplayDelay, try reader.flag(in: bytes) { try reader.skip(4) }
      }
    }
    let widthBits = Int(try reader.read(4, in: bytes)) &+ 1
    let heightBits = Int(try reader.read(4, in: bytes)) &+ 1
    let width = Int(try reader.read(widthBits, in: bytes)) &+ 1
    return PictureSize(width: width, height: Int(try reader.read(heightBits, in: bytes)) &+ 1)
  }
}

/// The start of a VP9 frame's uncompressed header (VP9 bitstream specification, section 6.2): whether it is a keyframe,
/// and its size.
package struct VP9FrameHeader: Hashable, Sendable {
  package private(set) var isKeyframe = false
  package private(set) var size: PictureSize?

  /// Reads `range` of the payload; a header that is cut or contradicts itself doesn't count as a keyframe.
  package init(_ payload: Span<UInt8>, _ range: Range<Int>) {
    var reader = BitReader(range)
    guard (try? read(payload, &reader)) != nil else {
      self.size = nil
      return
    }
  }

  private mutating func read(_ bytes: Span<UInt8>, _ reader: inout BitReader) throws(PayloadError) {
    guard try reader.read(2, in: bytes) == 2 else { throw .malformed }
    // The low bit of the profile comes first.
    let low = try reader.read(1, in: bytes)
    let high = try reader.read(1, in: bytes)
    let profile = high << 1 | low
    if profile == 3 { try reader.skip(1) }
    let showsExisting = try reader.flag(in: bytes)
    guard !showsExisting else { return }
    isKeyframe = try !reader.flag(in: bytes)
    guard isKeyframe else { return }
    try reader.skip(2)
    guard try reader.read(24, in: bytes) == 0x49_8342 else { return }
    if profile >= 2 { try reader.skip(1) }
    let isRGB = try reader.read(3, in: bytes) == 7
    let hasSubsampling = profile == 1 || profile == 3
    if !isRGB { try reader.skip(hasSubsampling ? 4 : 1) } else if hasSubsampling { try reader.skip(1) }
    let width = Int(try reader.read(16, in: bytes)) &+ 1
    size = PictureSize(width: width, height: Int(try reader.read(16, in: bytes)) &+ 1)
  }
}
