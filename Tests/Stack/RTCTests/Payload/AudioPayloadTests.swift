import Basics
import RTC
import Testing

@Suite("Redundant audio, RFC 2198 section 3")
struct REDTests {
  private func blocks(_ bytes: [UInt8]) throws -> [REDBlock] {
    let red = try RED.parse(bytes.span)
    var iterator = red.blocks
    var out: [REDBlock] = []
    while let block = iterator.next(in: bytes.span) { out.append(block) }
    #expect(out.count == red.blockCount)
    return out
  }

  @Test("redundant blocks come with their age, the primary block last, RFC 2198 section 3")
  func read() throws {
    let bytes = PayloadSample.red
    let blocks = try blocks(bytes)
    #expect(blocks.map(\.timestampOffset) == [0x1E00 >> 2, 0x0F00 >> 2, 0])
    #expect(blocks.map { [UInt8](bytes[$0.range]) } == [[1, 2], [3, 4, 5], [6, 7, 8, 9]])
    #expect(blocks.map(\.isPrimary) == [false, false, true])
    #expect(blocks.allSatisfy { $0.payloadType.rawValue == 111 })
  }

  @Test("a packet without redundancy is one primary block")
  func primaryOnly() throws {
    #expect(try blocks([0x6F, 1, 2]).map(\.range) == [1..<3])
    #expect(try blocks([0x6F]).map(\.range) == [1..<1])
  }

  @Test("threat 17: endless headers and blocks longer than the payload are refused")
  func threat17() {
    let endless = [UInt8](repeating: 0x80, count: 400)
    #expect(throws: PayloadError.malformed) { try RED.parse(endless.span) }
    for bytes: [UInt8] in [[], [0x80], [0x80, 0, 0, 0], [0xEF, 0, 0x03, 0xFF, 0x6F, 1]] {
      #expect(throws: PayloadError.truncated) { try RED.parse(bytes.span) }
    }
  }
}

@Suite("Opus packet, RFC 6716 section 3.1")
struct OpusPacketTests {
  @Test("configuration, channels and frames give the duration, RFC 6716 section 3.1")
  func durations() throws {
    let expected: [Int64] =
      [10, 20, 40, 60, 10, 20, 40, 60, 10, 20, 40, 60, 10, 20, 10, 20].map { $0 * 1_000 }
      + [
        2_500, 5_000, 10_000, 20_000, 2_500, 5_000, 10_000, 20_000, 2_500, 5_000, 10_000, 20_000, 2_500, 5_000, 10_000,
        20_000,
      ]
    for configuration in 0..<32 {
      let bytes = [UInt8(configuration << 3 | 4), 0]
      let packet = try OpusPacket.parse(bytes.span)
      #expect(packet.frameDuration.microseconds == expected[configuration])
      #expect(packet.isStereo)
      #expect(packet.frameCount == 1)
    }
    let two = try OpusPacket.parse([UInt8(31 << 3 | 1), 0].span)
    #expect(two.duration == .milliseconds(40))
    let counted = try OpusPacket.parse([UInt8(31 << 3 | 3), 0xC0 | 6].span)
    #expect(counted.duration == .milliseconds(120))
  }

  @Test("threat 17: no frames or more than 120 ms are refused, RFC 6716 section 3.4")
  func refused() {
    for bytes: [UInt8] in [[], [3], [3, 0], [31 << 3 | 3, 7], [3 << 3 | 3, 3], [16 << 3 | 3, 63]] {
      #expect(throws: PayloadError.self) { try OpusPacket.parse(bytes.span) }
    }
  }

  @Test("a payload of up to two bytes is silence, RFC 7587 section 3.1.3")
  func silence() {
    #expect((0...4).map { OpusPacket.isDiscontinuous(payloadLength: $0) } == [true, true, true, false, false])
  }
}
