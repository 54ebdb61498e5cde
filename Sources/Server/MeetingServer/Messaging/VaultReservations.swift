import Basics
import Meetings
import Messaging

/// The vaults that were forgotten and are being made again: each is kept for the endpoint that forgot it, so that no
/// other endpoint of the identity comes before it with the old passcode. Does no I/O.
///
/// They end with the next record, with the endpoint, and with time. A restart of the server ends them as well.
struct VaultReservations: Sendable {
  private struct Reservation {
    var endpoint: EndpointID
    var until: Instant
  }

  private var reservations: [RegID: Reservation] = [:]

  var count: Int { reservations.count }

  /// Keeps the vault of a caller's identity for it, unless another endpoint has it.
  mutating func reserve(for caller: MailboxCaller, now: Instant) throws(MessagingFailure) {
    try require(caller, now: now)
    reservations[caller.regId] = Reservation(
      endpoint: caller.endpoint, until: now + .seconds(Int64(MessagingLimits.vaultReservationSeconds)))
  }

  /// Refuses requests about a vault that is kept for another endpoint.
  func require(_ caller: MailboxCaller, now: Instant) throws(MessagingFailure) {
    guard let seconds = seconds(of: caller.regId, for: caller.endpoint, now: now) else { return }
    throw MessagingFailure(
      .vaultReserved,
      "Another endpoint has forgotten the passcode and is choosing a new one (vaultReservationSeconds).",
      retryAfter: seconds)
  }

  /// For how long another endpoint has the vault of an identity; nil when none has.
  func seconds(of regId: RegID, for endpoint: EndpointID, now: Instant) -> Int? {
    guard let found = reservations[regId], found.endpoint != endpoint, found.until > now else { return nil }
    return Int((found.until - now).nanoseconds / 1_000_000_000) + 1
  }

  /// The endpoint has stored the next record, has given up, or is gone.
  mutating func release(_ endpoint: EndpointID, of regId: RegID) {
    if reservations[regId]?.endpoint == endpoint { reservations[regId] = nil }
  }

  /// As ``release(_:of:)``, for an endpoint whose identity isn't known any more.
  mutating func release(_ endpoint: EndpointID) {
    for (regId, reservation) in reservations where reservation.endpoint == endpoint { reservations[regId] = nil }
  }

  mutating func expire(now: Instant) { reservations = reservations.filter { $0.value.until > now } }
}
