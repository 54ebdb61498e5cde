import Basics
import RTC
import TestSeeds
import Testing

@Suite("RTCP against hostile bytes", .tellsSeeds)
struct RTCPRobustnessTests {
  /// Reads a datagram and everything in it. Returns the steps taken, so that work can be bounded.
  @discardableResult private func exhaust(_ bytes: [UInt8]) -> Int {
    let (messages, _) = readAll(bytes)
    var steps = messages.count
    let span = bytes.span
    for message in messages {
      switch message {
      case .senderReport(let report):
        for index in 0..<report.blocks.count where report.blocks.block(at: index, in: span) != nil { steps += 1 }
      case .receiverReport(let report):
        for index in 0..<report.blocks.count where report.blocks.block(at: index, in: span) != nil { steps += 1 }
      case .sdes(let sdes):
        var items = sdes.items
        while items.next(in: span) != nil { steps += 1 }
        _ = sdes.cname(of: ssrc(1), in: span)
      case .bye(let bye): for index in 0..<bye.count where bye.ssrc(at: index, in: span) != nil { steps += 1 }
      case .nack(let nack):
        var iterator = nack.sequenceNumbers
        while iterator.next(in: span) != nil { steps += 1 }
      case .pli: break
      case .fir(let fir): for index in 0..<fir.count where fir.entry(at: index, in: span) != nil { steps += 1 }
      case .remb(let remb): for index in 0..<remb.count where remb.ssrc(at: index, in: span) != nil { steps += 1 }
      case .transportFeedback(let feedback):
        var iterator = feedback.arrivals
        while iterator.next(in: span) != nil { steps += 1 }
      case .extendedReport(let report): _ = report.delay(of: ssrc(1), in: span)
      }
    }
    return steps
  }

  // Earlier messages stay.
  @Test("threat 15: a wrong length, version or padding ends the walk with its error")
  func threat15Lengths() throws {
    let pli = try written { writer, span throws(RTCPError) in
      try writer.append(pliFor: ssrc(5), sender: ssrc(6), into: &span)
    }
    func second(_ change: (inout [UInt8]) -> Void) -> (Int, RTCPError?) {
      var copy = pli
      change(&copy)
      let result = readAll(pli + copy)
      return (result.messages.count, result.error)
    }
    #expect(second { _ in } == (2, nil))
    #expect(second { $0[3] = 3 } == (1, .length))
    #expect(second { $0[2] = 0xFF } == (1, .length))
    #expect(second { $0[0] = 0x41 } == (1, .version))
    #expect(second { $0.removeLast(9) } == (1, .truncated))
    #expect(second { $0[3] = 1 } == (1, .malformed))
    // Padding of 12 bytes is more than the body, of 4 leaves too little, of 0 and 3 is invalid.
    for (padding, expected) in [(12, RTCPError.padding), (0, .padding), (3, .malformed), (4, .malformed)] {
      let result = second {
        $0[0] |= 0x20
        $0[$0.count - 1] = UInt8(padding)
      }
      #expect(result == (1, expected), "padding \(padding)")
    }
    // Only the last packet may be padded.
    var padded = pli + [0, 0, 0, 4]
    padded[0] |= 0x20
    padded[3] = 3
    #expect(readAll(padded).messages.count == 1)
    #expect(readAll(padded + pli).error == .padding)
  }

  @Test("threat 15: after an error the reader stays at the end")
  func threat15ReaderStops() throws {
    let bytes: [UInt8] = [0x80, 201, 0, 0] + (try compoundSample())
    var reader = RTCPReader()
    #expect(throws: RTCPError.malformed) { try reader.next(in: bytes.span) }
    #expect(try reader.next(in: bytes.span) == nil)
  }

