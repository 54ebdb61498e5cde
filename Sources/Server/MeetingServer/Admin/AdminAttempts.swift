import Basics
import Meetings
import Synchronization

/// Slows down who guesses the administration's token: so many wrong ones a minute may come from one address, and after that none of it is looked at
/// for the rest of the minute, not the right one either.
///
/// Addresses of IPv6 count by the network that a customer is given (64 bits). This machine is exempt unless the limit is set: whoever else has
/// an account here could lock the operator out.
final class AdminAttempts: Sendable {
  private struct Count {
    var wrong: Int
    var since: Instant
  }

  /// The most addresses that are remembered.
  private static let maximumAddresses = 10_000
  private static let window = TimeSpan.seconds(60)

  private let perMinute: Int
  private let includesLoopback: Bool
  private let counters: LimitCounters
  private let counts = Mutex<[IPAddress: Count]>([:])

  /// `perMinute` nil is the usual limit; 0 is none.
  init(perMinute: Int?, counters: LimitCounters) {
    self.perMinute = perMinute ?? 10
    includesLoopback = perMinute != nil
    self.counters = counters
  }

  /// How many addresses are remembered.
  var count: Int { counts.withLock(\.count) }

  /// Throws what is told to an address from which too many wrong tokens came.
  func check(_ address: IPAddress, now: Instant) throws(Refusal) {
    guard watches(address) else { return }
    let isBlocked = counts.withLock { counts in
      guard let count = counts[address.network], now - count.since < Self.window else { return false }
      return count.wrong >= perMinute
    }
    guard isBlocked else { return }
    counters.add(.adminAttempts)
    throw Refusal(
      LimitReached(
        .adminAttempts,
        "The limit of \(perMinute) wrong tokens a minute from one address is reached (--admin-attempts). Wait a minute."
      ),
      code: "tooManyRequests")
  }

  /// A wrong token came from an address.
  func failed(_ address: IPAddress, now: Instant) {
    guard watches(address) else { return }
    counts.withLock { counts in
      let key = address.network
      if counts.count >= Self.maximumAddresses, counts[key] == nil { Self.shorten(&counts, now) }
      if let count = counts[key], now - count.since >= Self.window { counts[key] = nil }
      counts[key, default: Count(wrong: 0, since: now)].wrong += 1
    }
  }

  private func watches(_ address: IPAddress) -> Bool { perMinute > 0 && (includesLoopback || !address.isLoopback) }

  /// Forgets those whose minute is over, or else the eighth that began first.
  private static func shorten(_ counts: inout [IPAddress: Count], _ now: Instant) {
    counts = counts.filter { now - $0.value.since < window }
    let excess = counts.count - maximumAddresses * 7 / 8
    guard excess > 0 else { return }
    for (key, _) in counts.sorted(by: { $0.value.since < $1.value.since }).prefix(excess) { counts[key] = nil }
  }
}
