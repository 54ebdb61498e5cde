public import Basics

/// A packet that feedback says has arrived.
public struct PacketResult: Hashable, Sendable {
  /// The packet as it was sent.
  public var packet: SentPacketHistory.Packet
  /// When it arrived, on the receiver's clock since an origin of its own; wraps.
  public var received: TimeSpan
}

/// Puts transport-wide feedback together with the history of what was sent: arrival times on one steady time line, and
/// losses.
///
/// Three steps for each report, so that nothing is allocated and no closure is needed: ``beginReport(_:)``,
/// ``addArrival(_:)`` for each arrival, ``finish()``. The work for one report is bounded by its length and the
/// history's capacity, whatever it claims.
public struct TransportFeedbackAdapter: Sendable {
  /// The totals of one report.
  public struct Summary: Hashable, Sendable {
    /// Packets that newly arrived.
    public var received = 0
    /// Packets that newly count as lost.
    public var lost = 0
    /// Packets that count as lost in one long run: the path stood still, which says nothing of how much it takes.
    public var outage = 0
    /// Packets that had counted as lost before and arrived after all.
    public var recovered = 0
    /// When the newest of the arrived packets had left; nil when none arrived.
    public var newestSent: Instant?
  }

  /// The packets that wait for feedback.
  public var history: SentPacketHistory
  /// Losses in a row over at least this time are an outage.
  private static let outage = TimeSpan.milliseconds(300)
  private static let outagePackets = 5
  /// One that follows another sooner is none: on a path that takes next to nothing long runs are lost between any two
  /// packets that arrive.
  private static let betweenOutages = TimeSpan.seconds(2)

  /// Feedback on packets that were never sent, are forgotten, or were reported before.
  public private(set) var ignoredCount: UInt64 = 0

  private var reference: Int32?
  /// The reference time of the current report in steps of 64 ms, unwrapped.
  private var unwrapped: Int64 = 0
  /// The highest number reported so far; losses below it are counted.
  private var highest: Int64
  /// The first number that the current report is about; the least when it is none that was sent.
  private var base = Int64.min
  private var summary = Summary()
  /// A long run of losses that began before this isn't an outage.
  private var nextOutage = Instant(nanoseconds: .min)

  /// An adapter over an empty history.
  public init(history: SentPacketHistory) {
    self.history = history
    highest = history.next &- 1
  }

  /// Starts a report; its arrivals follow with ``addArrival(_:)``.
  public mutating func beginReport(_ feedback: TransportFeedback) {
    summary = Summary()
    if let reference {
      // The 24 bits wrap after 12 days; the shorter way around is meant.
      let difference = ((feedback.referenceTime &- reference) << 8) >> 8
      unwrapped &+= Int64(difference)
    } else {
      unwrapped = Int64(feedback.referenceTime)
    }
    reference = feedback.referenceTime
    base = history.extended(feedback.baseSequence) ?? .min
  }

  /// Applies one arrival of the report; nil when it was known already.
  public mutating func addArrival(_ arrival: TransportFeedbackArrival) -> PacketResult? {
    guard let sequence = history.extended(arrival.sequenceNumber), let packet = history.acknowledge(sequence) else {
      ignoredCount &+= 1
      return nil
    }
    if sequence > highest {
      // Packets between the last report and this one were in a report that got lost itself, so their fate is unknown.
      // Counting them as lost would add the loss of the return path to that of the forward path.
      var missing = max(max(highest &+ 1, base), history.next &- Int64(history.capacity))
      var run = 0
      var runStart: Instant?
      while missing < sequence {
        if history.markLost(missing) {
          run &+= 1
          if runStart == nil { runStart = history.departure(of: missing) }
        }
        missing &+= 1
      }
      if run >= Self.outagePackets, let runStart, packet.sent - runStart >= Self.outage {
        if runStart < nextOutage { summary.lost &+= run } else { summary.outage &+= run }
        nextOutage = packet.sent + Self.betweenOutages
      } else {
        summary.lost &+= run
      }
      highest = sequence
    }
    summary.received &+= 1
    if packet.wasReportedLost { summary.recovered &+= 1 }
    summary.newestSent = max(summary.newestSent ?? packet.sent, packet.sent)
    let ticks = unwrapped &* 256 &+ Int64(arrival.ticks)
    return PacketResult(packet: packet, received: TimeSpan(nanoseconds: ticks &* 250_000))
  }

  public mutating func finish() -> Summary { summary }
}
