import RTC
import TestSeeds
import Testing

@Suite("RTP header, RFC 3550 section 5.1", .tellsSeeds)
struct RTPHeaderTests {
  @Test("every field of the fixed header is read, RFC 3550 section 5.1")
  func fixedHeader() throws {
    let bytes = RTPSample.packet(csrcs: [11, 22], payload: [9, 8, 7], padding: 5)
    let header = try parseHeader(bytes)
    #expect(header.payloadType.rawValue == 96)
    #expect(header.marker)
    #expect(header.sequenceNumber.rawValue == 0x1234)
    #expect(header.timestamp.rawValue == 0xDEAD_BEEF)
    #expect(header.ssrc.rawValue == 0xCAFE_BABE)
    #expect(header.csrcCount == 2)
    #expect(header.csrc(at: 0, in: bytes.span)?.rawValue == 11)
    #expect(header.csrc(at: 1, in: bytes.span)?.rawValue == 22)
    #expect(header.csrc(at: 2, in: bytes.span) == nil)
    #expect(header.csrc(at: -1, in: bytes.span) == nil)
    #expect(header.payloadOffset == 20)
    #expect(header.payloadLength == 3)
    #expect(header.paddingLength == 5)
    #expect(header.packetLength == bytes.count)
    #expect([UInt8](bytes[header.payloadRange]) == [9, 8, 7])
  }

  @Test("a packet of padding alone is valid, as bandwidth probes are (RFC 3550 5.1)")
  func paddingOnly() throws {
    let header = try parseHeader(RTPSample.packet(payload: [], padding: 255))
    #expect(header.payloadLength == 0)
    #expect(header.paddingLength == 255)
  }

  @Test("before SRTP opens a packet its last byte isn't padding (RFC 3711 3.1)")
  func protectedPacket() throws {
    var bytes = RTPSample.packet(payload: [9, 8, 7], padding: 4)
    let trueEnd = bytes.count
    bytes += [UInt8](repeating: 0xFF, count: 16)
    var header = try RTPHeader.parse(protected: bytes.span)
    #expect(header.hasPadding)
    #expect(header.paddingLength == 0)
    #expect(header.payloadLength == 3 + 4 + 16)
    bytes.removeLast(bytes.count - trueEnd)
    try header.resolvePayload(in: bytes.span)
    #expect(header.payloadLength == 3)
    #expect(header.paddingLength == 4)
  }

  @Test("one-byte elements are found, zeros between them skipped (RFC 8285 4.2)")
  func oneByteElements() throws {
    let bytes = RTPSample.packet(
      extension: (0xBEDE, [0x10, 0x7F, 0, 0, 0x22, 1, 2, 3, 0, 0xEF] + [UInt8](0..<16)))
    let header = try parseHeader(bytes)
    #expect(header.element(1, bytes) == [0x7F])
    #expect(header.element(2, bytes) == [1, 2, 3])
    #expect(header.element(14, bytes) == [UInt8](0..<16))
    #expect(header.element(3, bytes) == nil)
    #expect(header.element(0, bytes) == nil)
  }

  @Test("identifier 15, or 0 with a length, ends the one-byte form (RFC 8285 4.2)")
  func oneByteEnds() throws {
    for stop: UInt8 in [0xF0, 0x01] {
      let bytes = RTPSample.packet(extension: (0xBEDE, [0x10, 0x7F, stop, 5, 0x20, 9]))
      let header = try parseHeader(bytes)
      #expect(header.element(1, bytes) == [0x7F])
      #expect(header.element(2, bytes) == nil)
      #expect(header.element(15, bytes) == nil)
    }
  }

  @Test("two-byte elements are found, also empty and above 14 (RFC 8285 4.3)")
  func twoByteElements() throws {
    for appbits: UInt16 in [0, 7, 15] {
      let bytes = RTPSample.packet(
        extension: (0x1000 | appbits, [1, 0, 0, 200, 3, 7, 8, 9, 15, 20] + [UInt8](0..<20)))
      let header = try parseHeader(bytes)
      #expect(header.element(1, bytes) == [])
      #expect(header.element(200, bytes) == [7, 8, 9])
      #expect(header.element(15, bytes) == [UInt8](0..<20))
    }
  }

