import Basics
import Meetings
import Synchronization

/// Slows down guessing of the admin token. After so many wrong ones a minute from one address, every token from there
/// is refused for the rest of the minute, the right one too.
///
/// Addresses of IPv6 count by the network that a customer is given (64 bits). This machine is exempt unless the limit
/// is set: anybody with an account here could lock the operator out.
final class AdminAttempts: Sendable {
  /// The most addresses that are remembered.
  private static let maximumAddresses = 10_000
  private static let window = TimeSpan.seconds(60)

  private let perMinute: Int
  private let includesLoopback: Bool
  private let counters: LimitCounters
  private let counts = Mutex(WindowedCounters<IPAddress>(window: window, capacity: maximumAddresses))

  /// `perMinute` nil is the usual limit; 0 is none.
  init(perMinute: Int?, counters: LimitCounters) {
    self.perMinute = perMinute ?? 10
    includesLoopback = perMinute != nil
    self.counters = counters
  }

  /// How many addresses are remembered.
  var count: Int { counts.withLock(\.keys) }

  /// Throws the refusal for an address from which too many wrong tokens came.
  func check(_ address: IPAddress, now: Instant) throws(Refusal) {
    guard watches(address) else { return }
    guard counts.withLock({ $0.count(of: address.network, at: now) }) >= perMinute else { return }
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
    counts.withLock { $0.increment(address.network, now: now) }
  }

  private func watches(_ address: IPAddress) -> Bool { perMinute > 0 && (includesLoopback || !address.isLoopback) }
}
