import Basics
import RTC
import Testing

/// All messages of a datagram, and the error that ended the walk.
func readAll(_ bytes: [UInt8]) -> (messages: [RTCPMessage], error: RTCPError?) {
  var reader = RTCPReader()
  var messages: [RTCPMessage] = []
  do {
    while let message = try reader.next(in: bytes.span) { messages.append(message) }
    return (messages, nil)
  } catch { return (messages, error) }
}

/// The bytes that `body` writes into a buffer of `capacity` bytes.
func written(
  capacity: Int = 1_500, _ body: (inout RTCPWriter, inout MutableSpan<UInt8>) throws(RTCPError) -> Void
) throws(RTCPError) -> [UInt8] {
  var buffer = [UInt8](repeating: 0xEE, count: capacity)
  var span = buffer.mutableSpan
  var writer = RTCPWriter()
  try body(&writer, &span)
  return [UInt8](buffer[..<writer.length])
}

func ssrc(_ value: UInt32) -> SSRC { SSRC(rawValue: value) }
func sequences(_ values: [UInt16]) -> [SequenceNumber] { values.map { SequenceNumber(rawValue: $0) } }

func numbers(of nack: NACK, in bytes: [UInt8]) -> [UInt16] {
  var iterator = nack.sequenceNumbers
  var out: [UInt16] = []
  while let number = iterator.next(in: bytes.span) { out.append(number.rawValue) }
  return out
}

let sampleBlock = ReportBlock(
  ssrc: ssrc(77), fractionLost: 12, cumulativeLost: -5, extendedHighestSequence: 0x0003_FFFF, jitter: 400,
  lastSenderReport: 0x1234_5678, delaySinceLastSenderReport: 65_536)
let sampleInfo = SenderInfo(
  ssrc: ssrc(1), ntp: NTPTime(rawValue: 0x0102_0304_0506_0708), rtpTimestamp: RTPTimestamp(rawValue: 9),
  packetCount: 10, octetCount: 11)

@Suite("RTCP packets, RFC 3550 section 6")
struct RTCPTests {
  @Test("a compound packet with one of each kind is written and read back")
  func compound() throws {
    let bytes = try compoundSample()
    #expect(bytes.count % 4 == 0)
    let (messages, error) = readAll(bytes)
    #expect(error == nil)
    try #require(messages.count == 9)

    guard case .senderReport(let sr) = messages[0] else { return #expect(Bool(false)) }
    #expect(sr.info == sampleInfo)
    #expect(sr.blocks.count == 2)
    #expect(sr.blocks.block(at: 1, in: bytes.span) == sampleBlock)
    #expect(sr.blocks.block(at: 2, in: bytes.span) == nil)

    guard case .receiverReport(let rr) = messages[1] else { return #expect(Bool(false)) }
    #expect(rr.ssrc == ssrc(2))
    #expect(rr.blocks.block(at: 0, in: bytes.span) == sampleBlock)

    guard case .sdes(let sdes) = messages[2] else { return #expect(Bool(false)) }
    #expect(sdes.cname(of: ssrc(1), in: bytes.span) == "ann@parley")
    #expect(sdes.cname(of: ssrc(2), in: bytes.span) == nil)

    guard case .nack(let nack) = messages[3] else { return #expect(Bool(false)) }
    #expect(nack.senderSSRC == ssrc(1))
    #expect(nack.mediaSSRC == ssrc(77))
    #expect(numbers(of: nack, in: bytes) == [65_534, 65_535, 0, 14, 100])

    guard case .pli(let pli) = messages[4] else { return #expect(Bool(false)) }
    #expect(pli.mediaSSRC == ssrc(77))

    guard case .fir(let fir) = messages[5] else { return #expect(Bool(false)) }
    #expect(fir.count == 1)
    #expect(fir.entry(at: 0, in: bytes.span) == FIREntry(ssrc: ssrc(77), sequenceNumber: 3))

    guard case .remb(let remb) = messages[6] else { return #expect(Bool(false)) }
    #expect(remb.bitrate.bitsPerSecond == 1_000_000)
    #expect(remb.count == 2)
    #expect(remb.ssrc(at: 1, in: bytes.span) == ssrc(78))

    guard case .transportFeedback(let feedback) = messages[7] else { return #expect(Bool(false)) }
    #expect(feedback.baseSequence.rawValue == 65_535)
    #expect(feedback.feedbackCount == 7)

    guard case .bye(let bye) = messages[8] else { return #expect(Bool(false)) }
    #expect(bye.count == 2)
    #expect(bye.ssrc(at: 0, in: bytes.span) == ssrc(1))
    #expect(bye.ssrc(at: 2, in: bytes.span) == nil)
  }

  @Test("packets of unknown type are skipped and counted, RFC 3550 section 6.1")
  func unknown() throws {
    let unknown: [UInt8] = [0x80, 209, 0, 2, 0, 0, 0, 1, 4, 0, 0, 0]
    let app: [UInt8] = [0x81, 204, 0, 2, 0, 0, 0, 1, 65, 66, 67, 68]
    let otherFeedback: [UInt8] = [0x8F, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0]
    let pli = try written { writer, span throws(RTCPError) in
      try writer.append(pliFor: ssrc(5), sender: ssrc(6), into: &span)
    }
    let bytes = unknown + app + otherFeedback + pli
    var reader = RTCPReader()
    guard case .pli = try reader.next(in: bytes.span) else { return #expect(Bool(false)) }
    #expect(reader.skipped == 3)
    #expect(try reader.next(in: bytes.span) == nil)
  }
}

/// A compound packet with one of each kind.
func compoundSample() throws -> [UInt8] {
  try written { writer, span throws(RTCPError) in
    try writer.append(senderReport: sampleInfo, blocks: [sampleBlock, sampleBlock].span, into: &span)
    try writer.append(receiverReportFrom: ssrc(2), blocks: [sampleBlock].span, into: &span)
    try writer.append(cname: "ann@parley", of: ssrc(1), into: &span)
    try writer.append(
      nack: sequences([65_534, 65_535, 0, 14, 100]).span, sender: ssrc(1), media: ssrc(77), into: &span)
    try writer.append(pliFor: ssrc(77), sender: ssrc(1), into: &span)
    try writer.append(fir: FIREntry(ssrc: ssrc(77), sequenceNumber: 3), sender: ssrc(1), into: &span)
    try writer.append(
      remb: DataRate(bitsPerSecond: 1_000_000), ssrcs: [ssrc(77), ssrc(78)].span, sender: ssrc(1), into: &span)
    let arrivals = [0, nil, 900, 100, 10_000, 10_001].map { (ticks: Int64?) in
      ticks.map { TransportFeedbackTicks(ticks: $0 + 5_000) } ?? .missing
    }
    try writer.append(
      transportFeedback: arrivals.span, base: SequenceNumber(rawValue: 65_535), feedbackCount: 7,
      sender: ssrc(1), media: ssrc(77), into: &span)
    try writer.append(byeFor: [ssrc(1), ssrc(2)].span, into: &span)
  }
}