  // In reports, SDES, BYE, REMB, FIR and NACK.
  @Test("threat 15: counts beyond the body are malformed")
  func threat15Counts() throws {
    func packet(_ type: UInt8, _ count: UInt8, _ body: [UInt8]) -> [UInt8] {
      [0x80 | count, type, UInt8((body.count / 4) >> 8), UInt8(body.count / 4 & 0xFF)] + body
    }
    let zeros = { (count: Int) in [UInt8](repeating: 0, count: count) }
    let remb: [UInt8] = zeros(8) + [0x52, 0x45, 0x4D, 0x42]
    for bytes in [
      packet(200, 1, zeros(24)), packet(200, 0, zeros(20)), packet(201, 31, zeros(24 * 31)),
      packet(202, 1, []), packet(202, 2, zeros(8)), packet(202, 1, [0, 0, 0, 1, 1, 200, 65, 66]),
      packet(202, 1, [0, 0, 0, 1, 1, 2, 65, 66]), packet(203, 3, zeros(8)), packet(205, 1, zeros(8)),
      packet(206, 1, zeros(4)), packet(206, 4, zeros(8)), packet(206, 4, zeros(20)), packet(206, 15, zeros(4)),
      packet(206, 15, remb), packet(206, 15, remb + [2, 0, 0, 0, 0, 0, 0, 1]),
    ] {
      #expect(readAll(bytes).error == .malformed, "\(bytes)")
    }
    #expect(readAll(packet(203, 0, [])).messages.count == 1)
    #expect(readAll(packet(202, 0, [])).messages.count == 1)
  }

  @Test("threat 15: the largest NACK in a datagram costs at most 17 steps per four bytes")
  func threat15Nack() {
    var bytes: [UInt8] = [0x81, 205, 0x01, 0x6E] + [UInt8](repeating: 0, count: 8)
    while bytes.count < (0x16E + 1) * 4 { bytes += [0xFF, 0xFF, 0xFF, 0xFF] }
    let (messages, error) = readAll(bytes)
    #expect(error == nil)
    #expect(messages.count == 1)
    #expect(exhaust(bytes) == 1 + (bytes.count - 12) / 4 * 17)
  }

