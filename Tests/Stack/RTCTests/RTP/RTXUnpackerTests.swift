import RTC
import Testing

@Suite("Retransmission, RFC 4588 section 4")
struct RTXUnpackerTests {
  private func unpack(_ bytes: inout [UInt8]) throws(RTPError) -> RTPHeader? {
    let header = try parseHeader(bytes)
    var span = bytes.mutableSpan
    return try RTXUnpacker.unpack(
      &span, header: header, ssrc: SSRC(rawValue: 0x0102_0304), payloadType: PayloadType(rawValue: 101))
  }

  @Test("the original packet comes back byte for byte, without padding (RFC 4588 4)")
  func unpacked() throws {
    for element: (profile: UInt16, bytes: [UInt8])? in [nil, (0xBEDE, [0x10, 0x7F])] {
      for padding in [0, 1, 9] {
        for csrcs: [UInt32] in [[], [1, 2]] {
          var rtx = RTPSample.packet(
            csrcs: csrcs, extension: element, payload: [0xAB, 0xCD, 1, 2, 3], padding: padding)
          let unpacked = try unpack(&rtx)
          let header = try #require(unpacked)
          var original = RTPSample.packet(csrcs: csrcs, extension: element, payload: [1, 2, 3], sequence: 0xABCD)
          original[1] = 0x80 | 101
          original.replaceSubrange(8..<12, with: [1, 2, 3, 4])
          #expect([UInt8](rtx[..<header.packetLength]) == original)
          #expect(try parseHeader(original) == header)
        }
      }
    }
  }

  @Test("a retransmission may lack a payload; without original number it's a probe")
  func short() throws {
    var empty = RTPSample.packet(payload: [0, 7])
    let unpacked = try unpack(&empty)
    let header = try #require(unpacked)
    #expect(header.payloadLength == 0)
    #expect(header.sequenceNumber.rawValue == 7)
    var probe = RTPSample.packet(payload: [], padding: 100)
    let nothing = try unpack(&probe)
    #expect(nothing == nil)
    var half = RTPSample.packet(payload: [9])
    #expect(throws: RTPError.retransmission) { _ = try unpack(&half) }
  }

  @Test("threat 14: a header that belongs to a longer packet is refused")
  func otherPacket() throws {
    let long = RTPSample.packet(payload: [1, 2, 3, 4])
    let header = try parseHeader(long)
    for count in 0..<long.count {
      var short = [UInt8](long[..<count])
      #expect(throws: RTPError.truncated) {
        var span = short.mutableSpan
        _ = try RTXUnpacker.unpack(
          &span, header: header, ssrc: SSRC(rawValue: 1), payloadType: PayloadType(rawValue: 1))
      }
    }
  }
}
