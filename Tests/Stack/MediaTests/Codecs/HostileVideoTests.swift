import Basics
import Media
import RTC
import TestSeeds
import Testing

/// Bytes that no honest encoder made. A decoder may refuse them or show something, but never crash, hang or take absurd
/// memory.
@Suite(.tellsSeeds) struct HostileVideoTests {
  /// A short stream of each codec, small, so that thousands of rounds take seconds.
  static func stream(_ codec: Codec) throws -> [EncodedFrame] {
    if codec == .av1 { return AV1Stream.frames }
    let encoder = try VideoCodecFactory.encoder(
      for: codec, settings: VideoEncoderSettings(width: 96, height: 64, bitrate: .kilobits(300)))
    return try (0..<8).compactMap { index in
      try encoder.encode(TestPicture.frame(index, width: 96, height: 64), forceKeyframe: index == 4)
    }
  }

  @Test(arguments: VideoCodecFactory.decodable) func mutatedFramesNeverCrashADecoder(codec: Codec) throws {
    let stream = try Self.stream(codec)
    var random = SeededGenerator(seed: TestSeed.of(0x5EED + UInt64(codec.rawValue)))
    var decoder = try VideoCodecFactory.decoder(for: codec)
    var refused = 0
    for round in 0..<2_500 {
      if round % 50 == 0 { decoder = try VideoCodecFactory.decoder(for: codec) }
      // A whole keyframe now and then, so that mutated frames after it meet a decoder that is running.
      if round % 5 == 0 { _ = try? decoder.decode(stream[0]) }
      var frame = stream[Int.random(in: 0..<stream.count, using: &random)]
      Self.mutate(&frame.data, &random)
      do {
        if let picture = try decoder.decode(frame) {
          #expect(VideoFrame.isAcceptable(width: picture.width, height: picture.height))
        }
      } catch { refused += 1 }
    }
    #expect(refused > 250)
    // And a decoder that has seen all of it still works.
    let picture = try #require(try decoder.decode(stream[0]))
    #expect(try #require(picture.peakSignalToNoiseRatio(to: Self.original(of: codec))) > 25)
  }

  private static func original(of codec: Codec) -> VideoFrame {
    codec == .av1
      ? TestPicture.frame(0, width: AV1Stream.width, height: AV1Stream.height)
      : TestPicture.frame(0, width: 96, height: 64)
  }

