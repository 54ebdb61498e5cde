import RTC
import TestSeeds
import Testing

@Suite("Payloads to frames", .tellsSeeds)
struct FrameDepacketizerTests {
  // The temporal delimiter goes.
  @Test("AV1: elements get sizes, fragments are joined (AOM RTP payload 4.3 to 4.5)")
  func av1() throws {
    let header: [UInt8] = [0x08] + sequenceHeader
    let frame = [UInt8](repeating: 0x10, count: 300)
    // W = 3: temporal delimiter, sequence header, start of a frame; then the rest of it, and padding behind.
    let first: [UInt8] = [0x78, 1, 0x10, UInt8(header.count)] + header + [0x30] + frame[..<200]
    let second: [UInt8] = [0x80 | 0x20, 100] + frame[200...] + [0x78, 1, 2]
    let out = try PayloadTrip.frame(.av1, [first, second])
    #expect(out.data == [0x0A, UInt8(sequenceHeader.count)] + sequenceHeader + [0x32, 0xAC, 0x02] + frame)
    #expect(out.isKeyframe)
    #expect(out.width == 640 && out.height == 360)
  }

  @Test("AV1: an OBU that has its size keeps it, with its extension and its layer")
  func av1Sized() throws {
    let out = try PayloadTrip.frame(.av1, [[0x10, 0x36, 0x48, 3, 0x30, 1, 2]])
    #expect(out.data == [0x36, 0x48, 3, 0x30, 1, 2])
    #expect(!out.isKeyframe && out.temporalID == 2)
  }

  @Test("AV1: a sequence header before an inter frame isn't a keyframe (AV1 5.9.2)")
  func av1Inter() throws {
    let header: [UInt8] = [0x08] + sequenceHeader
    let out = try PayloadTrip.frame(.av1, [[0x20, UInt8(header.count)] + header + [0x30, 0x30, 1]])
    #expect(!out.isKeyframe)
  }

  // A browser seals each layer by itself, and what is sealed looks like no frame header.
  @Test("VP9: an encrypted frame begins and ends layers by its descriptor (RFC 9628 4.2)")
  func encryptedLayers() throws {
    let low = [UInt8](repeating: 0xFF, count: 30)
    let high = [UInt8](repeating: 0xEE, count: 50)
    var depacketizer = FrameDepacketizer(codec: .vp9, isEncrypted: true)
    let payloads: [[UInt8]] = [[0x2C, 0x00, 0] + low, [0x28, 0x03, 0] + high[..<20], [0x24, 0x03, 0] + high[20...]]
    for payload in payloads { try depacketizer.append(payload.span) }
    let out = try depacketizer.finish(timestamp: RTPTimestamp(rawValue: 1), time: .zero)
    #expect(out.data == low + high && out.layerEnds == [30, 80] && out.isKeyframe && out.width == 0)
    // One that refers to another isn't a keyframe, and has one layer.
    let later: [UInt8] = [0x6C, 0x00, 0] + low
    try depacketizer.append(later.span)
    let next = try depacketizer.finish(timestamp: RTPTimestamp(rawValue: 2), time: .zero)
    #expect(next.layerEnds.isEmpty && !next.isKeyframe)
    let whole = payloads[0]
    for _ in 0..<8 { try depacketizer.append(whole.span) }
    #expect(throws: PayloadError.malformed) { try depacketizer.append(whole.span) }
  }

  @Test("missing, doubled and foreign parts are refused")
  func continuity() throws {
    for codec in [Codec.vp8, .vp9, .h264] {
      var random = SeededRandom(seed: TestSeed.of(9))
      var packetizer = Packetizer(codec: codec, maximumPayloadSize: 200, using: &random)
      let frame = PayloadTrip.encoded(codec, 900, isKeyframe: false, random: &random)
      let payloads = try PayloadTrip.payloads(frame, &packetizer).map(\.bytes)
      #expect(throws: PayloadError.incomplete) { try PayloadTrip.frame(codec, [payloads[1]]) }
      #expect(throws: PayloadError.incomplete) { try PayloadTrip.frame(codec, [payloads[0], payloads[0]]) }
      #expect(throws: PayloadError.incomplete) { try PayloadTrip.frame(codec, []) }
      if codec != .vp8 {
        #expect(throws: PayloadError.incomplete) { try PayloadTrip.frame(codec, payloads.dropLast()) }
      }
    }
    #expect(throws: PayloadError.incomplete) { try PayloadTrip.frame(.av1, [[0x50, 0x30, 1]]) }
    #expect(throws: PayloadError.incomplete) { try PayloadTrip.frame(.av1, [[0x90, 0x30, 1]]) }
  }

