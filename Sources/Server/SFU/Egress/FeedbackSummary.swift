import Basics
public import RTC

/// Totals of a receiver's transport-wide feedback since they were last taken.
public struct FeedbackSummary: Sendable {
  /// Packets reported as received.
  public private(set) var received: UInt32 = 0
  /// Packets reported on, received or not.
  public private(set) var reported: UInt32 = 0

  public init() {}

  /// The share of packets lost, 0 to 1.
  public var loss: Double {
    reported == 0 ? 0 : Double(reported &- min(received, reported)) / Double(reported)
  }

  /// Takes a report. The work is bounded by the datagram's length.
  public mutating func add(_ feedback: TransportFeedback, in datagram: Span<UInt8>) {
    var count: UInt32 = 0
    var arrivals = feedback.arrivals
    while arrivals.next(in: datagram) != nil { count &+= 1 }
    received &+= count
    reported &+= UInt32(truncatingIfNeeded: feedback.statusCount)
  }

  public mutating func reset() {
    received = 0
    reported = 0
  }
}
