import RTC
import TestSeeds
import Testing

@Suite("VP9 payload descriptor, RFC 9628 section 4.2", .tellsSeeds)
struct VP9DescriptorTests {
  @Test("PictureID, layers and scalability structure are read (RFC 9628 4.2, 4.2.1)")
  func key() throws {
    let descriptor = try parseVP9(PayloadSample.vp9Key)
    #expect(descriptor.pictureID == 0x0123)
    #expect(descriptor.hasLongPictureID)
    #expect(descriptor.temporalID == 0)
    #expect(descriptor.spatialID == 0)
    #expect(descriptor.isSwitchingUpPoint)
    #expect(descriptor.tl0PictureIndex == 0x77)
    #expect(descriptor.spatialLayerCount == 2)
    #expect(descriptor.resolution?.width == 640)
    #expect(descriptor.resolution?.height == 360)
    #expect(descriptor.length == PayloadSample.vp9Key.count - 2)
    #expect(descriptor.isKeyframeStart)
    #expect(isKeyframeStart(.vp9, PayloadSample.vp9Key))
  }

  @Test("flexible references are counted, and a fourth is refused (RFC 9628 4.2)")
  func flexible() throws {
    let descriptor = try parseVP9(PayloadSample.vp9Flexible)
    #expect(descriptor.pictureID == 5)
    #expect(descriptor.isFlexible)
    #expect(descriptor.isInterPicturePredicted)
    #expect(descriptor.referenceCount == 3)
    #expect(descriptor.temporalID == 2)
    #expect(descriptor.spatialID == 1)
    #expect(descriptor.tl0PictureIndex == nil)
    #expect(!descriptor.isKeyframeStart)
    var four = PayloadSample.vp9Flexible
    four[5] |= 1
    #expect(throws: PayloadError.malformed) { try parseVP9(four) }
  }

  @Test("a key picture starts only in the lowest spatial layer's first packet")
  func keyframeLayers() {
    var upper = PayloadSample.vp9Key
    upper[3] |= 0x02
    #expect(!isKeyframeStart(.vp9, upper))
    var later = PayloadSample.vp9Key
    later[0] &= ~0x08
    #expect(!isKeyframeStart(.vp9, later))
    var predicted = PayloadSample.vp9Key
    predicted[0] |= 0x40
    #expect(!isKeyframeStart(.vp9, predicted))
  }

  @Test("rewriting changes picture number and layer-0 index in place, at each width")
  func rewrite() throws {
    var bytes = PayloadSample.vp9Key
    let before = try parseVP9(bytes)
    var span = bytes.mutableSpan
    before.rewrite(pictureID: 0x7ABC, tl0PictureIndex: 4, into: &span)
    #expect(bytes == [0xAA, 0xFA, 0xBC, 0x10, 4] + PayloadSample.vp9Key[5...])
    var short = PayloadSample.vp9Flexible
    let flexible = try parseVP9(short)
    var shortSpan = short.mutableSpan
    flexible.rewrite(pictureID: 0x7ABC, tl0PictureIndex: 4, into: &shortSpan)
    #expect(short == [0xF0, 0x3C] + PayloadSample.vp9Flexible[2...])
  }

  // 255 frames or 8 layers.
  @Test("threat 17: a scalability structure must hold the frames that it claims")
  func threat17() throws {
    let pictures: [UInt8] = [0x0A, 0x08, 255] + [UInt8](repeating: 0x0C, count: 255)
    #expect(throws: PayloadError.truncated) { try parseVP9(pictures) }
    let enough: [UInt8] = [0x0A, 0x08, 255] + [UInt8](repeating: 0x00, count: 256)
    #expect(try parseVP9(enough).length == 258)
    let layers: [UInt8] = [0x0A, 0xF0] + [UInt8](repeating: 1, count: 32)
    #expect(throws: PayloadError.truncated) { try parseVP9(layers) }
    let length = try parseVP9(PayloadSample.vp9Key).length
    for count in 0...length {
      let cut = [UInt8](PayloadSample.vp9Key[..<count])
      #expect(throws: PayloadError.truncated) { try parseVP9(cut) }
    }
  }
}

@Suite("H.264 payload, RFC 6184 section 5", .tellsSeeds)
struct H264PayloadTests {
  @Test("STAP-A is walked and all its NAL units are seen, RFC 6184 section 5.7.1")
  func aggregation() throws {
    let payload = try parseH264(PayloadSample.stapA)
    #expect(payload.structure == .aggregation)
    #expect(payload.starts(H264Payload.sps) && payload.starts(H264Payload.pps) && payload.starts(H264Payload.idr))
    #expect(!payload.starts(1) && !payload.starts(255))
    #expect(payload.isKeyframeStart)
  }

