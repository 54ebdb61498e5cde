public import Basics

/// The counts of one direction of an emulated link.
public struct LinkStatistics: Sendable {
  public internal(set) var sent = 0
  /// Bytes handed in.
  public internal(set) var sentBytes = 0
  /// Packets that the loss model swallowed.
  public internal(set) var lost = 0
  /// Packets that did not fit the queue.
  public internal(set) var dropped = 0
  /// Packets that arrived, second copies included.
  public internal(set) var delivered = 0
  /// Bytes that arrived, second copies included.
  public internal(set) var deliveredBytes = 0
  /// How long each packet that passed the bottleneck waited in front of it and on it, in order of passing.
  public internal(set) var queueingDelays: [TimeSpan] = []

  /// The queueing delay that `share` (0 to 1) of the packets did not exceed; zero when none has passed a bottleneck.
  public func queueingDelay(percentile share: Double) -> TimeSpan {
    guard !queueingDelays.isEmpty else { return .zero }
    let sorted = queueingDelays.sorted()
    let index = Int(Double(sorted.count - 1) * min(max(share, 0), 1))
    return sorted[index]
  }
}
