import Basics

/// How fast one participant may send: a bucket of messages and one of bytes.
struct DataRateLimit {
  private var messages: TokenBucket
  private var bytes: TokenBucket

  init(_ settings: DataChannelSettings, isSmall: Bool) {
    let factor = isSmall ? settings.smallMeetingFactor : 1
    messages = TokenBucket(perSecond: settings.messagesPerSecond, burst: settings.messageBurst)
    bytes = TokenBucket(perSecond: factor * settings.bytesPerSecond, burst: factor * settings.byteBurst)
  }

  /// Takes a message of `count` bytes; false when either bucket is too empty, and then nothing is taken.
  mutating func consume(_ count: Int, now: Instant) -> Bool {
    guard messages.holds(1, now: now), bytes.holds(count, now: now) else { return false }
    messages.spend(1)
    bytes.spend(count)
    return true
  }
}
