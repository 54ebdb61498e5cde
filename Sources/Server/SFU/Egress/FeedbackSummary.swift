public import Basics
public import RTC

/// The sums of a receiver's transport-wide feedback, until they are taken.
public struct FeedbackSummary: Sendable {
  /// Packets reported as received.
  public private(set) var received: UInt32 = 0
  /// Packets reported on, received or not.
  public private(set) var reported: UInt32 = 0
  /// The receiver's own estimate of its downlink (REMB), if it sends one.
  public var estimate: DataRate?

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

  /// Starts over; the estimate stays.
  public mutating func reset() {
    received = 0
    reported = 0
  }
}
