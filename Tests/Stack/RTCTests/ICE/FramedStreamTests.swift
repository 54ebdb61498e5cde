import RTC
import TestSeeds
import Testing

@Suite("Packets on a byte stream", .tellsSeeds)
struct FramedStreamTests {
  /// Feeds `bytes` in chunks of random size and returns the frames.
  private func frames(
    _ bytes: [UInt8], limit: Int = 2_048, random: inout SeededRandom
  ) throws(FramedStreamError) -> [[UInt8]] {
    var stream = FramedStream(frameLimit: limit)
    var out: [[UInt8]] = []
    var offset = 0
    while offset < bytes.count {
      let chunk = Array(bytes[offset..<min(bytes.count, offset + 1 + random.below(3_000))])
      var taken = 0
      if random.chance(0.5) {
        taken = stream.append(chunk.span)
      } else {
        taken = stream.fill { space in
          let count = min(space.count, chunk.count)
          for index in 0..<count { space[index] = chunk[index] }
          return count
        }
      }
      offset += taken
      while let frame = try stream.nextFrame() {
        let bytes = stream.bytes(of: frame)
        out.append(bytes.indices.map { bytes[$0] })
      }
    }
    return out
  }

  @Test("frames come out whole however the stream is cut, RFC 4571 section 2")
  func arbitraryChunks() throws {
    for seed in 0..<200 as Range<UInt64> {
      var random = SeededRandom(seed: TestSeed.of(seed))
      let packets = (0..<random.below(30)).map { _ in random.bytes(1 + random.below(2_048)) }
      var wire: [UInt8] = []
      for packet in packets {
        wire += FramedStream.framed(packet.span) ?? []
        if random.chance(0.2) { wire += [0, 0] }
      }
      #expect(try frames(wire, random: &random) == packets, "seed \(seed)")
    }
  }

  @Test("a frame longer than the limit is an error before it is buffered")
  func tooLong() {
    var random = SeededRandom(seed: TestSeed.of(1))
    #expect(throws: FramedStreamError.frameTooLong(length: 101, limit: 100)) {
      _ = try frames([0, 101], limit: 100, random: &random)
    }
    #expect(throws: Never.self) {
      _ = try frames([0, 100] + [UInt8](repeating: 1, count: 100), limit: 100, random: &random)
    }
  }

  @Test("a stream that is not read takes no more than its buffer")
  func bounded() {
    var stream = FramedStream(frameLimit: 100)
    let flood = [UInt8](repeating: 1, count: 10_000)
    let first = stream.append(flood.span)
    #expect(first < 300)
    let second = stream.append(flood.span)
    #expect(second == 0)
    let buffered = stream.bufferedCount
    #expect(buffered == first)
  }

  @Test("a frame may change in place, and a lying reader is held to the buffer")
  func inPlace() throws {
    var stream = FramedStream(frameLimit: 16)
    _ = stream.append([0, 3, 1, 2, 3, 0].span)
    let first = try stream.nextFrame()
    let frame = try #require(first)
    do {
      var bytes = stream.bytes(of: frame)
      bytes[0] = 9
    }
    let changed = stream.bytes(of: frame)[0]
    #expect(changed == 9)
    let next = try stream.nextFrame()
    #expect(next == nil)
    let liar = stream.fill { _ in 1_000_000 }
    #expect(liar < 100)
    let negative = stream.fill { _ in -5 }
    #expect(negative == 0)
  }

  @Test("packets too long for the two bytes are refused")
  func header() {
    #expect(FramedStream.header(forLength: 65_536) == nil)
    #expect(FramedStream.header(forLength: -1) == nil)
    #expect(FramedStream.header(forLength: 0x1234).map { [$0.0, $0.1] } == [0x12, 0x34])
    #expect(FramedStream.framed([UInt8](repeating: 0, count: 65_536).span) == nil)
  }
}