  @Test("threat 17: frames over 8 MiB, 4,096 units or OBU bounds are refused")
  func threat17() throws {
    var depacketizer = FrameDepacketizer(codec: .vp8)
    let start = [UInt8]([0x10, 0x10]) + [UInt8](repeating: 1, count: 60_000)
    var rest = start
    rest[0] = 0
    try depacketizer.append(start.span)
    #expect(throws: PayloadError.tooLarge) { for _ in 0..<200 { try depacketizer.append(rest.span) } }
    // 4,097 units of one byte.
    var aggregate: [UInt8] = [0x78]
    for _ in 0..<4_097 { aggregate += [0, 1, 0x41] }
    #expect(throws: PayloadError.tooLarge) { try PayloadTrip.frame(.h264, [aggregate]) }
    var elements: [UInt8] = [0x00]
    for _ in 0..<4_097 { elements += [1, 0x28] }
    #expect(throws: PayloadError.tooLarge) { try PayloadTrip.frame(.av1, [elements]) }
    #expect(throws: PayloadError.malformed) { try PayloadTrip.frame(.av1, [[0x10, 0x32, 9, 1]]) }
    #expect(throws: PayloadError.malformed) { try PayloadTrip.frame(.av1, [[0x10, 0xB0, 1]]) }
    #expect(throws: PayloadError.truncated) { try PayloadTrip.frame(.av1, [[0x10, 0x34]]) }
  }

  // Of every codec, and within the limit.
  @Test("threat 17: 100,000 damaged frames come back whole or not at all")
  func mutations() throws {
    var random = SeededRandom(seed: TestSeed.of(170))
    var frames: [(Codec, [[UInt8]])] = []
    for codec in [Codec.vp8, .vp9, .h264] {
      for isKeyframe in [true, false] {
        var packetizer = Packetizer(codec: codec, maximumPayloadSize: 120, using: &random)
        let frame = PayloadTrip.encoded(codec, 400, isKeyframe: isKeyframe, random: &random)
        frames.append((codec, try PayloadTrip.payloads(frame, &packetizer).map(\.bytes)))
      }
    }
    let header: [UInt8] = [0x08] + sequenceHeader
    frames.append((.av1, [[0x68, UInt8(header.count)] + header + [0x30, 0x10, 1, 2], [0x90, 3, 4, 5]]))
    frames.append((.av1, [PayloadSample.av1Key, PayloadSample.av1Sized]))
    frames.append(
      (
        .h264,
        [[0x78, 0, UInt8(PayloadTrip.sps.count)] + PayloadTrip.sps, PayloadSample.fuAStart, PayloadSample.fuAMiddle]
      ))
    frames.append((.vp9, [PayloadSample.vp9Key]))
    var whole = 0
    for _ in 0..<100_000 {
      var (codec, payloads) = random.pick(frames)
      let index = random.below(payloads.count)
      payloads[index] = random.mutate(payloads[index])
      if random.chance(0.1) { payloads.remove(at: random.below(payloads.count)) }
      if let frame = try? PayloadTrip.frame(codec, payloads) {
        whole += 1
        let size = payloads.reduce(0) { $0 + $1.count }
        if frame.data.count > 5 * size + 16 { Issue.record("\(codec) grew from \(size) to \(frame.data.count)") }
      }
      for payload in payloads where codec == .vp9 {
        _ = (try? VP9Descriptor.parse(payload.span))?.pictureGroup(in: payload.span)
      }
    }
    // Otherwise nothing behind the first check would have been tried.
    #expect(whole > 10_000)
  }

  @Test("a VP9 keyframe's group of frames gives each frame's references (RFC 9628 4.2.1)")
  func pictureGroup() throws {
    let bytes = PayloadSample.vp9Key
    let group = try #require(try VP9Descriptor.parse(bytes.span).pictureGroup(in: bytes.span))
    #expect(group.pictures.count == 2)
    #expect(group.pictures.map(\.references.count) == [1, 2])
    #expect(group.pictures[0].references[0] == 1 && group.pictures[1].references[1] == 2)
  }

  @Test("AV1 references are read from templates and descriptors (AOM A.8)")
  func references() throws {
    let key = DependencySample.key
    let structure = try #require(try DependencyDescriptor.parse(key.span, at: 0..<key.count).structure)
    let differences = (0..<5).map { structure.references(ofTemplate: UInt8((60 + $0) & 63)) }
    #expect(differences.map { $0?.count } == [0, 1, 1, 1, 1])
    #expect(differences.map { $0?[0] } == [0, 4, 2, 1, 1])
    // Template 61, own differences 1 and 300: sizes 1 and 3.
    var w = BitWriter()
    w.put(0xC0 | 61, 8)
    w.put(9, 16)
    w.put(0b00010, 5)
    w.put(1, 2)
    w.put(0, 4)
    w.put(3, 2)
    w.put(299, 12)
    w.put(0, 2)
    let bytes = w.bytes
    let read = try DependencyDescriptor.parse(bytes.span, at: 0..<bytes.count, current: structure)
    #expect(read.references?.count == 2 && read.references?[0] == 1 && read.references?[1] == 300)
    #expect(read.layer == LayerID(spatial: 0, temporal: 0))
    #expect(try DependencyDescriptor.parse(bytes.span, at: 0..<bytes.count).references == nil)
  }

  /// Profile 0, one operating point, ten bits for each dimension: 640 by 360.
  private let sequenceHeader: [UInt8] = {
    var w = BitWriter()
    w.put(0, 3 + 2 + 2 + 5 + 12)
    w.put(4, 5)
    w.put(9, 4)
    w.put(9, 4)
    w.put(639, 10)
    w.put(359, 10)
    return w.bytes
  }()
}
