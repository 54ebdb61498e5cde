import TestSeeds
import TestVectors
import Testing

@testable import Encryption

@Suite("SFrame headers", .tellsSeeds)
struct SFrameHeaderTests {
  private func read(_ bytes: [UInt8]) throws(SFrameError) -> SFrameHeader { try SFrameHeader(reading: bytes.span) }

  private func written(_ header: SFrameHeader) -> [UInt8] {
    let bytes = header.bytes
    return (0..<header.length).map { bytes[$0] }
  }

  struct Header: Decodable {
    let kid: UInt64
    let ctr: UInt64
    let encoded: Hex
  }

  @Test("bad input 1: the 289 headers of RFC 9605 appendix C are written and read")
  func published() throws {
    let headers = try vectors(SFrameVectors.self, "sframe.json").header
    #expect(headers.count == 289)
    for each in headers {
      let header = SFrameHeader(keyID: each.kid, counter: each.ctr)
      #expect(written(header) == each.encoded.bytes)
      #expect(try read(each.encoded.bytes) == header)
      // The bytes behind it belong to the ciphertext.
      #expect(try read(each.encoded.bytes + [1, 2, 3]) == header)
    }
  }

  @Test("bad input 1: a header that is cut is refused")
  func cut() throws {
    for each in try vectors(SFrameVectors.self, "sframe.json").header {
      for count in 0..<each.encoded.bytes.count {
        #expect(throws: SFrameError.malformedHeader) { _ = try read(Array(each.encoded.bytes.prefix(count))) }
      }
    }
  }

  @Test(
    "bad input 1: a number that is longer than it needs to be is refused",
    arguments: [
      [0x80, 0x07], [0x08, 0x07], [0x90, 0x00, 0x08], [0x09, 0x00, 0xFF], [0x80, 0x00], [0x0F, 0, 0, 0, 0, 0, 0, 0, 1],
      [0xA0, 0x00, 0xFF, 0xFF], [0x88, 0x09, 0x01],
    ] as [[UInt8]])
  func notShortest(bytes: [UInt8]) {
    #expect(throws: SFrameError.malformedHeader) { _ = try read(bytes + [9, 9, 9]) }
  }

  @Test("a header that is read from any bytes is written the same")
  func fuzz() {
    var random = SeededRandom(seed: TestSeed.of(1))
    var count = 0
    for _ in 0..<200_000 {
      let bytes = random.bytes(random.below(20))
      guard let header = try? read(bytes) else { continue }
      count += 1
      #expect(written(header) == Array(bytes.prefix(header.length)))
    }
    #expect(count > 1_000)
  }
}