  private static func mutate(_ data: inout [UInt8], _ random: inout SeededGenerator) {
    for _ in 0...Int.random(in: 0..<4, using: &random) {
      guard !data.isEmpty else { return }
      // Headers decide most, so half of the changes go there.
      let reach = Bool.random(using: &random) ? min(data.count, 24) : data.count
      let position = Int.random(in: 0..<reach, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: data[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: data[position] = UInt8.random(in: .min ... .max, using: &random)
      case 2: data[position] = Bool.random(using: &random) ? 0xFF : 0
      case 3: data.removeLast(Int.random(in: 0...data.count, using: &random) / 2)
      case 4: data.insert(contentsOf: data[position..<min(position + 16, data.count)], at: position)
      default: data.removeSubrange(position..<min(position + Int.random(in: 1..<9, using: &random), data.count))
      }
    }
  }

  @Test(arguments: VideoCodecFactory.decodable) func aFrameThatIsCutShortIsReportedAndNotShown(codec: Codec) throws {
    let stream = try Self.stream(codec)
    for part in [0.0, 0.02, 0.1, 0.3, 0.6, 0.9] {
      let decoder = try VideoCodecFactory.decoder(for: codec)
      _ = try decoder.decode(stream[0])
      var cut = stream[1]
      cut.data.removeLast(cut.data.count - Int(Double(cut.data.count) * part))
      #expect(throws: MediaError.self, "\(codec) at \(part)") { try decoder.decode(cut) }
      #expect(decoder.needsKeyframe)
      // The next frame depends on it: refused too, until a keyframe comes.
      #expect(throws: MediaError.self) { try decoder.decode(stream[2]) }
      #expect(try decoder.decode(stream[0]) != nil)
      #expect(!decoder.needsKeyframe)
      #expect(try decoder.decode(stream[1]) != nil)
    }
  }

  @Test(arguments: VideoCodecFactory.decodable) func decodingBeginsWithAKeyframe(codec: Codec) throws {
    let stream = try Self.stream(codec)
    let decoder = try VideoCodecFactory.decoder(for: codec)
    #expect(decoder.needsKeyframe)
    #expect(throws: MediaError.self) { try decoder.decode(stream[1]) }
    #expect(try decoder.decode(stream[0]) != nil)
    #expect(!decoder.needsKeyframe)
  }

  /// Threat 17 of `docs/threats.md`: sizes are refused before memory is taken.
  @Test func absurdSizesAreRefused() throws {
    // VP8: the 14 bits behind the start code (RFC 6386 section 9.1).
    var vp8 = try Self.stream(.vp8)[0]
    vp8.data.replaceSubrange(6..<10, with: [0xFF, 0x3F, 0xFF, 0x3F])
    expectRefusal(vp8, "16383×16383")

    // VP9: 16 bits each behind marker, sync code and colour: bit 36 of a keyframe of profile 0.
    var vp9 = try Self.stream(.vp9)[0]
    for bit in 36..<68 { vp9.data[bit / 8] |= 0x80 >> UInt8(bit % 8) }
    expectRefusal(vp9, "65536×65536")

    // H.264: baseline, 2^15 macroblocks a side (section 7.3.2.1.1): ue(0) ue(0) ue(2) ue(1) 0 ue(32767) ue(32767) 1 …
    let bits =
      "1" + "1" + "011" + "010" + "0" + String(repeating: "0", count: 15) + "1" + String(repeating: "0", count: 15)
      + String(repeating: "0", count: 15) + "1" + String(repeating: "0", count: 15) + "1" + "1" + "0" + "0" + "1"
    var sps: [UInt8] = [0, 0, 0, 1, 0x67, 66, 0xC0, 31]
    var padded = Array(bits)
    while padded.count % 8 != 0 { padded.append("0") }
    var payload: [UInt8] = []
    for start in stride(from: 0, to: padded.count, by: 8) {
      payload.append(UInt8(String(padded[start..<(start + 8)]), radix: 2) ?? 0)
    }
    // Emulation prevention (section 7.3.1).
    var zeros = 0
    for byte in payload {
      if zeros >= 2, byte <= 3 {
        sps.append(3)
        zeros = 0
      }
      sps.append(byte)
      zeros = byte == 0 ? zeros + 1 : 0
    }
    var h264 = try Self.stream(.h264)[0]
    h264.data = sps + h264.data
    expectRefusal(h264, "524288×524288")

    // AV1: the sequence header's sizes (AV1 specification, section 5.5.1) behind profile, flags and one operating
    // point: 4 + 4 bits with their lengths, then the sizes minus one.
    var av1 = try Self.stream(.av1)[0]
    #expect(av1.data[0] == 0x0A)
    let length = Int(av1.data[1])
    var header: [UInt8] = av1.data[2..<(2 + length)].flatMap { byte in (0..<8).map { byte >> UInt8(7 - $0) & 1 } }
    #expect(header[3...6].allSatisfy { $0 == 0 } && header[7...11].allSatisfy { $0 == 0 })
    let start = 29
    func number(_ range: Range<Int>) -> Int { header[range].reduce(0) { $0 << 1 | Int($1) } }
    let (wide, high) = (number(start..<(start + 4)) + 1, number((start + 4)..<(start + 8)) + 1)
    #expect(number((start + 8)..<(start + 8 + wide)) + 1 == AV1Stream.width)
    header.replaceSubrange(start..<(start + 8 + wide + high), with: [UInt8](repeating: 1, count: 40))
    while header.count % 8 != 0 { header.append(0) }
    let packed = Swift.stride(from: 0, to: header.count, by: 8).map { at in
      header[at..<(at + 8)].reduce(UInt8(0)) { $0 << 1 | $1 }
    }
    av1.data.replaceSubrange(0..<(2 + length), with: [0x0A, UInt8(packed.count)] + packed)
    #expect(throws: MediaError.self) { try AV1Decoder().decode(av1) }
  }

  private func expectRefusal(_ frame: EncodedFrame, _ size: String) {
    #expect {
      try VideoCodecFactory.decoder(for: frame.codec).decode(frame)
    } throws: { error in
      (error as? MediaError)?.description.contains("\(size) is not accepted") == true
    }
  }

  @Test(arguments: VideoCodecFactory.decodable) func rubbishIsRefused(codec: Codec) throws {
    var random = SeededGenerator(seed: TestSeed.of(7))
    let decoder = try VideoCodecFactory.decoder(for: codec)
    for length in 0..<200 {
      let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      let frame = EncodedFrame(codec: codec, data: bytes, timestamp: .init(rawValue: 0))
      #expect(throws: MediaError.self) {
        if try decoder.decode(frame) == nil { throw MediaError.invalid("no picture") }
      }
    }
  }
}
