import Meetings
import Messaging

/// What of a mailbox an endpoint has got, and what it may get now.
///
/// Events come from two sides: those that arise while everything before is sent go at once; the others are read from the store, a bounded
/// number ahead of what the endpoint has acknowledged.
struct EventDelivery: Sendable {
  /// The newest event that was sent, or that there was when all was.
  private(set) var cursor: UInt64
  /// Whether every event so far is sent.
  private(set) var isCaughtUp = false
  private var unacknowledged: [UInt64] = []
  private var isReading = false
  /// Events of one read: few, since each may be as large as a frame.
  static let batch = 50

  /// - Parameter acknowledged: The newest event that the endpoint keeps.
  init(acknowledged: UInt64) { cursor = acknowledged }

  /// How many events are to be read after ``cursor``; 0 for none now.
  mutating func beginRead() -> Int {
    let room = MessagingLimits.unacknowledged - unacknowledged.count
    guard !isCaughtUp, !isReading, room > 0 else { return 0 }
    isReading = true
    return min(room, Self.batch)
  }

  /// Takes what was read. `last` is the newest event of the mailbox at that moment.
  mutating func endRead(_ events: [MailboxEvent], asked: Int, last: UInt64) {
    isReading = false
    unacknowledged += events.map(\.number)
    cursor = events.last?.number ?? cursor
    if events.count < asked {
      isCaughtUp = true
      cursor = max(cursor, last)
    }
  }

  /// The read failed: it is tried again.
  mutating func failRead() { isReading = false }

  /// Whether an event that has just arisen is to be sent now. Otherwise it is read later.
  mutating func offer(_ number: UInt64) -> Bool {
    guard isCaughtUp else { return false }
    guard unacknowledged.count < MessagingLimits.unacknowledged else {
      isCaughtUp = false
      return false
    }
    cursor = number
    unacknowledged.append(number)
    return true
  }

  mutating func acknowledge(_ number: UInt64) { unacknowledged.removeAll { $0 <= number } }
}
