import Basics
import FoundationEssentials

/// The ids of sign-ins and of apps' codes that were used, until they would have expired anyway.
///
/// This server has sealed each of them. Anybody can have a sign-in sealed, so each network has a share of the table
/// (except proxies on this machine). A sign-in that never comes back from the provider costs no memory.
actor UsedIDs {
  private var used: [String: (end: Date, address: IPAddress?)] = [:]
  private var shares = NetworkShares(capacity: maximum, hostLimit: share)
  private var nextSweep = 1_024
  /// Beyond this many people in ten minutes, the next ones are asked to wait.
  static let maximum = 100_000
  /// And more than this many of one host: an address of IPv4, or a /64 of IPv6.
  static let share = 1_000

  /// Marks `id` as used until `end`, unless it was already, or too many are, of all or of the network that `address` is
  /// of.
  func use(_ id: String, until end: Date, by address: IPAddress? = nil, now: Date) throws(SignInProblem) {
    let address = address.flatMap { $0.isLoopback ? nil : $0 }
    if used.count >= nextSweep || isCrowded(address) { sweep(now) }
    guard used[id] == nil else { throw .expired }
    guard !isCrowded(address) else { throw .busy }
    used[id] = (end, address)
    shares.add(address)
  }

  private func isCrowded(_ address: IPAddress?) -> Bool {
    shares.isFull || address.map { shares.exhausted(around: $0) != nil } ?? false
  }

  private func sweep(_ now: Date) {
    used = used.filter { now < $0.value.end }
    nextSweep = max(1_024, used.count * 2)
    shares = NetworkShares(capacity: Self.maximum, hostLimit: Self.share)
    for entry in used.values { shares.add(entry.address) }
  }
}
