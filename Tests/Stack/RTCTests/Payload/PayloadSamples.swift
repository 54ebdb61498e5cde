import RTC

/// Payloads by codec, put together byte by byte.
enum PayloadSample {
  /// A VP8 payload: flags choose the optional fields; `key` clears the P bit of the payload header.
  static func vp8(
    start: Bool = true, partition: UInt8 = 0, long: Bool? = true, pictureID: UInt16 = 0x1234, tl0: UInt8? = 9,
    temporal: (id: UInt8, sync: Bool)? = (2, true), keyIndex: UInt8? = 17, reference: Bool = true, key: Bool = true
  ) -> [UInt8] {
    var extensionFlags: UInt8 = 0
    var fields: [UInt8] = []
    if let long {
      extensionFlags |= 0x80
      fields += long ? [0x80 | UInt8(pictureID >> 8), UInt8(pictureID & 0xFF)] : [UInt8(pictureID & 0x7F)]
    }
    if let tl0 {
      extensionFlags |= 0x40
      fields.append(tl0)
    }
    if temporal != nil || keyIndex != nil {
      var byte: UInt8 = 0
      if let temporal {
        extensionFlags |= 0x20
        byte |= temporal.id << 6 | (temporal.sync ? 0x20 : 0)
      }
      if let keyIndex {
        extensionFlags |= 0x10
        byte |= keyIndex
      }
      fields.append(byte)
    }
    let first: UInt8 = (extensionFlags != 0 ? 0x80 : 0) | (reference ? 0 : 0x20) | (start ? 0x10 : 0) | partition
    return [first] + (extensionFlags != 0 ? [extensionFlags] : []) + fields + [key ? 0x10 : 0x11, 0x02, 0x00, 0x9D]
  }

  /// A non-flexible VP9 key picture of layer 0 with a scalability structure of two layers and two pictures.
  static let vp9Key: [UInt8] = [
    0xAA, 0x81, 0x23, 0x10, 0x77,
    0x38, 0x01, 0x40, 0x00, 0xB4, 0x02, 0x80, 0x01, 0x68, 0x02, 0x04, 0x01, 0x28, 0x01, 0x02,
    0x82, 0x49,
  ]
  /// A flexible inter picture with three references, in the middle of a frame.
  static let vp9Flexible: [UInt8] = [0xF0, 0x05, 0x52, 0x03, 0x05, 0x08, 0xEE]
  /// An H.264 STAP-A of SPS, PPS and IDR slice.
  static let stapA: [UInt8] = [0x78, 0, 3, 0x67, 1, 2, 0, 2, 0x68, 3, 0, 4, 0x65, 4, 5, 6]
  static let fuAStart: [UInt8] = [0x7C, 0x85, 1, 2, 3]
  static let fuAMiddle: [UInt8] = [0x7C, 0x05, 1, 2, 3]
  /// AV1, two elements with sizes: temporal delimiter and sequence header, then a frame to the end (W = 3).
  static let av1Key: [UInt8] = [0x38, 1, 0x10, 3, 0x08, 9, 9, 0x30, 1, 2, 3]
  /// AV1 with W = 0: every element has its size.
  static let av1Sized: [UInt8] = [0x00, 2, 0x30, 1, 3, 0x30, 2, 3]
  /// Two redundant Opus blocks of 2 and 3 bytes, then 4 bytes of the packet's own.
  static let red: [UInt8] = [
    0xEF, 0x1E, 0x00, 0x02, 0xEF, 0x0F, 0x00, 0x03, 0x6F, 1, 2, 3, 4, 5, 6, 7, 8, 9,
  ]

  static let corpus: [[UInt8]] = [
    vp8(), vp8(start: false, partition: 3, long: nil, tl0: nil, temporal: nil, keyIndex: nil),
    vp8(long: false, key: false), vp9Key, vp9Flexible, stapA, fuAStart, fuAMiddle, [0x65, 1, 2], av1Key, av1Sized,
    red, [0x78, 1, 2], [0x7B, 0x82, 1], DependencySample.key, DependencySample.plain,
  ]
}

/// Writes bit fields, for dependency descriptors.
struct BitWriter {
  var bytes: [UInt8] = []
  var bits = 0

  mutating func put(_ value: Int, _ count: Int) {
    for shift in stride(from: count - 1, through: 0, by: -1) {
      if bits % 8 == 0 { bytes.append(0) }
      bytes[bytes.count - 1] |= UInt8(value >> shift & 1) << UInt8(7 - bits % 8)
      bits += 1
    }
  }
}

enum DependencySample {
  /// A structure like libwebrtc's L1T3: 3 decode targets, 5 templates, one chain, with a resolution.
  static let key: [UInt8] = make(active: nil)
  static let plain: [UInt8] = [0xC3, 0x01, 0x02]

  static func make(active: Int?) -> [UInt8] {
    var w = BitWriter()
    w.put(1, 1)
    w.put(0, 1)
    w.put(60, 6)
    w.put(0xABCD, 16)
    w.put(1, 1)
    w.put(active == nil ? 0 : 1, 1)
    w.put(0, 3)
    // Offset 60, three decode targets; templates: T0, T0, T1, T2, T2.
    w.put(60, 6)
    w.put(2, 5)
    for idc in [0, 1, 1, 0, 3] { w.put(idc, 2) }
    for dtis in [[2, 2, 2], [3, 2, 2], [0, 3, 2], [0, 0, 1], [0, 0, 1]] { for dti in dtis { w.put(dti, 2) } }
    for differences in [[], [4], [2], [1], [1]] {
      for difference in differences {
        w.put(1, 1)
        w.put(difference - 1, 4)
      }
      w.put(0, 1)
    }
    // chain_cnt = 1 of ns(4), which takes two bits; the protecting chain of each target takes none.
    w.put(1, 2)
    for difference in [0, 4, 2, 1, 3] { w.put(difference, 4) }
    w.put(1, 1)
    w.put(1_279, 16)
    w.put(719, 16)
    if let active { w.put(active, 3) }
    return w.bytes
  }
}

func isKeyframeStart(_ codec: Codec, _ bytes: [UInt8]) -> Bool {
  Payload.isKeyframeStart(codec: codec, payload: bytes.span)
}

// A span cannot be taken of a global in an expression; a parameter can lend one.
func parseVP9(_ bytes: [UInt8]) throws(PayloadError) -> VP9Descriptor { try VP9Descriptor.parse(bytes.span) }
func parseH264(_ bytes: [UInt8]) throws(PayloadError) -> H264Payload { try H264Payload.parse(bytes.span) }
func parseAV1(_ bytes: [UInt8]) throws(PayloadError) -> AV1AggregationHeader {
  try AV1AggregationHeader.parse(bytes.span)
}
