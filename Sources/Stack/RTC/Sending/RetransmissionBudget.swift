public import Basics

/// The budget for retransmissions to one receiver: bytes in proportion to its traffic, and each packet at most once per
/// round trip. A flood of NACKs then gains its sender nothing.
public struct RetransmissionBudget: Sendable {
  /// The allowance never exceeds this many bytes: one large keyframe.
  public static let capacity: Int64 = 192_000
  /// The budget of each second even when nothing is sent, in bytes.
  public static let floorPerSecond: Int64 = 16_000
  private static let entries = 128

  @usableFromInline var allowance: Int64 = Self.capacity
  private var refilled = Instant.zero
  private var recent: ContiguousArray<(sequence: UInt32, at: Int64)> = []

  /// A full budget; memory for recent retransmissions is taken with the first one.
  public init() {}

  /// Media of `bytes` was sent: half as much may be sent again.
  @inlinable public mutating func sent(bytes: Int) {
    allowance = min(allowance &+ Int64(bytes / 2), Self.capacity)
  }

  /// Whether `bytes` for the packet `sequence` (extended, of stream `stream`) may be sent again now; it then counts as
  /// sent.
  public mutating func spend(
    bytes: Int, sequence: Int64, stream: Int, roundTrip: TimeSpan, now: Instant
  ) -> Bool {
    if refilled != .zero, now > refilled {
      let gained = (now - refilled).milliseconds &* Self.floorPerSecond / 1_000
      if gained > 0 {
        allowance = min(allowance &+ gained, Self.capacity)
        refilled = now
      }
    } else {
      refilled = now
    }
    guard allowance >= Int64(bytes) else { return false }
    if recent.isEmpty { recent = ContiguousArray(repeating: (.max, .min), count: Self.entries) }
    let key = UInt32(truncatingIfNeeded: sequence) &* 31 &+ UInt32(truncatingIfNeeded: stream)
    let slot = Int(key % UInt32(Self.entries))
    if recent[slot].sequence == key, recent[slot].at != .min,
      now.nanoseconds &- recent[slot].at < roundTrip.nanoseconds
    {
      return false
    }
    recent[slot] = (key, now.nanoseconds)
    allowance &-= Int64(bytes)
    return true
  }
}
