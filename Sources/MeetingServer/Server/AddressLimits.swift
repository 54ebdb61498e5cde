import Basics
import Meetings
import Synchronization
import Transport

/// How often one address may join or make meetings, over every door together.
///
/// An address counts with the networks around it (``NetworkWidth``): a site may ask four times as often as a host, a provider ten times.
final class AddressLimits: Sendable {
  /// The most networks that are remembered.
  private static let maximumNetworks = 60_000

  /// Requests a second on average.
  let perSecond: Int
  private let includesLoopback: Bool
  private let counters: OperationCounters
  private let limitCounters: LimitCounters
  private let buckets = Mutex(BucketTable<Network>(most: maximumNetworks))

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
    let isTaken = buckets.withLock { buckets in
      NetworkWidth.allCases.allSatisfy { width in
        let times =
          switch width {
          case .host: 1
          case .site: 4
          case .provider: 10
          }
        return buckets.take(Network(of: address, width), perSecond: perSecond * times, now: now)
      }
    }
    guard !isTaken else { return }
    counters.rateLimited.add(1)
    limitCounters.add(.addressRate)
    throw Refusal(
      LimitReached(
        .addressRate,
        "The limit of \(perSecond) requests a second from one address, or four and ten times as many from the networks around it, is reached (--address-rate). Try again in a moment."
      ), code: "tooManyRequests")
  }
}
