import Basics

/// The token buckets of many addresses or tokens, bounded in number.
///
/// When there are as many as may be, those that are full again are forgotten, which changes nothing for anybody; and where that is not
/// enough, those that were not asked of for the longest.
struct BucketTable<Key: Hashable & Sendable>: Sendable {
  private let most: Int
  private var buckets: [Key: RateLimit] = [:]

  /// A table of at most `most` buckets.
  init(most: Int) { self.most = most }

  /// How many are kept.
  var count: Int { buckets.count }

  /// Takes one from the bucket of `key`; false when it is empty.
  mutating func take(_ key: Key, perSecond: Int, burst: Int? = nil, now: Instant) -> Bool {
    if buckets.count >= most, buckets[key] == nil { shorten(now) }
    return buckets[key, default: RateLimit(perSecond: perSecond, burst: burst ?? perSecond * 4, now: now)].take(
      now: now)
  }

  private mutating func shorten(_ now: Instant) {
    buckets = buckets.filter { !$0.value.isFull(now: now) }
    // An eighth at once, so that not every newcomer has all of them looked at.
    let excess = buckets.count - most * 7 / 8
    guard excess > 0 else { return }
    for (key, _) in buckets.sorted(by: { $0.value.last < $1.value.last }).prefix(excess) { buckets[key] = nil }
  }
}
