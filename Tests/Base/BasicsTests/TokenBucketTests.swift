import Basics
import Testing

@Suite("Token buckets")
struct TokenBucketTests {
  private let start = Instant.zero + .seconds(100)

  private func consumed(_ bucket: inout TokenBucket, _ now: Instant) -> Int {
    var count = 0
    while count < 1_000, bucket.consume(now: now) { count += 1 }
    return count
  }

  @Test("a bucket gives its burst, then its rate, and never saves more than its burst")
  func rates() {
    var bucket = TokenBucket(perSecond: 10, burst: 25)
    #expect(bucket.lastUse == nil && bucket.isFull(at: start))
    #expect(consumed(&bucket, start) == 25)
    #expect(consumed(&bucket, start) == 0 && !bucket.isFull(at: start + .seconds(2)))
    #expect(consumed(&bucket, start + .milliseconds(550)) == 5)
    #expect(consumed(&bucket, start + .seconds(1_000)) == 25)
    #expect(bucket.lastUse == start + .seconds(1_000))
    #expect(bucket.isFull(at: start + .seconds(1_003)))
  }

  @Test("a refused request takes nothing, and an earlier time gives nothing")
  func refusals() {
    var bucket = TokenBucket(perSecond: 1, burst: 10)
    var taken = [bucket.consume(8, now: start), bucket.consume(3, now: start), bucket.consume(2, now: start)]
    #expect(taken == [true, false, true])
    taken = [bucket.consume(now: start - .seconds(50)), bucket.consume(now: start)]
    #expect(taken == [false, false] && bucket.lastUse == start)
    let isLater = bucket.consume(now: start + .seconds(1))
    #expect(isLater)
  }

  @Test("a reserve is kept, a debt is bounded and paid back first")
  func debts() {
    var bucket = TokenBucket(perSecond: 4, burst: 8, from: start)
    var holds = [bucket.holds(6, besides: 2, now: start), bucket.holds(7, besides: 2, now: start)]
    #expect(holds == [true, false])
    bucket.spend(30, notBelow: -4)
    holds = [bucket.holds(1, now: start + .seconds(1)), bucket.holds(1, besides: -4, now: start + .seconds(1))]
    #expect(holds == [false, true])
    #expect(consumed(&bucket, start + .seconds(2)) == 4)
  }

  @Test("two spendings of one instant are one spending of both")
  func sums() {
    var (once, twice) = (TokenBucket(perSecond: 3, burst: 9), TokenBucket(perSecond: 3, burst: 9))
    for step in 0..<200 {
      let now = start + .milliseconds(Int64(step) * 137)
      let amount = step % 4
      let isTaken = once.holds(2 * amount, now: now)
      #expect(twice.holds(2 * amount, now: now) == isTaken)
      guard isTaken else { continue }
      once.spend(2 * amount)
      twice.spend(amount)
      twice.spend(amount)
      #expect(once.isFull(at: now + .seconds(1)) == twice.isFull(at: now + .seconds(1)))
    }
  }
}
