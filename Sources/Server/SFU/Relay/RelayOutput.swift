/// The writing side of a relay link. Messages that must not be lost are queued here until there is room; media is
/// refused and stays in its stream's store (``RelayBacklog``).
///
/// One eighth of the ring is kept for announcements and demands, so that they nearly never wait. While one does, media
/// is refused too: the order of what the other end sees stays that in which it happened. Every meeting between the same
/// two ends shares the link.
public final class RelayOutput {
  /// The ring, whose reader is the other end or the socket towards it.
  public let ring: RelayRing
  public private(set) var counters = RelayCounters()

  private var waiting: [[UInt8]] = []
  /// Records that may wait; more are dropped.
  private static let maximumWaiting = 16_384

  /// The writing side of `ring`.
  public init(ring: RelayRing) { self.ring = ring }

  /// Writes a media record of `length` bytes; false when there is no room.
  @inline(__always)
  func sendMedia(length: Int, _ body: (inout MutableSpan<UInt8>) -> Void) -> Bool {
    guard waiting.isEmpty, ring.write(length: length, leaving: ring.capacity / 8, body) else { return false }
    counters.packets &+= 1
    counters.bytes &+= UInt64(truncatingIfNeeded: length)
    return true
  }

  /// A media packet found no room, and waits.
  func noteDelayed() { counters.packetsDelayed &+= 1 }

  /// Media packets that found no room will not be written.
  func noteDropped(_ count: Int = 1) { counters.packetsDropped &+= UInt64(count) }

  /// Writes a record that must arrive; without room it waits for ``flush()``.
  func send(_ record: [UInt8]) {
    flush()
    if waiting.isEmpty, write(record) { return }
    guard waiting.count < Self.maximumWaiting else {
      counters.messagesDropped &+= 1
      return
    }
    waiting.append(record)
  }

  /// Writes what waits, as far as there is room; called once a tick.
  public func flush() {
    guard !waiting.isEmpty else { return }
    var done = 0
    while done < waiting.count, write(waiting[done]) { done += 1 }
    waiting.removeFirst(done)
  }

  /// Whether records wait for room.
  public var isBlocked: Bool { !waiting.isEmpty }

  private func write(_ record: [UInt8]) -> Bool {
    guard ring.write(length: record.count, { RelayBytes.copy(record.span, into: &$0, at: 0) }) else { return false }
    counters.messages &+= 1
    counters.bytes &+= UInt64(truncatingIfNeeded: record.count)
    return true
  }
}