  @Test("an extension of another profile is passed over, RFC 3550 section 5.3.1")
  func otherProfile() throws {
    let bytes = RTPSample.packet(extension: (0xABCD, [0x10, 1, 0x20, 2]), payload: [42])
    let header = try parseHeader(bytes)
    #expect(header.element(1, bytes) == nil)
    #expect([UInt8](bytes[header.payloadRange]) == [42])
  }

  // Each by name.
  @Test("threat 14: CSRCs, extension and padding past the packet are refused")
  func threat14() {
    #expect(headerError([]) == .truncated)
    #expect(headerError([UInt8](repeating: 0x80, count: 11)) == .truncated)
    #expect(headerError([UInt8](repeating: 0x40, count: 12)) == .version)
    #expect(headerError([UInt8](repeating: 0x80, count: 65_536)) == .oversized)

    var csrcs = RTPSample.packet(payload: [])
    csrcs[0] |= 0x0F
    #expect(headerError(csrcs) == .contributingSources)

    var noPreamble = RTPSample.packet(payload: [1, 2, 3])
    noPreamble[0] |= 0x10
    #expect(headerError(noPreamble) == .headerExtension)

    var longExtension = RTPSample.packet(extension: (0xBEDE, [0x10, 1, 0, 0]), payload: [1, 2, 3])
    longExtension[15] = 2
    #expect(headerError(longExtension) == .headerExtension)
    longExtension[14] = 0xFF
    #expect(headerError(longExtension) == .headerExtension)

    var padding = RTPSample.packet(payload: [1, 2, 3], padding: 4)
    padding[padding.count - 1] = 7
    #expect(headerError(padding) == nil)
    padding[padding.count - 1] = 8
    #expect(headerError(padding) == .padding)
    padding[padding.count - 1] = 0
    #expect(headerError(padding) == .padding)

    var nothingToPad = RTPSample.packet(payload: [])
    nothingToPad[0] |= 0x20
    #expect(headerError(nothingToPad) == .padding)
  }

  // Though the packet holds the bytes.
  @Test("threat 14: an element past its extension isn't found")
  func threat14Elements() throws {
    for (profile, elements) in [(UInt16(0xBEDE), [UInt8](arrayLiteral: 0x10, 7, 0x2F, 9)), (0x1000, [1, 1, 7, 2])] {
      let bytes = RTPSample.packet(extension: (profile, elements), payload: [UInt8](repeating: 5, count: 40))
      let header = try parseHeader(bytes)
      #expect(header.element(1, bytes) == [7])
      #expect(header.element(2, bytes) == nil)
    }
    let bytes = RTPSample.packet(extension: (0x1000, [1, 1, 7, 0, 2, 200, 1, 1]))
    let header = try parseHeader(bytes)
    #expect(header.element(2, bytes) == nil)
  }

  @Test("a header read from one packet never reads past a shorter one")
  func otherPacket() throws {
    let bytes = RTPSample.corpus[2]
    let header = try parseHeader(bytes)
    for count in 0..<bytes.count {
      let shorter = [UInt8](bytes[..<count])
      var iterator = header.elements
      while let element = iterator.next(in: shorter.span) { #expect(element.range.upperBound <= count) }
      _ = header.csrc(at: 0, in: shorter.span)
    }
  }

  @Test("every cut of a valid packet is refused or stays inside its bytes")
  func truncation() {
    for sample in RTPSample.corpus {
      for count in 0..<sample.count { checkConsistent([UInt8](sample[..<count])) }
    }
  }

  @Test("threat 14: 200,000 mutated packets never trap or yield ranges outside")
  func mutations() {
    var random = SeededRandom(seed: TestSeed.of(14))
    for _ in 0..<200_000 { checkConsistent(random.mutate(random.pick(RTPSample.corpus))) }
  }

  private func checkConsistent(_ bytes: [UInt8]) {
    guard let header = try? parseHeader(bytes) else { return }
    var consistent = header.packetLength == bytes.count && header.payloadLength >= 0 && header.payloadOffset >= 12
    var iterator = header.elements
    var steps = 0
    while let element = iterator.next(in: bytes.span) {
      steps += 1
      if element.id == 0 || element.range.lowerBound < header.extensionOffset
        || element.range.upperBound > header.extensionOffset + header.extensionLength
      {
        consistent = false
      }
    }
    if steps > header.extensionLength { consistent = false }
    if !consistent { Issue.record("inconsistent header \(header) of \(bytes)") }
  }
}
