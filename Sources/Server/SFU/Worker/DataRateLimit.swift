import Basics

/// How fast one participant may send: a bucket of messages and one of bytes, which fill up by and by.
struct DataRateLimit {
  private let settings: DataChannelSettings
  private var messages: Double
  private var bytes: Double
  private var last: Instant

  init(_ settings: DataChannelSettings, now: Instant) {
    self.settings = settings
    messages = Double(settings.messageBurst)
    bytes = Double(settings.byteBurst)
    last = now
  }

  /// Takes a message of `count` bytes; false when either bucket is too empty, and then nothing is taken.
  mutating func take(_ count: Int, now: Instant) -> Bool {
    let seconds = max(0, (now - last).seconds)
    last = now
    messages = min(Double(settings.messageBurst), messages + seconds * Double(settings.messagesPerSecond))
    bytes = min(Double(settings.byteBurst), bytes + seconds * Double(settings.bytesPerSecond))
    guard messages >= 1, bytes >= Double(count) else { return false }
    messages -= 1
    bytes -= Double(count)
    return true
  }
}
