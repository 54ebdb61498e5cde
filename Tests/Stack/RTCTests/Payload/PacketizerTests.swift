import RTC
import TestSeeds
import Testing

/// Payloads of a frame, and a frame of payloads.
enum PayloadTrip {
  static func payloads(
    _ frame: EncodedFrame, _ packetizer: inout Packetizer
  ) throws(PayloadError) -> [(bytes: [UInt8], marker: Bool)] {
    var out: [(bytes: [UInt8], marker: Bool)] = []
    try packetizer.packetize(frame) { payload, marker in
      var bytes: [UInt8] = []
      for index in 0..<payload.count { bytes.append(payload[index]) }
      out.append((bytes, marker))
    }
    return out
  }

  static func frame(_ codec: Codec, _ payloads: [[UInt8]]) throws(PayloadError) -> EncodedFrame {
    var depacketizer = FrameDepacketizer(codec: codec)
    for payload in payloads { try depacketizer.append(payload.span) }
    return try depacketizer.finish(timestamp: RTPTimestamp(rawValue: 7), time: .zero)
  }

  /// A frame of `count` bytes; H.264 with parameter sets and two slices when it is a keyframe.
  static func encoded(
    _ codec: Codec, _ count: Int, isKeyframe: Bool, layer: UInt8 = 0, random: inout SeededRandom
  ) -> EncodedFrame {
    var data: [UInt8]
    switch codec {
    case .vp8: data = isKeyframe ? [0x10, 0, 0, 0x9D, 1, 0x2A, 0x80, 0x02, 0x68, 0x01] : [0x11, 0, 0]
    case .vp9: data = isKeyframe ? [0x82, 0x49, 0x83, 0x42, 0x20, 0x27, 0xF0, 0x16, 0x70] : [0x86, 0]
    case .h264:
      data =
        isKeyframe ? [0, 0, 0, 1] + sps + [0, 0, 0, 1, 0x68, 0xCE, 0x3C, 0x80, 0, 0, 0, 1, 0x65] : [0, 0, 0, 1, 0x41]
    default: data = [0x78]
    }
    while data.count < count { data.append(UInt8.random(in: 1...255, using: &random)) }
    return EncodedFrame(
      codec: codec, data: data, timestamp: RTPTimestamp(rawValue: 7), isKeyframe: isKeyframe, temporalID: layer,
      width: 640, height: 360)
  }

  /// Constrained baseline, level 3, 640 by 360: 40 by 23 macroblocks, of which the bottom 8 rows are cropped.
  static let sps: [UInt8] = {
    var w = BitWriter()
    func ue(_ value: Int) {
      let width = Int.bitWidth - (value + 1).leadingZeroBitCount
      w.put(0, width - 1)
      w.put(value + 1, width)
    }
    w.put(0x42, 8)
    w.put(0xC0, 8)
    w.put(30, 8)
    for value in [0, 0, 2, 1] { ue(value) }
    w.put(0, 1)
    ue(39)
    ue(22)
    w.put(1, 1)
    w.put(1, 1)
    w.put(1, 1)
    for value in [0, 0, 0, 4] { ue(value) }
    w.put(0, 1)
    w.put(1, 1)
    return [0x67] + w.bytes
  }()
}

