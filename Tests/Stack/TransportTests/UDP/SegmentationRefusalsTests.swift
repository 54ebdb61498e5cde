import Basics
import Testing

@testable import Transport

@Suite("Refusals of segmented sends")
struct SegmentationRefusalsTests {
  /// An address in a network of its own.
  private func address(_ number: Int) -> TransportAddress {
    TransportAddress(ip: IPAddress(v4: 0x0A00_0001 + UInt32(number) << 8), port: 5_000)
  }

  /// The members of `numbers` that get single datagrams at `now`.
  private func refused(_ numbers: ClosedRange<Int>, _ refusals: SegmentationRefusals, now: Instant) -> [Int] {
    var refusals = refusals
    return numbers.filter { refusals.contains(address($0), now: now) }
  }

  // It is tried again; others are not concerned.
  @Test("a destination that refuses gets single datagrams for a while, alone")
  func oneDestination() {
    var refusals = SegmentationRefusals()
    let now = Instant.milliseconds(5_000)
    #expect(refusals.isEmpty)
    var tries = 0
    for second in 0..<120 {
      let time = now + .seconds(Int64(second))
      if !refusals.contains(address(1), now: time) {
        tries += 1
        refusals.add(address(1), mayBeSystem: true, now: time)
      }
      #expect(refused(1...3, refusals, now: time) == [1])
      #expect(!refusals.isSystem)
    }
    #expect(tries == 2, "once a minute")
    let isRefused = refusals.contains(address(1), now: now + .seconds(120))
    #expect(!isRefused && refusals.isEmpty)
  }

  @Test("several destinations refusing in a row are the system, for a while")
  func system() {
    var refusals = SegmentationRefusals()
    let now = Instant.milliseconds(5_000)
    for number in 1..<SegmentationRefusals.several { refusals.add(address(number), mayBeSystem: true, now: now) }
    #expect(!refusals.isSystem)
    // One send that is taken shows that it is not the system.
    refusals.noteTaken()
    refusals.add(address(100), mayBeSystem: true, now: now)
    #expect(!refusals.isSystem)
    for number in 101..<(100 + SegmentationRefusals.several) {
      refusals.add(address(number), mayBeSystem: true, now: now)
    }
    #expect(refusals.isSystem)
    #expect(refused(1...300, refusals, now: now + .seconds(59)).count == 300)
    let isRefused = refusals.contains(address(101), now: now + SegmentationRefusals.term)
    #expect(!isRefused && !refusals.isSystem && refusals.isEmpty)
  }

  @Test("one host that refuses from many ports and addresses isn't the system")
  func oneNetwork() {
    let now = Instant.milliseconds(5_000)
    var refusals = SegmentationRefusals()
    for number in 0..<200 as Range<UInt64> {
      let old = IPAddress(v4: 0xC633_6400 + UInt32(number))
      let new = IPAddress(high: 0x2001_0DB8_0000_0001, low: number << 40)
      for port in [1, 2] as [UInt16] {
        refusals.add(TransportAddress(ip: old, port: port), mayBeSystem: true, now: now)
        refusals.add(TransportAddress(ip: new, port: port), mayBeSystem: true, now: now)
      }
    }
    #expect(!refusals.isSystem)
    let isConcerned = refusals.contains(address(1), now: now)
    #expect(!isConcerned)
    // With its two networks it takes several others.
    for number in 1..<SegmentationRefusals.several - 2 { refusals.add(address(number), mayBeSystem: true, now: now) }
    #expect(!refusals.isSystem)
    refusals.add(address(99), mayBeSystem: true, now: now)
    #expect(refusals.isSystem)
  }

  @Test("small paths are never the system, and their memory is bounded")
  func smallPaths() {
    var refusals = SegmentationRefusals()
    let now = Instant.milliseconds(5_000)
    for number in 1...1_000 { refusals.add(address(number), mayBeSystem: false, now: now) }
    #expect(!refusals.isSystem)
    let last = Array((1_001 - SegmentationRefusals.capacity)...1_000)
    #expect(refused(1...1_000, refusals, now: now) == last)
  }
}
