import Basics
import Testing

@Suite("Bounded tables")
struct BoundedTableTests {
  private struct Lease: Evictable {
    var end: Instant
    func isExpendable(at now: Instant) -> Bool { end <= now }
    var evictionOrder: Instant { end }
  }

  private let start = Instant(nanoseconds: 1_000_000_000)

  @Test("a full table forgets the bucket idle longest, never one that asks too often now")
  func fullTable() {
    var table = BoundedTable<Int, TokenBucket>(capacity: 800)
    func spend(_ key: Int, _ now: Instant) -> Int {
      (0..<100).count { _ in table.consume(key, perSecond: 1, burst: 4, now: now) }
    }
    let first = spend(0, start)
    #expect(first == 4)
    // As many others as fill it again and again, a few in each second: those before are full again by then.
    for key in 1...5_000 {
      let now = start + .milliseconds(Int64(key))
      let isTaken = table.consume(key, perSecond: 1, burst: 4, now: now)
      #expect(isTaken)
      if key % 100 == 0 {
        let more = spend(0, now)
        #expect(more <= 1, "\(key)")
      }
      #expect(table.count <= 800)
    }
    // With no bucket full, the idlest go.
    var busy = BoundedTable<Int, TokenBucket>(capacity: 80)
    for key in 0..<80 {
      for _ in 0..<4 { _ = busy.consume(key, perSecond: 1, burst: 4, now: start + .milliseconds(Int64(key))) }
    }
    var taken = [busy.consume(100, perSecond: 1, burst: 4, now: start + .milliseconds(90))]
    #expect(busy.count == 71)
    for key in [79, 0] { taken.append(busy.consume(key, perSecond: 1, burst: 4, now: start + .milliseconds(91))) }
    #expect(taken == [true, false, true])
  }

  @Test("expired entries go before the table is full, and memory follows what lasts")
  func sweeps() {
    var table = BoundedTable<Int, Lease>(capacity: 100_000)
    for key in 0..<20_000 {
      let now = start + .milliseconds(Int64(key))
      table.update(key, initial: Lease(end: now + .milliseconds(100)), now: now) { _ in }
      #expect(table.count <= 1_024)
    }
    #expect(table[19_999] != nil && table[0] == nil)
    table.remove(19_999)
    #expect(table[19_999] == nil)
  }

  @Test("an entry is changed where it is there, and made where it isn't")
  func updates() {
    var table = BoundedTable<String, Lease>(capacity: 4)
    for second in 1...3 {
      table.update("a", initial: Lease(end: start), now: start) { $0.end = $0.end + .seconds(Int64(second)) }
    }
    #expect(table["a"]?.end == start + .seconds(6) && table.count == 1 && table["b"] == nil)
    for key in ["b", "c", "d", "e"] { table.update(key, initial: Lease(end: start), now: start - .seconds(1)) { _ in } }
    // One of four is an eighth here: the oldest makes room.
    #expect(table.count <= 4 && table["a"] != nil && table["e"] != nil)
  }

  @Test("counts last for the window that begins with the first, and are bounded")
  func counters() {
    var counters = WindowedCounters<Int>(window: .seconds(60), capacity: 100)
    for _ in 0..<3 { counters.increment(1, now: start) }
    counters.increment(1, now: start + .seconds(59))
    #expect(counters.count(of: 1, at: start + .seconds(59)) == 4)
    #expect(counters.count(of: 1, at: start + .seconds(60)) == 0 && counters.count(of: 2, at: start) == 0)
    counters.increment(1, now: start + .seconds(60))
    #expect(counters.count(of: 1, at: start + .seconds(119)) == 1)
    for key in 2...1_000 { counters.increment(key, now: start + .seconds(61) + .milliseconds(Int64(key))) }
    #expect(counters.keys <= 100 && counters.count(of: 1_000, at: start + .seconds(63)) == 1)
    #expect(counters.count(of: 1, at: start + .seconds(63)) == 0, "the oldest makes room")
  }
}
