import Basics
import Messaging

/// The budgets of identities: for the bytes of their requests, for the mailboxes that those write to, and for requests
/// about vaults. All endpoints and sockets of an identity share them. Does no I/O.
struct SenderBudgets: Sendable {
  private struct Budget: Evictable {
    var bytes: TokenBucket
    var deliveries: TokenBucket
    /// Until then all requests are refused, so that none overtakes the refused one before it.
    var closedUntil = Instant.zero

    init(now: Instant) {
      bytes = TokenBucket(
        perSecond: MessagingLimits.senderBytesPerSecond, burst: MessagingLimits.senderBytesBurst, from: now)
      deliveries = TokenBucket(
        perSecond: MessagingLimits.deliveriesPerSecond, burst: MessagingLimits.deliveriesBurst, from: now)
    }

    func isExpendable(at now: Instant) -> Bool {
      now >= closedUntil && bytes.isFull(at: now) && deliveries.isFull(at: now)
    }

    var evictionOrder: Instant { max(bytes.evictionOrder, deliveries.evictionOrder) }

    /// Takes the bytes of a request; returns the refusal when there are too few, or too many deliveries.
    mutating func take(_ amount: Int, closes: Bool, now: Instant) -> MessagingFailure? {
      guard deliveries.holds(0, now: now) else {
        if closes { closedUntil = now + MessageBudget.pause }
        let seconds = Self.seconds { [deliveries] in
          var later = deliveries
          return later.holds(0, now: now + .seconds($0))
        }
        return MessagingFailure(
          .tooFast,
          "An identity's requests write to at most \(MessagingLimits.deliveriesPerSecond) mailboxes a second "
            + "(deliveriesPerSecond). Send it again.", retryAfter: seconds)
      }
      guard now >= closedUntil, bytes.holds(amount, now: now) else {
        if closes, now >= closedUntil { closedUntil = now + MessageBudget.pause }
        let seconds = Self.seconds { [bytes] in
          var later = bytes
          return later.holds(amount, now: now + .seconds($0))
        }
        return MessagingFailure(
          .tooFast,
          "An identity sends at most \(MessagingLimits.senderBytesPerSecond >> 10) KiB a second "
            + "(senderBytesPerSecond). Send it again.", retryAfter: seconds)
      }
      bytes.spend(amount)
      return nil
    }

    /// The whole seconds, at least one, after which it is enough.
    private static func seconds(_ isEnough: (Int64) -> Bool) -> Int { (1..<60).first { isEnough(Int64($0)) } ?? 60 }
  }

  private var budgets = BoundedTable<RegID, Budget>(capacity: 60_000)
  /// Each request costs 60: what a minute's rate gives in a second is a whole number.
  private var vaultRequests = BoundedTable<RegID, TokenBucket>(capacity: 60_000)

  var count: Int { budgets.count }

  /// Takes the bytes of a request. A refusal that `closes` lets no later request pass for a moment.
  mutating func take(_ bytes: Int, of id: RegID, closes: Bool = true, now: Instant) throws(MessagingFailure) {
    let amount = bytes + MessagingLimits.requestOverhead
    let failure = budgets.update(id, initial: Budget(now: now), now: now) {
      $0.take(amount, closes: closes, now: now)
    }
    if let failure { throw failure }
  }

  /// Takes a request about the vault of an identity: it makes entries in the audit log.
  mutating func takeVaultRequest(of id: RegID, now: Instant) throws(MessagingFailure) {
    let most = MessagingLimits.vaultRequestsPerMinute
    let full = TokenBucket(perSecond: most, burst: MessagingLimits.vaultRequestBurst * 60, from: now)
    let isTaken = vaultRequests.update(id, initial: full, now: now) { $0.consume(60, now: now) }
    guard isTaken else {
      throw MessagingFailure(
        .limitReached,
        "An identity makes at most \(most) requests about its vault a minute (vaultRequestsPerMinute).",
        retryAfter: 60 / most)
    }
  }

  /// Takes the mailboxes that a request has written to, which may leave a debt.
  mutating func charge(deliveries: Int, of id: RegID, now: Instant) {
    budgets.update(id, initial: Budget(now: now), now: now) { budget in
      _ = budget.deliveries.holds(0, now: now)
      budget.deliveries.spend(deliveries, notBelow: -MessagingLimits.deliveriesBurst)
    }
  }
}
