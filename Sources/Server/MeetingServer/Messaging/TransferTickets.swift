import Basics
import Meetings
import Messaging

/// The tickets for attachments that are open: given out, not used, and not too old. An identity has a bounded number of
/// them. Does no I/O.
struct TransferTickets: Sendable {
  private struct Ticket: Sendable {
    var transfer: MailboxOutcome.Transfer
    var expires: Instant
  }

  private var tickets: [String: Ticket] = [:]
  /// Tickets of each identity, those included whose requests are on their way to the disk.
  private var open: [RegID: Int] = [:]

  var count: Int { tickets.count }

  /// Takes a place for a ticket that is being made.
  mutating func reserve(for regId: RegID, now: Instant) throws(MessagingFailure) {
    let count = open[regId, default: 0]
    guard count < MessagingLimits.openTickets else {
      throw .init(
        .limitReached,
        "At most \(MessagingLimits.openTickets) tickets for attachments are open (openTickets). Use them first.",
        retryAfter: secondsUntilOneExpires(of: regId, now: now))
    }
    open[regId] = count + 1
  }

  /// Gives back the place of a ticket that wasn't made.
  mutating func release(_ regId: RegID) {
    let left = open[regId, default: 1] - 1
    open[regId] = left > 0 ? left : nil
  }

  /// Adds a ticket, whose place was reserved.
  mutating func insert(_ transfer: MailboxOutcome.Transfer, now: Instant) {
    tickets[transfer.token] = Ticket(
      transfer: transfer, expires: now + .seconds(Int64(MessagingLimits.ticketSeconds)))
  }

  /// The transfer of a ticket, which is used up; nil when there is none. An old one stays for ``expire(now:)``.
  mutating func use(_ token: String, now: Instant) -> MailboxOutcome.Transfer? {
    guard let ticket = tickets[token], ticket.expires > now else { return nil }
    tickets[token] = nil
    release(ticket.transfer.regId)
    return ticket.transfer
  }

  /// Removes the tickets that are too old, and returns what they were for.
  mutating func expire(now: Instant) -> [MailboxOutcome.Transfer] {
    let old = tickets.values.filter { $0.expires <= now }.map(\.transfer)
    for transfer in old {
      tickets[transfer.token] = nil
      release(transfer.regId)
    }
    return old
  }

  private func secondsUntilOneExpires(of regId: RegID, now: Instant) -> Int {
    let next = tickets.values.filter { $0.transfer.regId == regId }.map(\.expires).min()
    return max(1, next.map { Int(($0 - now).seconds.rounded(.up)) } ?? 1)
  }
}
