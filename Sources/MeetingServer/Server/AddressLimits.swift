import Basics
import Meetings
import Synchronization
import Transport

/// How often one address may join or make meetings, over every door together.
///
/// Addresses of IPv6 count by the network that a customer is given (64 bits), since each of its machines can take any address in it.
final class AddressLimits: Sendable {
  /// The most addresses that are remembered.
  private static let maximumAddresses = 20_000

  /// Requests a second on average.
  let perSecond: Int
  private let includesLoopback: Bool
  private let counters: OperationCounters
  private let limitCounters: LimitCounters
  private let buckets = Mutex(BucketTable<IPAddress>(most: maximumAddresses))

  /// `perSecond` nil is the usual limit, which this machine is exempt from: a proxy may be what connects from it. 0 is no limit.
  init(perSecond: Int?, counters: OperationCounters, limitCounters: LimitCounters = LimitCounters()) {
    self.limitCounters = limitCounters
    self.perSecond = perSecond ?? 50
    includesLoopback = perSecond != nil
    self.counters = counters
  }

  /// Takes a request of an address; throws what is told to it when it asks too often.
  func take(_ address: IPAddress, now: Instant) throws(Refusal) {
    guard perSecond > 0, includesLoopback || !address.isLoopback else { return }
    let isTaken = buckets.withLock { $0.take(address.network, perSecond: perSecond, now: now) }
    guard !isTaken else { return }
    counters.rateLimited.add(1)
    limitCounters.add(.addressRate)
    throw Refusal(
      LimitReached(
        .addressRate,
        "The limit of \(perSecond) requests a second from one address is reached (--address-rate). Try again in a moment."
      ), code: "tooManyRequests")
  }
}
