/// The beginning of a VP8 or VP9 frame, as a decoder needs it before it takes memory.
struct VPXHeader {
  /// Whether decoding can start here.
  let isKeyframe: Bool
  /// The size in pixels; nil if the header doesn't have it.
  var size: (width: Int, height: Int)? { width > 0 ? (width, height) : nil }
  private var width = 0
  private var height = 0

  private init(isKeyframe: Bool) { self.isKeyframe = isKeyframe }

  /// Reads the frame tag and, for a keyframe, the size (RFC 6386 section 9.1). Nil when it is none.
  static func vp8(_ data: UnsafeBufferPointer<UInt8>) -> VPXHeader? {
    guard data.count >= 3 else { return nil }
    let tag = Int(data[0]) | Int(data[1]) << 8 | Int(data[2]) << 16
    var header = VPXHeader(isKeyframe: tag & 1 == 0)
    // Version, 0 to 3; and a first partition that is there.
    guard tag >> 1 & 7 <= 3, tag >> 5 <= data.count - 3 else { return nil }
    guard header.isKeyframe else { return header }
    guard data.count >= 10, data[3] == 0x9D, data[4] == 0x01, data[5] == 0x2A else { return nil }
    header.width = (Int(data[6]) | Int(data[7]) << 8) & 0x3FFF
    header.height = (Int(data[8]) | Int(data[9]) << 8) & 0x3FFF
    return header.width > 0 && header.height > 0 ? header : nil
  }

  /// Reads the headers of every frame in a chunk, which may be a superframe (VP9 specification, annex B and section
  /// 6.2): whether it begins with a keyframe, and the largest size in it. Nil when it is malformed or not of profile 0.
  static func vp9(_ data: UnsafeBufferPointer<UInt8>) -> VPXHeader? {
    guard let last = data.last else { return nil }
    guard last & 0xE0 == 0xC0 else { return vp9Frame(data) }
    let count = Int(last & 7) + 1
    let width = Int(last >> 3 & 3) + 1
    let index = 2 + count * width
    guard data.count >= index, data[data.count - index] == last else { return vp9Frame(data) }
    var offset = 0
    var result: VPXHeader?
    for frame in 0..<count {
      var size = 0
      for byte in 0..<width { size |= Int(data[data.count - index + 1 + frame * width + byte]) << (8 * byte) }
      guard size <= data.count - index - offset else { return nil }
      if size == 0 { continue }
      guard let header = vp9Frame(UnsafeBufferPointer(rebasing: data[offset..<(offset + size)])) else { return nil }
      offset += size
      if result == nil {
        result = header
      } else if header.width * header.height > (result?.width ?? 0) * (result?.height ?? 0) {
        result?.width = header.width
        result?.height = header.height
      }
    }
    return result
  }

  private static func vp9Frame(_ data: UnsafeBufferPointer<UInt8>) -> VPXHeader? {
    var reader = BitstreamReader(data)
    // Frame marker, then the profile's two bits; only profile 0 has 8 bits and 4:2:0.
    guard reader.read(2) == 2, reader.read(2) == 0, let showsExisting = reader.flag() else { return nil }
    if showsExisting { return VPXHeader(isKeyframe: false) }
    guard let isInter = reader.flag(), let isShown = reader.flag(), let isResilient = reader.flag() else { return nil }
    var header = VPXHeader(isKeyframe: !isInter)
    if !isInter {
      guard reader.read(24) == 0x498342, let colour = reader.read(3) else { return nil }
      // sRGB is 4:4:4, which profile 0 does not have.
      guard colour != 7, reader.read(1) != nil else { return nil }
    } else {
      var isIntraOnly = false
      if !isShown {
        guard let flag = reader.flag() else { return nil }
        isIntraOnly = flag
      }
      if !isResilient { guard reader.read(2) != nil else { return nil } }
      if isIntraOnly {
        guard reader.read(24) == 0x498342, reader.read(8) != nil else { return nil }
      } else {
        // The buffers to renew; three references with a sign each; then whether one of them lends its size.
        guard reader.read(8) != nil, reader.read(12) != nil else { return nil }
        for _ in 0..<3 {
          guard let found = reader.flag() else { return nil }
          if found { return header }
        }
      }
    }
    guard let width = reader.read(16), let height = reader.read(16) else { return nil }
    header.width = width + 1
    header.height = height + 1
    return header
  }
}
