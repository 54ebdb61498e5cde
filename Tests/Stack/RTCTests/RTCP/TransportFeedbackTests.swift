import Basics
import RTC
import TestSeeds
import Testing

@Suite("Transport-wide feedback, draft-holmer-rmcat-transport-wide-cc-extensions-01", .tellsSeeds)
struct TransportFeedbackTests {
  struct Report {
    var feedback: TransportFeedback
    var bytes: [UInt8]
    var taken: Int

    /// Arrivals by position after the base, in absolute ticks.
    var arrivals: [Int64?] {
      var out = [Int64?](repeating: nil, count: feedback.statusCount)
      var iterator = feedback.arrivals
      while let arrival = iterator.next(in: bytes.span) {
        let position = Int(arrival.sequenceNumber.rawValue &- feedback.baseSequence.rawValue)
        out[position] = Int64(feedback.referenceTime) * 256 + Int64(arrival.ticks)
      }
      return out
    }
  }

  func report(_ arrivals: [Int64?], base: UInt16 = 0, capacity: Int = 1_500) throws -> Report {
    var taken = 0
    let ticks = arrivals.map { $0.map { TransportFeedbackTicks(ticks: $0) } ?? .missing }
    let bytes = try written(capacity: capacity) { writer, span throws(RTCPError) in
      taken = try writer.append(
        transportFeedback: ticks.span, base: SequenceNumber(rawValue: base), feedbackCount: 200, sender: ssrc(1),
        media: ssrc(2), into: &span)
    }
    let (messages, error) = readAll(bytes)
    #expect(error == nil)
    guard case .transportFeedback(let feedback) = messages.first else { throw RTCPError.malformed }
    return Report(feedback: feedback, bytes: bytes, taken: taken)
  }

  @Test("a report has arrivals in 250 µs from a reference in 64 ms (section 3.1)")
  func roundTrip() throws {
    let arrivals: [Int64?] = [1_000, 1_001, nil, 1_300, 1_290, nil, nil, 9_000]
    let report = try report(arrivals, base: 65_533)
    #expect(report.arrivals == arrivals)
    #expect(report.feedback.baseSequence.rawValue == 65_533)
    #expect(report.feedback.referenceTime == 1_000 / 256)
    #expect(report.feedback.feedbackCount == 200)
    #expect(report.feedback.statusCount == 8)
  }

  @Test("reports that browsers fill up with 1 to 3 bytes of padding are read", arguments: 1...3)
  func paddedByBrowsers(padding: Int) throws {
    let arrivals = (0..<(6 - padding)).map { Int64?(1_000 + Int64($0)) }
    var bytes = try report(arrivals).bytes
    bytes[0] |= 0x20
    bytes[bytes.count - 1] = UInt8(padding)
    let (messages, error) = readAll(bytes)
    #expect(error == nil)
    guard case .transportFeedback(let feedback) = messages.first else { throw RTCPError.malformed }
    #expect(Report(feedback: feedback, bytes: bytes, taken: 0).arrivals == arrivals)
  }

  @Test("long runs take one chunk of two bytes, section 3.1.3")
  func runs() throws {
    let lost = [0] + [Int64?](repeating: nil, count: 8_000) + [1]
    let report = try report(lost)
    #expect(report.arrivals == lost)
    #expect(report.bytes.count <= 20 + 3 * 2 + 2 + 4)
    let regular = (0..<1_000).map { Int64?($0 * 4) }
    let second = try self.report(regular)
    #expect(second.arrivals == regular)
    #expect(second.bytes.count == 20 + 2 + 1_000 + 2)
  }

  @Test("arrivals at all positions of the sequence number's wrap are told apart")
  func wrap() throws {
    let arrivals: [Int64?] = [5, nil, 6, 7, nil, nil, 300, 301, nil, 2_000]
    for base in stride(from: 0, through: 0xFFFF, by: 1) where base < 20 || base > 0xFFF0 || base % 997 == 0 {
      #expect(try report(arrivals, base: UInt16(base)).arrivals == arrivals)
    }
  }

  @Test("a difference beyond 16 bits ends the report; the next has the rest")
  func largeDifference() throws {
    let arrivals: [Int64?] = [0, 32_767, nil, 65_535, 0]
    let first = try report(arrivals)
    #expect(first.taken == 3)
    #expect(first.arrivals == [0, 32_767, nil])
    let second = try report([65_535, 65_535 - 32_768])
    #expect(second.arrivals == [65_535, 65_535 - 32_768])
  }

  @Test("the reference time wraps as 24 signed bits, also negative ones are read")
  func referenceWraps() throws {
    let report = try report([(1 << 24) * 256 + 3])
    #expect(report.arrivals == [3])
    #expect(try self.report([(1 << 23) * 256]).feedback.referenceTime == -(1 << 23))
  }

  @Test("nothing received is no report")
  func nothing() {
    #expect(throws: RTCPError.count) { try report([]) }
    #expect(throws: RTCPError.count) { try report([nil, nil]) }
    #expect(throws: Never.self) { try report([nil, 3]) }
  }

  @Test("lost packets in front of the first arrival are reported")
  func leadingLoss() throws {
    #expect(try report([nil, nil, 700, nil, 800]).arrivals == [nil, nil, 700, nil, 800])
  }

  @Test("random windows survive in any buffer, in as many reports as it takes")
  func random() throws {
    var random = SeededRandom(seed: TestSeed.of(20))
    for _ in 0..<1_500 {
      let loss = random.pick([0, 0.02, 0.3, 0.9])
      let spread = random.pick([1, 40, 300, 2_000])
      var tick = Int64(random.below(1_000_000))
      var arrivals: [Int64?] = []
      for _ in 0..<(1 + random.below(400)) {
        tick = max(0, tick + Int64(random.below(spread)) - (random.chance(0.1) ? Int64(spread) : 0))
        arrivals.append(random.chance(loss) ? nil : tick)
      }
      arrivals.append(tick)
      let capacity = random.pick([64, 200, 1_200])
      var rest = arrivals
      var read: [Int64?] = []
      var base: UInt16 = 65_500
      while !rest.isEmpty {
        let report = try report(rest, base: base, capacity: capacity)
        #expect(report.bytes.count <= capacity)
        read += report.arrivals
        base &+= UInt16(report.taken)
        rest.removeFirst(report.taken)
      }
      if read != arrivals { Issue.record("window of \(arrivals.count), loss \(loss), spread \(spread)") }
    }
  }
}
