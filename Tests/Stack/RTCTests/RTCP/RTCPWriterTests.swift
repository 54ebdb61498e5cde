import Basics
import RTC
import TestSeeds
import Testing

@Suite("RTCP writer", .tellsSeeds)
struct RTCPWriterTests {
  @Test("each packet is refused in every smaller buffer, and leaves what was complete")
  func smallBuffers() throws {
    let arrivals = [1, 2, 3].map { TransportFeedbackTicks(ticks: $0) }
    let blocks = [sampleBlock]
    let streams = [ssrc(1)]
    let lost = sequences([1])
    try refused { w, s throws(RTCPError) in try w.append(senderReport: sampleInfo, blocks: blocks.span, into: &s) }
    try refused { w, s throws(RTCPError) in try w.append(receiverReportFrom: ssrc(1), blocks: blocks.span, into: &s) }
    try refused { w, s throws(RTCPError) in try w.append(cname: "abcdef", of: ssrc(1), into: &s) }
    try refused { w, s throws(RTCPError) in try w.append(byeFor: streams.span, into: &s) }
    try refused { w, s throws(RTCPError) in try w.append(nack: lost.span, sender: ssrc(1), media: ssrc(2), into: &s) }
    try refused { w, s throws(RTCPError) in try w.append(pliFor: ssrc(1), sender: ssrc(2), into: &s) }
    try refused { w, s throws(RTCPError) in
      try w.append(fir: FIREntry(ssrc: ssrc(1), sequenceNumber: 1), sender: ssrc(2), into: &s)
    }
    try refused { w, s throws(RTCPError) in
      try w.append(remb: DataRate(bitsPerSecond: 1), ssrcs: streams.span, sender: ssrc(2), into: &s)
    }
    try refused { w, s throws(RTCPError) in
      try w.append(
        transportFeedback: arrivals.span, base: SequenceNumber(rawValue: 1), feedbackCount: 0, sender: ssrc(1),
        media: ssrc(2), into: &s)
    }
  }

  private func refused(
    _ body: (inout RTCPWriter, inout MutableSpan<UInt8>) throws(RTCPError) -> Void
  ) throws(RTCPError) {
    let whole = try written(body)
    for capacity in 0..<whole.count {
      var buffer = [UInt8](repeating: 0, count: capacity)
      var span = buffer.mutableSpan
      var writer = RTCPWriter()
      do {
        try body(&writer, &span)
        Issue.record("wrote \(whole.count) bytes into \(capacity)")
      } catch { #expect(error == .bufferTooSmall) }
      #expect(writer.length == 0)
    }
    #expect(try written(capacity: whole.count, body) == whole)
  }

  // At every position.
  @Test("lost numbers are packed 17 to an entry, across the wrap (RFC 4585 6.2.1)")
  func nackPacking() throws {
    for base in UInt16.min...UInt16.max {
      let lost = [0, 1, 16, 17, 33, 34, 100].map { base &+ $0 }
      let bytes = try written { writer, span throws(RTCPError) in
        try writer.append(nack: sequences(lost).span, sender: ssrc(1), media: ssrc(2), into: &span)
      }
      guard case .nack(let nack) = readAll(bytes).messages.first else { return #expect(Bool(false)) }
      if nack.entryCount != 4 || numbers(of: nack, in: bytes) != lost { Issue.record("base \(base)") }
    }
  }

  @Test("a NACK takes what fits and tells how many that were")
  func nackPartly() throws {
    let lost = sequences((0..<100).map { UInt16($0) * 20 })
    var buffer = [UInt8](repeating: 0, count: 52)
    var span = buffer.mutableSpan
    var writer = RTCPWriter()
    let taken = try writer.append(nack: lost.span, sender: ssrc(1), media: ssrc(2), into: &span)
    #expect(taken == 10)
    #expect(writer.length == 52)
    let (messages, error) = readAll(buffer)
    #expect(error == nil)
    #expect(messages.count == 1)
  }

  @Test("lists that the count field cannot hold are refused")
  func counts() {
    let blocks = [ReportBlock](repeating: sampleBlock, count: 32)
    let many = [SSRC](repeating: ssrc(1), count: 256)
    func error(_ body: (inout RTCPWriter, inout MutableSpan<UInt8>) throws(RTCPError) -> Void) -> RTCPError? {
      do {
        _ = try written(body)
        return nil
      } catch { return error }
    }
    #expect(
      error { w, s throws(RTCPError) in try w.append(senderReport: sampleInfo, blocks: blocks.span, into: &s) }
        == .count)
    #expect(
      error { w, s throws(RTCPError) in try w.append(receiverReportFrom: ssrc(1), blocks: blocks.span, into: &s) }
        == .count)
    #expect(error { w, s throws(RTCPError) in try w.append(cname: "", of: ssrc(1), into: &s) } == .count)
    #expect(
      error { w, s throws(RTCPError) in try w.append(cname: String(repeating: "x", count: 256), of: ssrc(1), into: &s) }
        == .count)
    #expect(error { w, s throws(RTCPError) in try w.append(byeFor: many.span, into: &s) } == .count)
    #expect(
      error { w, s throws(RTCPError) in
        try w.append(nack: sequences([]).span, sender: ssrc(1), media: ssrc(1), into: &s)
      } == .count)
    #expect(
      error { w, s throws(RTCPError) in try w.append(remb: .zero, ssrcs: many.span, sender: ssrc(1), into: &s) }
        == .count)
  }

  @Test("CNAMEs end on a word boundary with a zero at least (RFC 3550 6.5)")
  func cnames() throws {
    for count in 1...255 {
      let name = String(repeating: "n", count: count)
      let bytes = try written { writer, span throws(RTCPError) in
        try writer.append(cname: name, of: ssrc(4), into: &span)
      }
      guard case .sdes(let sdes) = readAll(bytes).messages.first else { return #expect(Bool(false)) }
      #expect(sdes.cname(of: ssrc(4), in: bytes.span) == name)
      #expect(bytes.last == 0)
    }
  }

  @Test("REMB keeps 18 significant bits and never rounds up")
  func remb() throws {
    var random = SeededRandom(seed: TestSeed.of(4))
    for shift in 0..<63 {
      let rate = Int64(random.next() >> 1) >> Int64(shift)
      let bytes = try written { writer, span throws(RTCPError) in
        try writer.append(remb: DataRate(bitsPerSecond: rate), ssrcs: [ssrc(1)].span, sender: ssrc(1), into: &span)
      }
      guard case .remb(let remb) = readAll(bytes).messages.first else { return #expect(Bool(false)) }
      let read = remb.bitrate.bitsPerSecond
      #expect(read <= rate && Double(rate - read) <= Double(rate) / 131_072)
    }
  }

  @Test("cumulative loss keeps its sign in 24 bits, clamped beyond (RFC 3550 6.4.1)")
  func cumulativeLoss() throws {
    for (value, expected) in [
      (0, 0), (-1, -1), (0x7F_FFFF, 0x7F_FFFF), (-0x80_0000, -0x80_0000), (.max, 0x7F_FFFF), (.min, -0x80_0000),
    ] as [(Int32, Int32)] {
      var block = sampleBlock
      block.cumulativeLost = value
      let bytes = try written { writer, span throws(RTCPError) in
        try writer.append(receiverReportFrom: ssrc(1), blocks: [block].span, into: &span)
      }
      guard case .receiverReport(let report) = readAll(bytes).messages.first else { return #expect(Bool(false)) }
      #expect(report.blocks.block(at: 0, in: bytes.span)?.cumulativeLost == expected)
    }
  }
}
