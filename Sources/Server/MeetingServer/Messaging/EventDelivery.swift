import Messaging

/// The part of a mailbox that an endpoint has got, and the part that it may get now.
///
/// Events come from two sides: those that arise while everything before is sent go at once; the others are read from
/// the store. Both go a bounded number of events and bytes ahead of what the endpoint has acknowledged.
struct EventDelivery: Sendable {
  private struct Sent {
    var number: UInt64
    var bytes: Int
  }

  /// The newest event that was sent, or that there was when all was.
  private(set) var cursor: UInt64
  /// Whether every event so far is sent.
  private(set) var isCaughtUp = false
  private var unacknowledged: [Sent] = []
  private var bytes = 0
  private var isReading = false
  /// Events that were sent and that the endpoint has not acknowledged.
  var unacknowledgedCount: Int { unacknowledged.count }
  /// Events of one read: few, since each may be as large as a frame.
  static let batch = 50

  /// - Parameter acknowledged: The newest event that the endpoint keeps.
  init(acknowledged: UInt64) { cursor = acknowledged }

  private var hasRoom: Bool {
    unacknowledged.count < MessagingLimits.unacknowledged && bytes < MessagingLimits.unacknowledgedBytes
  }

  /// How many events are to be read after ``cursor``; 0 for none now.
  mutating func beginRead() -> Int {
    guard !isCaughtUp, !isReading, hasRoom else { return 0 }
    isReading = true
    return min(MessagingLimits.unacknowledged - unacknowledged.count, Self.batch)
  }

  /// Takes what was read, and returns how many of the events are to be sent now. `last` is the newest event of the
  /// mailbox at that moment.
  mutating func endRead(_ events: [(number: UInt64, bytes: Int)], asked: Int, last: UInt64) -> Int {
    isReading = false
    var count = 0
    for event in events {
      guard hasRoom else { return count }
      add(event.number, event.bytes)
      count += 1
    }
    if events.count < asked {
      isCaughtUp = true
      cursor = max(cursor, last)
    }
    return count
  }

  /// The read failed: it is tried again.
  mutating func failRead() { isReading = false }

  /// Whether an event that arises now is sent at once.
  var wantsEvents: Bool { isCaughtUp && hasRoom }

  /// Whether an event that has just arisen is to be sent now. Otherwise it is read later.
  mutating func offer(_ number: UInt64, bytes: Int) -> Bool {
    guard isCaughtUp else { return false }
    guard hasRoom else {
      isCaughtUp = false
      return false
    }
    add(number, bytes)
    return true
  }

  private mutating func add(_ number: UInt64, _ size: Int) {
    cursor = number
    unacknowledged.append(Sent(number: number, bytes: size))
    bytes += size
  }

  /// Events go on to be read from the store, at the next occasion.
  mutating func suspend() { isCaughtUp = false }

  /// Events through a number are gone. The endpoint hears of it, and acknowledges the number.
  mutating func skip(through number: UInt64) {
    guard number > cursor else { return }
    add(number, 0)
  }

  mutating func acknowledge(_ number: UInt64) {
    unacknowledged.removeAll { $0.number <= number }
    bytes = unacknowledged.reduce(0) { $0 + $1.bytes }
  }
}