  @Test("threat 15: feedback on 65,535 packets needs its chunks; runs cost one step")
  func threat15FeedbackCount() {
    func feedback(count: UInt16, chunks: [UInt16], deltas: [UInt8] = []) -> [UInt8] {
      var body: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, UInt8(count >> 8), UInt8(count & 0xFF), 0, 0, 0, 0]
      for chunk in chunks { body += [UInt8(chunk >> 8), UInt8(chunk & 0xFF)] }
      body += deltas
      while body.count % 4 != 0 { body.append(0) }
      return [0x8F, 205, 0, UInt8(body.count / 4)] + body
    }
    #expect(readAll(feedback(count: 0xFFFF, chunks: [0x1FFF, 0x1FFF])).error == .malformed)
    let allLost = feedback(count: 0xFFFF, chunks: [UInt16](repeating: 0x1FFF, count: 9))
    #expect(readAll(allLost).error == nil)
    #expect(exhaust(allLost) == 1)
    #expect(readAll(feedback(count: 0, chunks: [0x1FFF])).error == .malformed)
    // A run of no packets would never end; the reserved symbol has no meaning; differences must be there.
    #expect(readAll(feedback(count: 1, chunks: [0x2000, 0x2001])).error == .malformed)
    #expect(readAll(feedback(count: 1, chunks: [0x6001], deltas: [1, 2, 3])).error == .malformed)
    #expect(readAll(feedback(count: 7, chunks: [0xC003], deltas: [1, 2])).error == .malformed)
    #expect(
      readAll(feedback(count: 8_000, chunks: [0x3F40], deltas: [UInt8](repeating: 1, count: 40))).error == .malformed)
    #expect(readAll(feedback(count: 3, chunks: [0x2003], deltas: [1, 2])).error == .malformed)
    #expect(readAll(feedback(count: 2, chunks: [0x2003], deltas: [1, 2])).error == nil)
  }

  @Test("threat 15: a REMB exponent beyond 63 bits saturates instead of trapping")
  func threat15Remb() throws {
    for fields: UInt32 in [0xFF_FFFF, 0xFC_0001, 0xB8_0001, 0xFC_0000, 0xB7_FFFF] {
      let bytes: [UInt8] =
        [0x8F, 206, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0, 0x52, 0x45, 0x4D, 0x42, 0]
        + [UInt8(fields >> 16), UInt8(fields >> 8 & 0xFF), UInt8(fields & 0xFF)]
      guard case .remb(let remb) = readAll(bytes).messages.first else { return #expect(Bool(false)) }
      let exact = Double(fields & 0x3FFFF) * Double(sign: .plus, exponent: Int(fields >> 18), significand: 1)
      if exact >= 0x1p63 {
        #expect(remb.bitrate.bitsPerSecond == .max)
      } else {
        #expect(Double(remb.bitrate.bitsPerSecond) == exact)
      }
    }
  }

  @Test("threat 15: every cut of a compound packet is read without a trap")
  func truncation() throws {
    let sample = try compoundSample()
    for count in 0...sample.count { exhaust([UInt8](sample[..<count])) }
  }

  @Test("a message read from one datagram never reads past a shorter one")
  func otherDatagram() throws {
    let sample = try compoundSample()
    let messages = readAll(sample).messages
    for count in 0..<sample.count {
      let shorter = [UInt8](sample[..<count])
      let span = shorter.span
      for message in messages {
        switch message {
        case .senderReport(let report): _ = report.blocks.block(at: 1, in: span)
        case .receiverReport(let report): _ = report.blocks.block(at: 0, in: span)
        case .sdes(let sdes): _ = sdes.cname(of: ssrc(1), in: span)
        case .bye(let bye): _ = bye.ssrc(at: 1, in: span)
        case .nack(let nack):
          var iterator = nack.sequenceNumbers
          while iterator.next(in: span) != nil {}
        case .pli: break
        case .fir(let fir): _ = fir.entry(at: 0, in: span)
        case .remb(let remb): _ = remb.ssrc(at: 1, in: span)
        case .transportFeedback(let feedback):
          var iterator = feedback.arrivals
          while iterator.next(in: span) != nil {}
        case .extendedReport(let report): _ = report.delay(of: ssrc(78), in: span)
        }
      }
    }
  }

  @Test("threat 15: 200,000 mutated datagrams never trap, five steps a byte at most")
  func mutations() throws {
    let pieces = try [
      compoundSample(),
      written { writer, span throws(RTCPError) in
        try writer.append(senderReport: sampleInfo, blocks: [sampleBlock].span, into: &span)
      },
      written { writer, span throws(RTCPError) in
        let arrivals = (0..<40).map { (index: Int64) in
          index % 5 == 3 ? .missing : TransportFeedbackTicks(ticks: 700 + index * index * 3)
        }
        try writer.append(
          transportFeedback: arrivals.span, base: SequenceNumber(rawValue: 9), feedbackCount: 0, sender: ssrc(1),
          media: ssrc(2), into: &span)
      },
      written { writer, span throws(RTCPError) in
        try writer.append(cname: "x", of: ssrc(9), into: &span)
      },
      written { writer, span throws(RTCPError) in
        try writer.append(
          delay: ReferenceDelay(ssrc: ssrc(1), lastReference: 2, delaySinceLastReference: 3), sender: ssrc(9),
          into: &span)
        try writer.append(referenceTime: NTPTime(rawValue: 1 << 33), of: ssrc(9), into: &span)
      },
    ]
    var random = SeededRandom(seed: TestSeed.of(15))
    for _ in 0..<200_000 {
      let bytes = random.mutate(random.pick(pieces))
      if exhaust(bytes) > 5 * bytes.count { Issue.record("too many steps for \(bytes)") }
    }
  }
}
