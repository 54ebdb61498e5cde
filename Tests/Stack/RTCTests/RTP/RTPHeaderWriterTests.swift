import RTC
import TestSeeds
import Testing

@Suite("RTP header writer, RFC 8285", .tellsSeeds)
struct RTPHeaderWriterTests {
  struct Element {
    var id: UInt8
    var bytes: [UInt8]
  }

  func write(_ elements: [Element], twoByte: Bool = false, capacity: Int = 600) throws(RTPError) -> [UInt8] {
    var buffer = [UInt8](repeating: 0xEE, count: capacity)
    var span = buffer.mutableSpan
    var writer = RTPHeaderWriter()
    try writer.begin(
      payloadType: PayloadType(rawValue: 111), marker: true, sequenceNumber: SequenceNumber(rawValue: 0xFFFE),
      timestamp: RTPTimestamp(rawValue: 0x0102_0304), ssrc: SSRC(rawValue: 0xA0B0_C0D0), twoByte: twoByte,
      into: &span)
    for element in elements { try writer.append(id: element.id, bytes: element.bytes.span, into: &span) }
    let length = try writer.finish(into: &span)
    return [UInt8](buffer[..<length])
  }

  @Test("a written header reads back, and without elements there is no extension")
  func plain() throws {
    let bytes = try write([])
    #expect(bytes.count == 12)
    let header = try parseHeader(bytes)
    #expect(header.payloadType.rawValue == 111)
    #expect(header.marker)
    #expect(header.sequenceNumber.rawValue == 0xFFFE)
    #expect(header.timestamp.rawValue == 0x0102_0304)
    #expect(header.ssrc.rawValue == 0xA0B0_C0D0)
    #expect(header.extensionProfile == 0)
  }

