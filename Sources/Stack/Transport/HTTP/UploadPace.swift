import Basics

/// Whether a body comes fast enough, all the time: at ``rate`` bytes a second over the last ``window``, and not on
/// average of the whole.
///
/// Time that has run out without bytes is gone, and bytes that came fast buy no more than a window. So whoever holds a
/// connection, and what was promised for its body, pays for it as long as it is held.
struct UploadPace: Sendable {
  /// Bytes a second.
  let rate: Int
  /// How long nothing may come.
  let window: TimeSpan
  /// When the body is too slow, unless more of it comes before.
  private(set) var deadline: Instant
  private var pausedAt: Instant?

  /// A body that begins at `now`.
  init(rate: Int, window: TimeSpan, now: Instant) {
    self.rate = max(rate, 1)
    self.window = window
    deadline = now + window
  }

  /// So many bytes came.
  mutating func take(_ bytes: Int, now: Instant) {
    let bought = TimeSpan(nanoseconds: Int64(min(Double(bytes) / Double(rate), window.seconds) * 1e9))
    deadline = min(deadline + bought, now + window)
  }

  /// This end reads no more for now, which is not the client's fault.
  mutating func pause(now: Instant) { pausedAt = pausedAt ?? now }

  /// This end reads on.
  mutating func resume(now: Instant) {
    guard let since = pausedAt else { return }
    pausedAt = nil
    deadline = deadline + (now - since)
  }
}