  @Test("only the first fragment starts a NAL unit, RFC 6184 section 5.8")
  func fragments() throws {
    let start = try parseH264(PayloadSample.fuAStart)
    #expect(start.structure == .fragment(start: true, end: false))
    #expect(start.isKeyframeStart)
    let middle = try parseH264(PayloadSample.fuAMiddle)
    #expect(middle.structure == .fragment(start: false, end: false))
    #expect(!middle.isKeyframeStart)
  }

  @Test("a keyframe starts with an IDR slice or parameter set (RFC 6184 5.6)")
  func keyframe() {
    for type in UInt8(0)...31 {
      let bytes: [UInt8] = [0x60 | type, 0, 0]
      #expect(isKeyframeStart(.h264, bytes) == (type == 5 || type == 7))
    }
  }

  @Test("threat 17: empty, oversized and nested NAL units are refused")
  func threat17() {
    for bytes: [UInt8] in [
      [0x78, 0, 0], [0x78, 0, 0, 1], [0x78, 0, 3, 0x67, 1], [0x78, 0, 2, 0x78, 1], [0x7C, 0xC5, 1], [0x7C, 0x9C, 1],
      [0x60, 1], [0x7E, 1],
    ] {
      #expect(throws: PayloadError.self) { try parseH264(bytes) }
    }
    for type: UInt8 in [25, 26, 27, 29] {
      let bytes: [UInt8] = [type, 0, 0, 0, 0]
      #expect(throws: PayloadError.unsupported) { try parseH264(bytes) }
    }
    for count in 0..<PayloadSample.stapA.count where ![6, 10].contains(count) {
      let cut = [UInt8](PayloadSample.stapA[..<count])
      #expect(throws: PayloadError.self, "cut at \(count)") { try parseH264(cut) }
    }
  }
}

@Suite("AV1 aggregation header, AOM RTP payload format section 4.4", .tellsSeeds)
struct AV1AggregationHeaderTests {
  // By a sequence header or the N bit.
  @Test("elements with and without sizes are walked, and keyframes are found")
  func elements() throws {
    let key = try parseAV1(PayloadSample.av1Key)
    #expect(key.elementCount == 3)
    #expect(key.hasSequenceHeader && key.startsCodedVideoSequence && key.isKeyframeStart)
    var withoutN = PayloadSample.av1Key
    withoutN[0] &= ~0x08
    #expect(isKeyframeStart(.av1, withoutN))
    let sized = try parseAV1(PayloadSample.av1Sized)
    #expect(sized.elementCount == 2)
    #expect(!sized.isKeyframeStart)
  }

  @Test("the bytes of a continued OBU are not taken for an OBU header")
  func continued() throws {
    let bytes: [UInt8] = [0x90, 0x08, 1, 2]
    let header = try parseAV1(bytes)
    #expect(header.continuesPrevious && !header.continuesInNext)
    #expect(!header.isKeyframeStart)
  }

  // Sizes past the payload, endless sizes and a wrong count.
  @Test("threat 17: wrong OBU sizes and element counts are refused")
  func threat17() {
    let endless: [UInt8] = [0x00] + [UInt8](repeating: 0x80, count: 9) + [0]
    let huge: [UInt8] = [0x00] + [UInt8](repeating: 0xFF, count: 7) + [0x7F, 1, 2, 3]
    for bytes: [UInt8] in [
      [], [0x10], [0x00, 3, 1, 2], [0x20, 0x85], [0x30, 1, 0x10, 0x30], [0x98, 1, 2], endless, huge, [0x20, 2, 1, 2],
    ] {
      #expect(throws: PayloadError.self, "\(bytes)") { try parseAV1(bytes) }
    }
    let many: [UInt8] = [0x00] + [UInt8](repeating: 0, count: 1_400)
    #expect(throws: Never.self) { try parseAV1(many) }
  }
}

@Suite("Dependency descriptor, AOM RTP payload format appendix A", .tellsSeeds)
struct DependencyDescriptorTests {
  func parse(_ bytes: [UInt8], current: DependencyStructure? = nil) throws(PayloadError) -> DependencyDescriptor {
    try DependencyDescriptor.parse(bytes.span, at: 0..<bytes.count, current: current)
  }

  @Test("the three mandatory bytes are read, appendix A.8.1")
  func mandatory() throws {
    let descriptor = try parse(DependencySample.plain)
    #expect(descriptor.isFrameStart && descriptor.isFrameEnd)
    #expect(descriptor.templateID == 3)
    #expect(descriptor.frameNumber == 0x0102)
    #expect(descriptor.structure == nil)
    #expect(!descriptor.isKeyframeStart)
  }

