import Basics
import Meetings
import Synchronization
import Transport

/// How often one address may join or make meetings, over all endpoints together.
///
/// An address counts with the networks around it (``NetworkWidth``): a site may ask four times as often as a host, a
/// provider ten times.
final class AddressLimits: Sendable {
  /// The most networks that are remembered.
  private static let maximumNetworks = 60_000

  /// Requests a second on average.
  let perSecond: Int
  /// Requests a second on average that make or change something.
  let writesPerSecond: Int
  private let includesLoopback: Bool
  private let includesLoopbackWrites: Bool
  private let counters: OperationCounters
  private let limitCounters: LimitCounters
  private let buckets = Mutex(BoundedTable<Network, TokenBucket>(capacity: maximumNetworks))
  private let writes = Mutex(BoundedTable<Network, TokenBucket>(capacity: maximumNetworks))

  /// `perSecond` nil is the usual limit, which this machine is exempt from: its connections may be a proxy's. 0 means
  /// unlimited. `writesPerSecond` is the same for what makes or changes something.
  init(
    perSecond: Int?, writesPerSecond: Int? = nil, counters: OperationCounters,
    limitCounters: LimitCounters = LimitCounters()
  ) {
    self.writesPerSecond = writesPerSecond ?? 5
    includesLoopbackWrites = writesPerSecond != nil
    self.limitCounters = limitCounters
    self.perSecond = perSecond ?? 50
    includesLoopback = perSecond != nil
    self.counters = counters
  }

  /// Takes a request of an address that makes or changes something without a credential of the tenant's: a meeting, a
  /// token, an entry in the audit log. Reading may come ten times as often. Returns the limit that is reached.
  func writeRefusal(_ address: IPAddress, now: Instant) -> LimitReached? {
    guard writesPerSecond > 0, includesLoopbackWrites || !address.isLoopback else { return nil }
    let isTaken = writes.withLock { Self.take(address, from: &$0, perSecond: writesPerSecond, seconds: 20, now: now) }
    guard !isTaken else { return nil }
    counters.rateLimited.add(1)
    limitCounters.add(.addressWriteRate)
    return LimitReached(
      .addressWriteRate,
      "The limit of \(writesPerSecond) requests a second from one address that make or change something without an account is reached "
        + "(--address-write-rate). Try again in a moment.")
  }

  /// The same, for HTTP.
  func takeWrite(_ address: IPAddress, now: Instant) throws(Refusal) {
    if let reached = writeRefusal(address, now: now) { throw Refusal(reached, code: "tooManyRequests") }
  }

  /// Takes a request of an address; throws the refusal for one that asks too often.
  func take(_ address: IPAddress, now: Instant) throws(Refusal) {
    guard perSecond > 0, includesLoopback || !address.isLoopback else { return }
    let isTaken = buckets.withLock { Self.take(address, from: &$0, perSecond: perSecond, seconds: 4, now: now) }
    guard !isTaken else { return }
    counters.rateLimited.add(1)
    limitCounters.add(.addressRate)
    throw Refusal(
      LimitReached(
        .addressRate,
        "The limit of \(perSecond) requests a second from one address, or four and ten times as many from the networks around it, is reached (--address-rate). Try again in a moment."
      ), code: "tooManyRequests")
  }

  /// Takes one from the buckets of an address and of the networks around it, which hold what comes in so many seconds.
  private static func take(
    _ address: IPAddress, from buckets: inout BoundedTable<Network, TokenBucket>, perSecond: Int, seconds: Int,
    now: Instant
  ) -> Bool {
    NetworkWidth.allCases.allSatisfy { width in
      let times =
        switch width {
        case .host: 1
        case .site: 4
        case .provider: 10
        }
      let rate = perSecond * times
      return buckets.consume(Network(of: address, width), perSecond: rate, burst: rate * seconds, now: now)
    }
  }
}
