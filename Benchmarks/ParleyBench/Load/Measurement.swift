import Basics

/// The counts of load clients.
struct Measurement: Sendable {
  var sent = 0
  var received = 0
  var receivedBytes = 0
  /// Gaps in the sequence numbers of received streams that nothing filled.
  var missing = 0
  /// Packets whose content was not what was sent.
  var damaged = 0
  var retransmissions = 0
  var delays = DelayHistogram()

  mutating func merge(_ other: Measurement) {
    sent += other.sent
    received += other.received
    receivedBytes += other.receivedBytes
    missing += other.missing
    damaged += other.damaged
    retransmissions += other.retransmissions
    delays.merge(other.delays)
  }
}