  @Test("a template structure gives each template's and target's layer (A.8.3)")
  func structure() throws {
    let descriptor = try parse(DependencySample.key)
    #expect(descriptor.isKeyframeStart)
    #expect(descriptor.frameNumber == 0xABCD)
    let structure = try #require(descriptor.structure)
    #expect(structure.templateCount == 5)
    #expect(structure.decodeTargetCount == 3)
    #expect(structure.chainCount == 1)
    #expect(structure.maximumTemporalID == 2)
    #expect(structure.maximumSpatialID == 0)
    // Identifiers run on past 63.
    let temporal = [60, 61, 62, 63, 0].map { structure.layer(ofTemplate: $0)?.temporal }
    #expect(temporal == [0, 0, 1, 2, 2])
    #expect(structure.layer(ofTemplate: 1) == nil)
    #expect(structure.layer(ofTemplate: 59) == nil)
    #expect((0..<3).map { structure.layer(ofDecodeTarget: $0)?.temporal } == [0, 1, 2])
    #expect(structure.layer(ofDecodeTarget: 3) == nil)
    #expect(structure.resolution(ofSpatialLayer: 0)?.width == 1_280)
    #expect(structure.resolution(ofSpatialLayer: 0)?.height == 720)
    #expect(structure.resolution(ofSpatialLayer: 1) == nil)
    #expect(descriptor.activeDecodeTargets == 0b111)
  }

  @Test("the mask of decode targets is read after a structure, and with a known one")
  func activeTargets() throws {
    let first = try parse(DependencySample.make(active: 0b011))
    #expect(first.activeDecodeTargets == 0b011)
    let later: [UInt8] = [0x80, 0, 1, 0b0100_0101]
    #expect(try parse(later, current: first.structure).activeDecodeTargets == 0b101)
    #expect(try parse(later).activeDecodeTargets == nil)
  }

  @Test("threat 17: more templates, layers or bits than the format has are refused")
  func threat17() {
    func structure(_ codes: [Int]) -> [UInt8] {
      var writer = BitWriter()
      writer.put(0x80_0001, 24)
      writer.put(0b10000, 5)
      writer.put(0, 11)
      for code in codes { writer.put(code, 2) }
      return writer.bytes + [UInt8](repeating: 0, count: 200)
    }
    #expect(throws: Never.self) { try parse(structure([Int](repeating: 0, count: 63) + [3])) }
    #expect(throws: PayloadError.malformed) { try parse(structure([Int](repeating: 0, count: 64) + [3])) }
    #expect(throws: PayloadError.malformed) { try parse(structure([Int](repeating: 1, count: 8) + [3])) }
    #expect(throws: PayloadError.malformed) { try parse(structure([Int](repeating: 2, count: 4) + [3])) }
    let all = DependencySample.key
    for count in 0..<all.count where count != 3 {
      let cut = [UInt8](all[..<count])
      #expect(throws: PayloadError.truncated, "cut at \(count)") { try parse(cut) }
    }
    let bytes = all
    #expect(throws: PayloadError.truncated) { try DependencyDescriptor.parse(bytes.span, at: 0..<(bytes.count + 1)) }
    // Endless frame differences end with the bits.
    let ones = [UInt8](repeating: 0xFF, count: 255)
    #expect(throws: PayloadError.self) { try parse(ones) }
  }
}

@Suite("Payloads against hostile bytes", .tellsSeeds)
struct PayloadMutationTests {
  private func readAll(_ bytes: [UInt8]) {
    let span = bytes.span
    for codec in Codec.allCases { _ = Payload.isKeyframeStart(codec: codec, payload: span) }
    _ = try? DependencyDescriptor.parse(span, at: 0..<bytes.count)
    _ = try? OpusPacket.parse(span)
    var copy = bytes
    var mutable = copy.mutableSpan
    if let vp8 = try? VP8Descriptor.parse(span) { vp8.rewrite(pictureID: 1, tl0PictureIndex: 2, into: &mutable) }
    if let vp9 = try? VP9Descriptor.parse(span) { vp9.rewrite(pictureID: 1, tl0PictureIndex: 2, into: &mutable) }
    if let red = try? RED.parse(span) {
      var blocks = red.blocks
      var count = 0
      while let block = blocks.next(in: span) {
        count += 1
        if block.range.upperBound > bytes.count { Issue.record("RED block past the payload \(bytes)") }
      }
      if count != red.blockCount { Issue.record("RED lost a block of \(bytes)") }
    }
  }

  @Test("threat 17: every cut of every sample is read without a trap by every parser")
  func truncation() {
    for sample in PayloadSample.corpus { for count in 0...sample.count { readAll([UInt8](sample[..<count])) } }
  }

  @Test("threat 17: 200,000 mutated payloads are read without a trap by every parser")
  func mutations() {
    var random = SeededRandom(seed: TestSeed.of(17))
    for _ in 0..<200_000 { readAll(random.mutate(random.pick(PayloadSample.corpus))) }
  }
}
