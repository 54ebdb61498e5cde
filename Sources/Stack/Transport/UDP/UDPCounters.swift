/// Counts of a UDP socket since it was opened. Sizes are UDP payload.
public struct UDPCounters: Hashable, Sendable {
  /// Datagrams received, coalesced ones counted singly.
  public var packetsReceived: UInt64 = 0
  /// Bytes received.
  public var bytesReceived: UInt64 = 0
  /// Receiving system calls that gave at least one datagram.
  public var receiveCalls: UInt64 = 0
  /// Datagrams cut off by a slot too small, and dropped.
  public var packetsTruncated: UInt64 = 0
  /// Datagrams handed to the kernel.
  public var packetsSent: UInt64 = 0
  /// Bytes handed to the kernel.
  public var bytesSent: UInt64 = 0
  /// System calls that sent; one may carry many datagrams (``UDPSocket``).
  public var sendCalls: UInt64 = 0
  /// Datagrams not sent because the socket's buffer was full.
  public var packetsDropped: UInt64 = 0
  /// Datagrams not sent because of another error (no route, refused by a filter, …).
  public var sendErrors: UInt64 = 0
  /// Datagrams that were meant to leave segmented and had to be sent singly.
  public var segmentationFallbacks: UInt64 = 0

  public init() {}
}
