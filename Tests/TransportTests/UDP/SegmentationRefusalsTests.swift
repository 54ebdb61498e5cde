import Basics
import Testing

@testable import Transport

@Suite("Refusals of segmented sends")
struct SegmentationRefusalsTests {
  private func address(_ number: Int) -> TransportAddress {
    TransportAddress(ip: IPAddress(v4: 0xC000_0200), port: UInt16(number))
  }

  /// Which of `numbers` are sent single datagrams at `now`.
  private func refused(_ numbers: ClosedRange<Int>, _ refusals: SegmentationRefusals, now: Instant) -> [Int] {
    var refusals = refusals
    return numbers.filter { refusals.contains(address($0), now: now) }
  }

  @Test("a destination that refuses is sent single datagrams for a while, and tried again; others are not concerned")
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

  @Test("several destinations that refuse in a row are the system, which is tried again after a while")
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

  @Test("paths that take less are never the system, and what is remembered of them is bounded")
  func smallPaths() {
    var refusals = SegmentationRefusals()
    let now = Instant.milliseconds(5_000)
    for number in 1...1_000 { refusals.add(address(number), mayBeSystem: false, now: now) }
    #expect(!refusals.isSystem)
    let last = Array((1_001 - SegmentationRefusals.capacity)...1_000)
    #expect(refused(1...1_000, refusals, now: now) == last)
  }
}
