import Basics
import Messaging

/// Decides which pushes are posted: a few at a time, and not one after the other about the same. Does no I/O.
struct PushRateLimiter: Sendable {
  /// The subject of a push.
  struct Subject: Hashable, Sendable {
    var regId: RegID
    var kind: PushNotifier.Kind
    /// Of a call, who calls.
    var sender: RegID?

    /// Between two posts about it.
    fileprivate var pause: TimeSpan {
      switch kind {
      case .message: .seconds(5)
      case .call: .seconds(1)
      }
    }
  }

  /// Posts at once to the addresses of all domains, and to that of one; more are dropped.
  static let maximumRunning = 64
  static let maximumOfDomain = 8

  /// The last post about something. Old entries are dropped when there are many.
  private var notified: [Subject: Instant] = [:]
  private var running: [DomainID: Int] = [:]
  private var total = 0

  /// Whether a post starts now. One that is dropped doesn't count as posted: the next one about the same is tried.
  mutating func start(_ subject: Subject, of domain: DomainID, now: Instant) -> Bool {
    if let last = notified[subject], now < last + subject.pause { return false }
    guard total < Self.maximumRunning, running[domain, default: 0] < Self.maximumOfDomain else {
      notified[subject] = nil
      return false
    }
    if notified.count > 10_000 { notified = notified.filter { now < $0.value + $0.key.pause } }
    notified[subject] = now
    total += 1
    running[domain, default: 0] += 1
    return true
  }

  mutating func end(of domain: DomainID) {
    total -= 1
    let left = running[domain, default: 1] - 1
    running[domain] = left > 0 ? left : nil
  }
}
