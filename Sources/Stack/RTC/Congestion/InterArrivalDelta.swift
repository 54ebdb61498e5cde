public import Basics

/// Groups packets that left together and measures how the distance between two groups changed on the way
/// (draft-ietf-rmcat-gcc-02 section 5.2).
///
/// Packets that left within 5 ms make one group; so do packets that arrive in a burst after a gap in the path. A plain
/// value.
public struct InterArrivalDelta: Sendable {
  /// Distances between two groups.
  public struct Deltas: Hashable, Sendable {
    /// Between the last packets' departures.
    public var sent: TimeSpan
    /// Between the last packets' arrivals.
    public var received: TimeSpan
    /// How many bytes larger the later group is.
    public var size: Int
  }

  private struct Group {
    var firstSent: Int64
    var lastSent: Int64
    var firstReceived: Int64
    var lastReceived: Int64
    var reported: Instant
    var size: Int
  }

  private static let groupLength: Int64 = 5_000_000
  private static let maximumBurst: Int64 = 100_000_000
  private static let maximumClockJump: Int64 = 3_000_000_000
  private static let maximumReordered = 3

  private var current: Group?
  private var previous: Group?
  private var reordered = 0

  public init() {}

  /// Takes a packet that arrived; gives the deltas of the two groups before when it begins a new one.
  public mutating func add(_ result: PacketResult, now: Instant) -> Deltas? {
    let sent = result.packet.sent.nanoseconds
    let received = result.received.nanoseconds
    let fresh = Group(
      firstSent: sent, lastSent: sent, firstReceived: received, lastReceived: received, reported: now,
      size: result.packet.size)
    guard var group = current else {
      current = fresh
      return nil
    }
    // A packet from before the group is reordered, and says nothing of the queue.
    guard sent >= group.firstSent else { return nil }
    if isInBurst(group, sent, received) || sent &- group.firstSent <= Self.groupLength {
      group.lastSent = max(group.lastSent, sent)
      group.lastReceived = max(group.lastReceived, received)
      group.reported = now
      group.size &+= result.packet.size
      current = group
      return nil
    }
    let deltas = complete(group)
    if current != nil { previous = group }
    current = fresh
    return deltas
  }

  private mutating func complete(_ group: Group) -> Deltas? {
    guard let before = previous else { return nil }
    let received = group.lastReceived &- before.lastReceived
    let elapsed = (group.reported - before.reported).nanoseconds
    if received &- elapsed >= Self.maximumClockJump {
      reset()
      return nil
    }
    guard received >= 0 else {
      reordered += 1
      if reordered >= Self.maximumReordered { reset() }
      return nil
    }
    reordered = 0
    return Deltas(
      sent: TimeSpan(nanoseconds: group.lastSent &- before.lastSent), received: TimeSpan(nanoseconds: received),
      size: group.size &- before.size)
  }

  /// Whether the packet came right behind the group although it left later: both waited for the same thing.
  private func isInBurst(_ group: Group, _ sent: Int64, _ received: Int64) -> Bool {
    let sentDelta = sent &- group.lastSent
    let receivedDelta = received &- group.lastReceived
    if sentDelta == 0 { return true }
    return receivedDelta &- sentDelta < 0 && receivedDelta <= Self.groupLength && receivedDelta >= 0
      && received &- group.firstReceived < Self.maximumBurst
  }

  private mutating func reset() {
    current = nil
    previous = nil
    reordered = 0
  }
}