@Suite("Frames to payloads and back", .tellsSeeds)
struct PacketizerTests {
  @Test(
    "every frame comes back within the size limit, with the marker on its last",
    arguments: [Codec.vp8, .vp9, .h264])
  func roundTrip(codec: Codec) throws {
    var random = SeededRandom(seed: TestSeed.of(1))
    for limit in [64, 100, 500, 1_160, 1_200, 9_000] {
      var packetizer = Packetizer(codec: codec, maximumPayloadSize: limit, using: &random)
      for count in [40, 63, 64, 65, 99, 100, 101, 1_159, 1_160, 1_161, 2_400, 20_000, 70_001] {
        for isKeyframe in [true, false] {
          let frame = PayloadTrip.encoded(codec, count, isKeyframe: isKeyframe, random: &random)
          let payloads = try PayloadTrip.payloads(frame, &packetizer)
          #expect(payloads.map(\.marker) == (0..<payloads.count).map { $0 == payloads.count - 1 })
          #expect(payloads.allSatisfy { $0.bytes.count <= limit }, "\(codec) \(count) in \(limit)")
          let back = try PayloadTrip.frame(codec, payloads.map(\.bytes))
          #expect(back.data == frame.data, "\(codec) \(count) in \(limit)")
          #expect(back.isKeyframe == isKeyframe)
          if isKeyframe { #expect(back.width == 640 && back.height == 360) }
          #expect(isKeyframeStart(codec, payloads[0].bytes) == isKeyframe)
        }
      }
    }
  }

  @Test("a frame's payloads have one size but the last: one segmented burst")
  func evenSizes() throws {
    var random = SeededRandom(seed: TestSeed.of(2))
    for codec in [Codec.vp8, .vp9, .h264] {
      var packetizer = Packetizer(codec: codec, maximumPayloadSize: 1_160, using: &random)
      for count in stride(from: 1_500, to: 40_000, by: 977) {
        let frame = PayloadTrip.encoded(codec, count, isKeyframe: false, random: &random)
        let sizes = try PayloadTrip.payloads(frame, &packetizer).map(\.bytes.count)
        #expect(Set(sizes.dropLast()).count == 1)
        #expect(sizes.last ?? 0 <= sizes[0] && sizes[0] - (sizes.last ?? 0) < sizes.count, "\(codec) \(sizes)")
      }
    }
  }

  @Test("VP8: PictureID wraps, layers have TL0PICIDX, TID, Y and N (RFC 7741 4.2)")
  func vp8Layers() throws {
    var random = SeededRandom(seed: TestSeed.of(3))
    var packetizer = Packetizer(codec: .vp8, maximumPayloadSize: 1_160, hasTemporalLayers: true, using: &random)
    var lastID: UInt16?
    var lastTL0: UInt8?
    for index in 0..<40_000 {
      let layer: UInt8 = [0, 2, 1, 2][index % 4]
      var frame = PayloadTrip.encoded(.vp8, 20, isKeyframe: index == 0, layer: layer, random: &random)
      frame.isReference = layer < 2
      let bytes = try PayloadTrip.payloads(frame, &packetizer)[0].bytes
      let read = try VP8Descriptor.parse(bytes.span)
      #expect(read.hasLongPictureID && read.temporalID == layer && read.isReference == (layer < 2))
      if let lastID { #expect(read.pictureID == (lastID + 1) & 0x7FFF) }
      if let lastTL0 { #expect(read.tl0PictureIndex == (layer == 0 ? lastTL0 &+ 1 : lastTL0)) }
      // Behind the keyframe nothing but layer 0 is there to be referred to.
      #expect(read.isLayerSync == (index == 1 || index == 2))
      lastID = read.pictureID
      lastTL0 = read.tl0PictureIndex
    }
  }

  @Test(
    "VP9: references name the last frame up to the layer (RFC 9628 section 4.2)")
  func vp9References() throws {
    var random = SeededRandom(seed: TestSeed.of(4))
    var packetizer = Packetizer(codec: .vp9, maximumPayloadSize: 200, hasTemporalLayers: true, using: &random)
    var ids: [UInt16] = []
    for index in 0..<9 {
      let layer: UInt8 = [0, 2, 1, 2][index % 4]
      var frame = PayloadTrip.encoded(.vp9, 500, isKeyframe: index == 0, layer: layer, random: &random)
      frame.isReference = layer < 2
      let payloads = try PayloadTrip.payloads(frame, &packetizer).map(\.bytes)
      let read = try parseVP9(payloads[0])
      let last = try parseVP9(payloads[payloads.count - 1])
      ids.append(try #require(read.pictureID))
      #expect(read.isFlexible && read.isFrameStart && !read.isFrameEnd && last.isFrameEnd && !last.isFrameStart)
      #expect(read.temporalID == layer)
      if index == 0 {
        #expect(read.resolution?.width == 640 && read.spatialLayerCount == 1 && read.referenceCount == 0)
        #expect(last.spatialLayerCount == nil)
      } else {
        #expect(read.referenceDifference(at: 0) == [4, 1, 2, 1][index % 4], "picture \(index)")
      }
    }
  }

  // Long behind a keyframe.
  @Test("Y of VP8 and U of VP9 are the encoder's (RFC 7741 4.2, RFC 9628 4.2)")
  func switchingPoints() throws {
    var random = SeededRandom(seed: TestSeed.of(12))
    for codec in [Codec.vp8, .vp9] {
      var packetizer = Packetizer(codec: codec, maximumPayloadSize: 1_160, hasTemporalLayers: true, using: &random)
      for index in 0..<40 {
        let layer: UInt8 = [0, 2, 1, 2][index % 4]
        var frame = PayloadTrip.encoded(codec, 20, isKeyframe: index == 0, layer: layer, random: &random)
        frame.isLayerSync = codec == .vp8 ? [1, 2].contains(index % 4) : layer == 0
        let bytes = try PayloadTrip.payloads(frame, &packetizer)[0].bytes
        guard index >= 4 else { continue }
        let said =
          codec == .vp8 ? try VP8Descriptor.parse(bytes.span).isLayerSync : try parseVP9(bytes).isSwitchingUpPoint
        #expect(said == frame.isLayerSync, "\(codec) picture \(index)")
      }
    }
  }

  @Test(
    "H.264: parameter sets are one STAP-A, large slices FU-A (RFC 6184 5.7.1, 5.8)")
  func h264Structure() throws {
    var random = SeededRandom(seed: TestSeed.of(5))
    var packetizer = Packetizer(codec: .h264, maximumPayloadSize: 300, using: &random)
    let frame = PayloadTrip.encoded(.h264, 1_000, isKeyframe: true, random: &random)
    let payloads = try PayloadTrip.payloads(frame, &packetizer).map(\.bytes)
    let kinds = try payloads.map { bytes in try parseH264(bytes) }
    #expect(kinds[0].structure == .aggregation && kinds[0].starts(7) && kinds[0].starts(8) && !kinds[0].starts(5))
    #expect(kinds[1].structure == .fragment(start: true, end: false) && kinds[1].starts(5))
    #expect(kinds.last?.structure == .fragment(start: false, end: true))
    // F and NRI of the aggregate are those of its units.
    #expect(payloads[0][0] == 0x78)
  }

  // Short start codes, too.
  @Test("H.264: delimiters and trailing zeros go, units keep their order (annex B)")
  func annexB() throws {
    var random = SeededRandom(seed: TestSeed.of(6))
    var packetizer = Packetizer(codec: .h264, maximumPayloadSize: 1_000, using: &random)
    let data: [UInt8] = [
      9, 9, 0, 0, 1, 0x09, 0x10, 0, 0, 0, 1, 0x67, 1, 0, 0, 0, 0, 1, 0x68, 2, 0, 0, 1, 0x65, 0, 0, 3, 1, 0, 0,
    ]
    let frame = EncodedFrame(codec: .h264, data: data, timestamp: RTPTimestamp(rawValue: 0))
    let payloads = try PayloadTrip.payloads(frame, &packetizer).map(\.bytes)
    #expect(payloads == [[0x78, 0, 2, 0x67, 1, 0, 2, 0x68, 2, 0, 5, 0x65, 0, 0, 3, 1]])
    let back = try PayloadTrip.frame(.h264, payloads)
    #expect(back.data == [0, 0, 0, 1, 0x67, 1, 0, 0, 0, 1, 0x68, 2, 0, 0, 0, 1, 0x65, 0, 0, 3, 1])
  }

  // A wrong codec, an empty or giant frame, no start code.
  @Test("frames that can't be sent are refused and emit nothing")
  func refused() {
    var random = SeededRandom(seed: TestSeed.of(7))
    func error(_ codec: Codec, _ frame: EncodedFrame) -> PayloadError? {
      var packetizer = Packetizer(codec: codec, maximumPayloadSize: 1_000, using: &random)
      var count = 0
      do throws(PayloadError) {
        try packetizer.packetize(frame) { _, _ in count += 1 }
        return nil
      } catch {
        #expect(count == 0)
        return error
      }
    }
    func frame(_ codec: Codec, _ data: [UInt8]) -> EncodedFrame {
      EncodedFrame(codec: codec, data: data, timestamp: RTPTimestamp(rawValue: 0))
    }
    #expect(error(.vp8, frame(.vp9, [1])) == .unsupported)
    #expect(error(.av1, frame(.av1, [1])) == .unsupported)
    #expect(error(.vp8, frame(.vp8, [])) == .truncated)
    #expect(error(.opus, frame(.opus, [UInt8](repeating: 1, count: 1_001))) == .tooLarge)
    #expect(error(.vp8, frame(.vp8, [UInt8](repeating: 1, count: 8 << 20 + 1))) == .tooLarge)
    #expect(error(.h264, frame(.h264, [1, 2, 3, 4])) == .malformed)
    #expect(error(.h264, frame(.h264, [0, 0, 1, 0x7C, 5])) == .malformed)
  }

  @Test("an Opus packet is one payload without marker, RFC 7587 section 4.2")
  func opus() throws {
    var random = SeededRandom(seed: TestSeed.of(8))
    var packetizer = Packetizer(codec: .opus, maximumPayloadSize: 1_160, using: &random)
    let frame = EncodedFrame(codec: .opus, data: [0x78, 1, 2], timestamp: RTPTimestamp(rawValue: 0))
    let payloads = try PayloadTrip.payloads(frame, &packetizer)
    #expect(payloads.map(\.bytes) == [[0x78, 1, 2]] && payloads.map(\.marker) == [false])
    #expect(try PayloadTrip.frame(.opus, payloads.map(\.bytes)).data == frame.data)
  }
}
