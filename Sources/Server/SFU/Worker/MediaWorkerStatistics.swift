public import RTC

/// The counts and state of a worker, for `/metrics`. Counters only grow.
public struct MediaWorkerStatistics: Sendable {
  /// Sum of all routers' counters, of meetings that are over too.
  public var routing = RouterCounters()
  /// The counts of records for other workers.
  public var relays = RelayCounters()
  /// The load of the paths to receivers.
  public var bandwidth = BandwidthTotals()
  /// The traffic of data channels.
  public var data = DataCounters()
  /// Datagrams dropped by peer connections, by reason.
  public var connectionDrops: [DropReason: UInt64] = [:]
  /// Datagrams from addresses that no check has proven, other than checks.
  public var unknownAddress: UInt64 = 0
  /// Checks for a user fragment that nobody has.
  public var unknownFragment: UInt64 = 0
  /// Candidates of clients that are not looked at: more than a description may have, or ones that cannot be read.
  public var candidatesIgnored: UInt64 = 0
  public var datagramsReceived: UInt64 = 0
  public var datagramsSent: UInt64 = 0
  /// Sending system calls.
  public var sendCalls: UInt64 = 0
  /// Datagrams dropped because a socket's buffer was full.
  public var sendDrops: UInt64 = 0
  public var meetings = 0
  public var participants = 0
  /// Share of the last moments that the worker was busy, 0 to 1.
  public var utilization = 0.0

  public init() {}
}
