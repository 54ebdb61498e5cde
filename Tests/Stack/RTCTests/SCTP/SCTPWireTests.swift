import Basics
import TestSeeds
import Testing

@testable import RTC

/// Bytes on the wire, checked by hand against RFC 9260 section 3, RFC 3758, RFC 6525 and RFC 8832.
@Suite("SCTP on the wire", .tellsSeeds)
struct SCTPWireTests {
  private static func crc(_ bytes: [UInt8]) -> UInt32 { CRC32c.checksum(bytes.span) }
  private static func parse(_ bytes: [UInt8], _ maximumName: Int) -> DCEPMessage? {
    DCEPMessage(parsing: bytes.span, maximumName: maximumName)
  }

  /// RFC 3720 appendix B.4 and the check value of the CRC-32C.
  @Test func crc32cHasTheKnownValues() {
    #expect(Self.crc(Array("123456789".utf8)) == 0xE306_9283)
    #expect(Self.crc([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
    #expect(Self.crc([UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
    #expect(Self.crc([UInt8](0..<32)) == 0x46DD_794E)
    #expect(Self.crc([UInt8]((0..<32).reversed())) == 0x113F_DB5C)
    #expect(Self.crc([UInt8]()) == 0)
  }

  @Test func crc32cOfAPacketCountsItsOwnFieldAsZero() {
    var random = SeededRandom(seed: TestSeed.of(1))
    for length in 12..<80 {
      var packet = random.bytes(length)
      let crc = CRC32c.ofPacket(packet.span)
      for index in 8..<12 { packet[index] = 0 }
      #expect(crc == Self.crc(packet), "length \(length)")
    }
  }

  @Test func initHasTheBytesOfTheStandard() throws {
    var end = DataChannelTransport(dtlsRole: .client, random: SeededRandom(seed: 3))
    end.start(now: .zero)
    let polled = end.pollTransmit()
    let packet = try #require(polled)
    let tag = end.association.localTag
    let tsn = end.association.localInitialTSN
    // Ports 5000, tag 0, then INIT of 20 + 4 (FORWARD TSN supported) + 6 bytes (supported extensions).
    #expect(Array(packet[0..<8]) == [0x13, 0x88, 0x13, 0x88, 0, 0, 0, 0])
    let body: [UInt8] =
      [1, 0, 0, 30] + Chunks.u32(tag) + [0, 0x10, 0, 0] + [4, 0, 4, 0] + Chunks.u32(tsn)
      + [0xC0, 0, 0, 4] + [0x80, 0x08, 0, 6, 130, 192] + [0, 0]
    #expect(Array(packet[12...]) == body)
    #expect(tag != 0)
    #expect(end.pollTransmit() == nil)
  }

  @Test func dataChunkAndDCEPOpenHaveTheBytesOfTheStandard() throws {
    let link = DataChannelLink()
    var sent: [[UInt8]] = []
    link.tap = { end, packet in
      if end == .client { sent.append(packet) }
      return packet
    }
    let options = DataChannelOptions(
      label: "chat", protocol: "p", ordered: false, maxRetransmits: 5, priority: 512)
    _ = try link.client.open(options, now: link.now)
    link.run(for: .milliseconds(100))
    let data = try #require(sent.flatMap(Chunks.parse).first { $0.type == 0 })
    #expect(data.flags == 3)
    let open: [UInt8] = [3, 0x81, 2, 0, 0, 0, 0, 5, 0, 4, 0, 1] + Array("chatp".utf8)
    #expect(
      data.value == Chunks.u32(link.client.association.localInitialTSN) + [0, 0, 0, 0] + [0, 0, 0, 50] + open)
    // The other end understood the same.
    guard case .opened(_, let seen)? = link.serverEvents.last else {
      Issue.record("no channel")
      return
    }
    #expect(seen == options)
  }

  @Test func sackHasTheBytesOfTheStandard() throws {
    let link = DataChannelLink.connected()
    var end = link.server
    let next = end.nextExpectedTSN
    end.receive(end.forged(Chunks.data(tsn: next, [1])), now: link.now)
    end.receive(end.forged(Chunks.data(tsn: next &+ 2, [1])), now: link.now)
    end.receive(end.forged(Chunks.data(tsn: next &+ 3, [1])), now: link.now)
    end.receive(end.forged(Chunks.data(tsn: next &+ 6, [1])), now: link.now)
    end.receive(end.forged(Chunks.data(tsn: next, [1])), now: link.now)
    let packets = end.drain()
    let sack = try #require(packets.last.flatMap { Chunks.parse($0).first { $0.type == 3 } })
    // Nothing is held: each chunk was a whole message on a stream without a channel.
    let expected =
      Chunks.u32(next) + Chunks.u32(UInt32(end.association.receiveWindow)) + [0, 2, 0, 1] + [0, 2, 0, 3, 0, 6, 0, 6]
      + Chunks.u32(next)
    #expect(sack.value == expected)
  }

  @Test func streamResetHasTheBytesOfTheStandard() throws {
    let link = DataChannelLink.connected()
    let id = try link.client.open(DataChannelOptions(label: "a", negotiatedID: 6), now: link.now)
    _ = try link.server.open(DataChannelOptions(label: "a", negotiatedID: 6), now: link.now)
    link.flush()
    link.client.close(id, now: link.now)
    let polled = link.client.pollTransmit()
    let packet = try #require(polled)
    let chunk = try #require(Chunks.parse(packet).first)
    #expect(chunk.type == 130)
    let initial = link.client.association.localInitialTSN
    // Nothing was sent, so the last assigned TSN is the one before the initial.
    #expect(
      chunk.value == [0, 13, 0, 18] + Chunks.u32(initial) + [0, 0, 0, 0] + Chunks.u32(initial &- 1) + [0, 6])
  }

  /// RFC 8832 section 5.1.
  @Test func dcepRoundTripsEveryKind() {
    var kinds: [DataChannelOptions] = []
    for ordered in [true, false] {
      kinds.append(DataChannelOptions(label: "é", protocol: "", ordered: ordered))
      kinds.append(DataChannelOptions(label: "", protocol: "x", ordered: ordered, maxRetransmits: 65_535))
      kinds.append(DataChannelOptions(ordered: ordered, maxLifetime: .milliseconds(3_000_000), priority: 1_024))
    }
    for kind in kinds {
      let bytes = DCEPMessage.open(kind).bytes
      #expect(Self.parse(bytes, 64) == .open(kind))
      #expect(Self.parse(Array(bytes.dropLast(1)), 64) == nil)
      #expect(Self.parse((bytes + [0]), 64) == nil)
    }
    #expect(Self.parse([UInt8](), 64) == nil)
    #expect(Self.parse([2], 64) == .acknowledge)
    #expect(Self.parse(Chunks.open(type: 3), 64) == nil)
    #expect(Self.parse(Chunks.open("long"), 3) == nil)
  }
}
