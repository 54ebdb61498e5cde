public import RTC

/// What a worker did and has, for `/metrics`. Counters only grow.
public struct MediaWorkerStatistics: Sendable {
  /// Sum of all routers' counters, of meetings that are over too.
  public var routing = RouterCounters()
  /// What was written for other workers.
  public var relays = RelayCounters()
  /// What the paths to receivers carry now.
  public var bandwidth = BandwidthTotals()
  /// What came and went over data channels.
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
