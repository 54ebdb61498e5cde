import Basics
import RTC
import TestSeeds
import Testing

@Suite("NACK generator, RFC 4585 section 6.2.1", .tellsSeeds)
struct NackGeneratorTests {
  /// Asks once, with room for `capacity` numbers.
  private func poll(
    _ generator: inout NackGenerator, at milliseconds: Int64, roundTrip: Int64? = 50, capacity: Int = 2_000
  ) -> [UInt16] {
    var buffer = [SequenceNumber](repeating: SequenceNumber(rawValue: 0), count: capacity)
    var span = buffer.mutableSpan
    let count = generator.poll(
      now: .milliseconds(milliseconds), roundTripTime: roundTrip.map { .milliseconds($0) }, into: &span)
    return buffer[..<count].map(\.rawValue)
  }

  @discardableResult private func feed(
    _ generator: inout NackGenerator, _ numbers: [UInt16], at milliseconds: Int64 = 0
  ) -> [NackGenerator.Arrival] {
    numbers.map { generator.receive(SequenceNumber(rawValue: $0), now: .milliseconds(milliseconds)) }
  }

  @Test("a gap is asked for after two later packets, at every position of the wrap")
  func everyWrapPosition() {
    for base in UInt16.min...UInt16.max {
      var generator = NackGenerator()
      feed(&generator, [base, base &+ 3])
      let early = poll(&generator, at: 0)
      feed(&generator, [base &+ 4])
      let due = generator.deadline == .zero
      let late = poll(&generator, at: 0)
      // One later packet makes the first missing number certain, the next the second.
      if early != [base &+ 1] || late != [base &+ 2] || !due { Issue.record("base \(base): \(early) \(late)") }
    }
  }

  @Test("recovery clears a missing number, at every position of the wrap")
  func recoveryAtEveryWrapPosition() {
    var generator = NackGenerator()
    var next = UInt16(60_000)
    feed(&generator, [next])
    for _ in 0..<70_000 {
      let lost = next &+ 1
      let arrivals = feed(&generator, [next &+ 2, lost, lost])
      if arrivals != [.newest, .recovered, .known] || generator.missingCount != 0
        || generator.deadline != .distantFuture
      {
        Issue.record("after \(next): \(arrivals)")
      }
      next &+= 2
    }
    #expect(generator.recoveredCount == 70_000)
  }

  @Test("a packet that is only late by one is not asked for")
  func reordering() {
    var generator = NackGenerator()
    feed(&generator, [10, 12])
    #expect(poll(&generator, at: 0) == [])
    #expect(generator.deadline == .milliseconds(10))
    #expect(feed(&generator, [11], at: 5) == [.recovered])
    #expect(generator.deadline == .distantFuture)
    #expect(poll(&generator, at: 100) == [])
    #expect(generator.requestedCount == 0)
  }

  @Test("when nothing follows, the gap is asked for after the reorder wait")
  func tail() {
    var generator = NackGenerator()
    feed(&generator, [10, 12])
    #expect(poll(&generator, at: 9) == [])
    #expect(poll(&generator, at: 10) == [11])
  }

  @Test("a number is asked for each round trip, ten times at most, for a second")
  func retries() {
    var generator = NackGenerator()
    feed(&generator, [10, 12, 13])
    var asked: [Int64] = []
    for time in Int64(0)...2_000 where !poll(&generator, at: time, roundTrip: 50).isEmpty { asked.append(time) }
    #expect(asked == (0..<10).map { $0 * 50 })
    #expect(generator.missingCount == 0)
    #expect(generator.abandonedCount == 1)

    var slow = NackGenerator()
    feed(&slow, [10, 12, 13])
    asked = []
    for time in Int64(0)...2_000 where !poll(&slow, at: time, roundTrip: 300).isEmpty { asked.append(time) }
    #expect(asked == [0, 300, 600, 900])
    #expect(slow.missingCount == 0)
  }

  @Test("the deadline leads from one request to the next and ends with the packet")
  func deadlines() {
    var generator = NackGenerator()
    feed(&generator, [10, 12, 13])
    #expect(generator.deadline == .zero)
    #expect(poll(&generator, at: 0, roundTrip: 80) == [11])
    #expect(generator.deadline == .milliseconds(80))
    #expect(poll(&generator, at: 80, roundTrip: 80) == [11])
    var polls = 0
    while generator.deadline != .distantFuture, polls < 100 {
      _ = poll(&generator, at: generator.deadline.nanoseconds / 1_000_000, roundTrip: 80)
      polls += 1
    }
    #expect(polls <= 11)
    #expect(generator.missingCount == 0)
  }

