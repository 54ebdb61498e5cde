public import Basics

/// Counters of a ``DataChannelTransport``, named after W3C's `RTCDataChannelStats` and `RTCSctpTransportStats`.
public struct DataChannelStatistics: Hashable, Sendable {
  /// Messages handed to the association, DCEP's own not counted.
  public var messagesSent: UInt64 = 0
  /// Their payload bytes.
  public var bytesSent: UInt64 = 0
  /// Messages delivered to the application.
  public var messagesReceived: UInt64 = 0
  /// Their payload bytes.
  public var bytesReceived: UInt64 = 0
  /// Messages given up because of a channel's limit (RFC 3758).
  public var messagesAbandoned: UInt64 = 0
  /// Channels opened, by either side.
  public var dataChannelsOpened: UInt64 = 0
  public var dataChannelsClosed: UInt64 = 0
  /// DATA chunks sent again.
  public var retransmissions: UInt64 = 0
  public var packetsSent: UInt64 = 0
  public var packetsReceived: UInt64 = 0
  /// The congestion window in bytes.
  public var congestionWindow = 0
  /// The window that the peer advertised last, in bytes.
  public var receiverWindow = 0
  /// The smoothed round trip time; nil before the first measurement.
  public var smoothedRoundTripTime: TimeSpan?
  /// Chunks sent and not yet acknowledged.
  public var unacknowledgedChunks = 0
  /// Counts of dropped packets and chunks, by reason.
  public var drops = SCTPDropCounts()
}

/// Counters of one channel, named after W3C's `RTCDataChannelStats`.
public struct DataChannelCounts: Hashable, Sendable {
  /// Messages handed to the association.
  public var messagesSent: UInt64 = 0
  /// Their payload bytes.
  public var bytesSent: UInt64 = 0
  /// Messages delivered to the application.
  public var messagesReceived: UInt64 = 0
  /// Their payload bytes.
  public var bytesReceived: UInt64 = 0
}