  @Test("elements to 16 bytes, identifiers to 14: the one-byte form (RFC 8285 4.2)")
  func oneByte() throws {
    let elements = [
      Element(id: 1, bytes: [1]), Element(id: 14, bytes: [UInt8](0..<16)), Element(id: 7, bytes: [1, 2, 3]),
    ]
    let bytes = try write(elements)
    let header = try parseHeader(bytes)
    #expect(header.extensionProfile == 0xBEDE)
    #expect(bytes.count % 4 == 0)
    for element in elements { #expect(header.element(element.id, bytes) == element.bytes) }
  }

  // At any position.
  @Test("one larger element changes all to the two-byte form (RFC 8285 4.3)")
  func changesForm() throws {
    for needy in [
      Element(id: 15, bytes: [1]), Element(id: 3, bytes: []), Element(id: 3, bytes: [UInt8](0..<17)),
      Element(id: 255, bytes: [UInt8](0..<255)),
    ] {
      for position in 0...5 {
        var elements = (0..<5).map {
          Element(id: UInt8(5 + $0), bytes: [UInt8](repeating: UInt8($0), count: 1 + 3 * $0))
        }
        elements.insert(needy, at: position)
        let bytes = try write(elements)
        let header = try parseHeader(bytes)
        #expect(header.extensionProfile == 0x1000)
        for element in elements { #expect(header.element(element.id, bytes) == element.bytes) }
        #expect(try write(elements, twoByte: true) == bytes)
      }
    }
  }

  @Test("fixed-size, text and copied elements come out as their bytes")
  func typedElements() throws {
    let source: [UInt8] = [9, 8, 7, 6, 5]
    let text = try #require(HeaderExtensionText("audio-0"))
    var buffer = [UInt8](repeating: 0, count: 100)
    var span = buffer.mutableSpan
    var writer = RTPHeaderWriter()
    try writer.begin(
      payloadType: PayloadType(rawValue: 0), marker: false, sequenceNumber: SequenceNumber(rawValue: 0),
      timestamp: RTPTimestamp(rawValue: 0), ssrc: SSRC(rawValue: 0), hasPadding: true, into: &span)
    try writer.append(id: 1, uint8: 0xAB, into: &span)
    try writer.append(id: 2, uint16: 0x0102, into: &span)
    try writer.append(id: 3, uint24: 0xFF03_0405, into: &span)
    try writer.append(id: 4, text: text, into: &span)
    try writer.append(id: 5, copying: 1..<4, of: source.span, into: &span)
    let length = try writer.finish(into: &span)
    let bytes = [UInt8](buffer[..<length]) + [0, 2]
    let header = try parseHeader(bytes)
    #expect(header.paddingLength == 2)
    #expect(header.element(1, bytes) == [0xAB])
    #expect(header.element(2, bytes) == [1, 2])
    #expect(header.element(3, bytes) == [3, 4, 5])
    #expect(header.element(4, bytes) == [UInt8]("audio-0".utf8))
    #expect(header.element(5, bytes) == [8, 7, 6])
  }

  @Test("a buffer of every length below the needed one is refused without a trap")
  func smallBuffers() throws {
    let elements = [Element(id: 1, bytes: [1, 2]), Element(id: 2, bytes: [3]), Element(id: 20, bytes: [4])]
    let needed = try write(elements).count
    for capacity in 0..<needed {
      #expect(throws: RTPError.bufferTooSmall) { try write(elements, capacity: capacity) }
    }
    #expect(try write(elements, capacity: needed).count == needed)
  }

  @Test("identifier 0 and elements above 255 bytes are refused")
  func refused() {
    #expect(throws: RTPError.elementID) { try write([Element(id: 0, bytes: [1])]) }
    #expect(throws: RTPError.elementLength) { try write([Element(id: 1, bytes: [UInt8](repeating: 0, count: 256))]) }
  }

  @Test("random sets of elements survive writing and reading")
  func random() throws {
    var random = SeededRandom(seed: TestSeed.of(8285))
    for _ in 0..<2_000 {
      var ids = Set<UInt8>()
      var elements: [Element] = []
      for _ in 0..<random.below(8) {
        let id = UInt8(1 + random.below(random.chance(0.2) ? 255 : 14))
        guard ids.insert(id).inserted else { continue }
        elements.append(
          Element(id: id, bytes: random.bytes(random.chance(0.1) ? random.below(60) : 1 + random.below(16))))
      }
      let bytes = try write(elements)
      let header = try parseHeader(bytes)
      for element in elements where header.element(element.id, bytes) != element.bytes {
        Issue.record("lost element \(element) of \(elements)")
      }
    }
  }
}

@Suite("RTP header extension values", .tellsSeeds)
struct HeaderExtensionValueTests {
  @Test("every kind is found by its URI, and URIs differ")
  func uris() {
    for kind in HeaderExtensionKind.allCases { #expect(HeaderExtensionKind(uri: kind.uri) == kind) }
    #expect(Set(HeaderExtensionKind.allCases.map(\.uri)).count == HeaderExtensionKind.allCases.count)
    #expect(HeaderExtensionKind(uri: "urn:nothing") == nil)
    #expect(HeaderExtensionKind.allCases.count <= 16)
  }

  @Test("the map finds identifiers by kind and kinds by identifier")
  func map() {
    var map = HeaderExtensionMap()
    #expect(map[.mid] == nil)
    #expect(map.kind(forID: 0) == nil)
    for (index, kind) in HeaderExtensionKind.allCases.enumerated() { map[kind] = UInt8(index + 1) }
    for (index, kind) in HeaderExtensionKind.allCases.enumerated() {
      #expect(map[kind] == UInt8(index + 1))
      #expect(map.kind(forID: UInt8(index + 1)) == kind)
    }
    #expect(!map.needsTwoByteForm)
    map[.mid] = 15
    #expect(map.needsTwoByteForm)
    map[.mid] = nil
    #expect(map.kind(forID: 15) == nil)
  }

  @Test("the audio level keeps its voice bit and 127 steps, RFC 6464 section 3")
  func audioLevel() {
    for byte in UInt8.min...UInt8.max {
      let level = AudioLevel([byte].span, at: 0..<1)
      #expect(level?.encoded == byte)
      #expect(level?.decibelsBelowFullScale == byte & 0x7F)
    }
    #expect(AudioLevel([1].span, at: 0..<0) == nil)
    #expect(AudioLevel([1].span, at: 1..<2) == nil)
  }

  @Test("values outside the packet or of the wrong size are nil")
  func wrongSizes() {
    let bytes: [UInt8] = [1, 2, 3, 4]
    #expect(AbsSendTime(bytes.span, at: 0..<3)?.rawValue == 0x01_0203)
    #expect(AbsSendTime(bytes.span, at: 0..<2) == nil)
    #expect(AbsSendTime(bytes.span, at: 2..<5) == nil)
    #expect(TransportSequenceNumber.parse(bytes.span, at: 2..<4)?.rawValue == 0x0304)
    #expect(TransportSequenceNumber.parse(bytes.span, at: 3..<4) == nil)
    #expect(TransportSequenceNumber.parse(bytes.span, at: 3..<5) == nil)
    #expect(HeaderExtensionText(bytes.span, at: 0..<5) == nil)
    #expect(HeaderExtensionText("") == nil)
    #expect(HeaderExtensionText("12345678901234567") == nil)
    #expect(HeaderExtensionText("1234567890123456")?.text == "1234567890123456")
  }
}