  @Test("numbers come oldest first, also when the buffer takes only some")
  func smallBuffer() {
    var generator = NackGenerator()
    feed(&generator, [65_530, 5])
    feed(&generator, [6])
    #expect(poll(&generator, at: 0, capacity: 4) == [65_531, 65_532, 65_533, 65_534])
    #expect(generator.deadline == .zero)
    #expect(poll(&generator, at: 0, capacity: 4) == [65_535, 0, 1, 2])
    #expect(poll(&generator, at: 0, capacity: 4) == [3, 4])
    #expect(poll(&generator, at: 0, capacity: 0) == [])
  }

  // The list is cleared.
  @Test("threat 16: over 1,000 missing packets become one keyframe request")
  func threat16Cap() {
    var generator = NackGenerator()
    feed(&generator, [0])
    #expect(feed(&generator, [1_001]) == [.newest])
    #expect(generator.missingCount == 1_000)
    #expect(feed(&generator, [1_003]) == [.needsKeyframe])
    #expect(generator.missingCount == 0)
    #expect(generator.deadline == .distantFuture)
    #expect(feed(&generator, [30_000]) == [.needsKeyframe])
    #expect(feed(&generator, [30_001]) == [.newest])
  }

  @Test("threat 16: requests stay within the budget whatever a sender does")
  func threat16Budget() {
    var random = SeededRandom(seed: TestSeed.of(16))
    var generator = NackGenerator()
    var number: UInt16 = 0
    var total = 0
    for time in Int64(0)..<5_000 {
      number &+= UInt16(1 + random.below(40))
      feed(&generator, [number], at: time)
      total += poll(&generator, at: time, roundTrip: 0, capacity: 300).count
      #expect(generator.missingCount <= 1_000)
    }
    // One second's worth as a burst, and then one second's worth per second.
    #expect(total <= 6_000)
    #expect(total > 4_000)
  }

  @Test("threat 16: an exhausted budget comes back with time, and the deadline tells when")
  func threat16Refill() {
    var configuration = NackGenerator.Configuration()
    configuration.requestsPerSecond = 100
    var generator = NackGenerator(configuration: configuration)
    feed(&generator, [0, 200, 201])
    #expect(poll(&generator, at: 0).count == 100)
    #expect(generator.deadline == .milliseconds(10))
    #expect(poll(&generator, at: 10).count == 1)
    #expect(poll(&generator, at: 10).count == 0)
  }

  @Test("a new sequence is followed after two packets, never by retransmissions")
  func restart() {
    var generator = NackGenerator()
    feed(&generator, [30_000])
    #expect(feed(&generator, [100, 200]) == [.known, .known])
    for number: UInt16 in [300, 301] {
      let arrival = generator.receive(SequenceNumber(rawValue: number), isRetransmission: true, now: .zero)
      #expect(arrival == .known)
    }
    #expect(feed(&generator, [500, 501, 502]) == [.known, .needsKeyframe, .newest])
  }

  @Test("after a keyframe what was lost before it is not asked for")
  func forget() {
    var generator = NackGenerator()
    feed(&generator, [65_530, 65_533, 2, 3, 4])
    generator.forget(before: SequenceNumber(rawValue: 65_533))
    #expect(poll(&generator, at: 0) == [65_534, 65_535, 0, 1])
    generator.forget(before: SequenceNumber(rawValue: 100))
    #expect(generator.missingCount == 0)
    #expect(generator.deadline == .distantFuture)
  }

  @Test("over a lossy, reordering path every packet is either received or asked for")
  func lossyPath() {
    var random = SeededRandom(seed: TestSeed.of(3))
    var generator = NackGenerator()
    var inFlight: [(time: Int64, number: UInt16)] = []
    var received = Set<UInt16>()
    var asked = Set<UInt16>()
    feed(&generator, [64_999])
    for index in 0..<3_000 {
      let number = UInt16(truncatingIfNeeded: 65_000 + index)
      if !random.chance(0.05) { inFlight.append((Int64(index) + Int64(random.below(3)), number)) }
    }
    inFlight.sort { $0.time < $1.time }
    for packet in inFlight {
      feed(&generator, [packet.number], at: packet.time)
      received.insert(packet.number)
      for number in poll(&generator, at: packet.time) { asked.insert(number) }
    }
    let last = inFlight[inFlight.count - 1].number
    for index in 0..<3_000 {
      let number = UInt16(truncatingIfNeeded: 65_000 + index)
      if number == last { break }
      if !received.contains(number), !asked.contains(number), Int(last &- number) < 0x8000, last &- number > 2 {
        Issue.record("never asked for \(number)")
      }
    }
  }
}
