import Basics
import RTC

/// A packet that waits for its turn: where its bytes are and under which numbers it leaves. The bytes stay in the
/// publication's store.
struct PacedPacket: Sendable {
  /// The index of the slot in its egress.
  var subscription: Int32
  /// About what it takes on the wire.
  var size: Int32
  /// The packet's stream: a slot may change its stream while packets wait.
  var source: SSRC
  var sequence: Int64
  var numbers: StreamRewriter.Numbers
  var enqueued: Instant
}

/// Spreads video over time for a receiver whose path would not take it at once.
///
/// A budget grows at ``factor`` times the estimate, or by ``leastRate`` besides audio if that is more, and shrinks by
/// whatever is sent. While it lasts packets leave at once and the queue stays empty. Bounded in packets, bytes and
/// time; memory is given back when a large queue has drained. A plain value.
struct PacingQueue: Sendable {
  /// How much faster than the estimate packets leave.
  static let factor = 2.5
  /// Video that is forwarded may leave this fast, however low the estimate, in bits a second.
  static let leastRate = 50_000.0
  /// How much time's worth of budget is saved up: what may leave in one burst.
  static let burst = TimeSpan.milliseconds(40)
  /// Most packets that wait.
  static let maximumPackets = 1_024
  /// Most bytes that wait.
  static let maximumBytes = 512 * 1_024
  /// How long a packet may wait.
  static let maximumWait = TimeSpan.milliseconds(800)

  private var entries: ContiguousArray<PacedPacket> = []
  private var head = 0
  /// Queued packets. Stored rather than computed: a caller that reads it for each packet would hold exclusive access to
  /// the list.
  private(set) var count = 0
  /// Bytes that wait.
  private(set) var bytes = 0
  private var credit = 0.0
  private var rate = 1e6
  private var refilled: Instant?

  @inline(__always)
  var isEmpty: Bool { count == 0 }
  /// The packet whose turn is next.
  var first: PacedPacket? { head < entries.count ? entries[head] : nil }

  /// Whether a packet may leave now without waiting.
  @inline(__always)
  var admits: Bool { credit > 0 && count == 0 }

  /// Brings the budget up to date for an estimate of `target`.
  ///
  /// - Parameter audio: The rate of audio, which uses the budget and never waits.
  mutating func refill(_ target: DataRate, audio: DataRate, now: Instant) {
    // Queued packets must leave before they are too old, however low the estimate and whatever audio takes. Otherwise
    // no video at all would leave, and a receiver that estimates what arrives (REMB) would never report more.
    let drain = Double(bytes) * 8 / (Self.maximumWait.seconds * 0.6)
    let least = max(drain, Self.leastRate) + Double(audio.bitsPerSecond)
    rate = max(Double(target.bitsPerSecond) * Self.factor, least)
    let capacity = rate * Self.burst.seconds
    if let last = refilled {
      credit = min(credit + max((now - last).seconds, 0) * rate, capacity)
    } else {
      credit = capacity
    }
    refilled = now
  }

  /// Charges the budget for a sent packet. Packets that aren't paced may not block the rest for long.
  @inline(__always)
  mutating func sent(bytes: Int) { credit = max(credit - Double(bytes) * 8, -400_000) }

  /// Whether the packet at the head may leave.
  var isDue: Bool { credit > 0 && count > 0 }

  /// When the packet at the head may leave; a few packets' worth is waited for, so that they leave together.
  @inline(__always)
  var deadline: Instant {
    guard count > 0, let refilled else { return .distantFuture }
    guard credit <= 0 else { return refilled }
    let missing = max(-credit, 0) + min(rate * 0.005, 24_000)
    return refilled + TimeSpan(nanoseconds: Int64(missing / rate * 1e9) &+ 1)
  }

  /// Lets a packet wait; false when there is no room.
  mutating func append(_ packet: PacedPacket) -> Bool {
    guard count < Self.maximumPackets, bytes &+ Int(packet.size) <= Self.maximumBytes else { return false }
    if head > 64, head &* 2 > entries.count {
      entries.removeFirst(head)
      head = 0
    }
    entries.append(packet)
    count &+= 1
    bytes &+= Int(packet.size)
    return true
  }

  /// Takes the packet at the head.
  mutating func removeFirst() {
    guard head < entries.count else { return }
    bytes &-= Int(entries[head].size)
    head &+= 1
    count &-= 1
    if count == 0 { removeAll() }
  }

  /// The slot at `place` is gone, and those behind it have moved up: forgets what waits for it.
  mutating func removeSlot(_ place: Int32) {
    var kept = 0
    for index in head..<entries.count {
      var entry = entries[index]
      guard entry.subscription != place else {
        bytes &-= Int(entry.size)
        continue
      }
      if entry.subscription > place { entry.subscription &-= 1 }
      entries[kept] = entry
      kept &+= 1
    }
    entries.removeLast(entries.count &- kept)
    head = 0
    count = kept
  }

  mutating func removeAll() {
    entries.removeAll(keepingCapacity: entries.capacity <= 128)
    head = 0
    count = 0
    bytes = 0
  }
}
