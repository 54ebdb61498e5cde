internal import Basics

/// How many bytes may be in flight (RFC 9260 section 7.2): slow start, congestion avoidance, and the cuts after losses.
struct SCTPCongestionWindow {
  /// The most payload of a packet, the RFC's PMDCS.
  private let packet: Int
  private(set) var window: Int
  private(set) var threshold: Int
  private var partialBytesAcked = 0
  private var lastSentAt: Instant?

  /// - Parameter peerWindow: the first threshold: slow start may go as far as the peer's buffer.
  init(packet: Int, peerWindow: Int) {
    self.packet = packet
    window = min(4 * packet, max(2 * packet, 4_404))
    threshold = peerWindow
  }

  var isSlowStart: Bool { window <= threshold }

  /// The cumulative TSN moved (sections 7.2.1 and 7.2.2).
  ///
  /// - Parameters:
  ///   - bytes: what this SACK acknowledged first, gaps included.
  ///   - flight: what was in flight before it.
  mutating func acknowledged(_ bytes: Int, flight: Int, isInFastRecovery: Bool) {
    guard bytes > 0, !isInFastRecovery else { return }
    // A window that was not used says nothing about what the path would carry.
    let wasFull = flight &+ packet > window
    if isSlowStart {
      // Twice a packet: with a SACK for every other packet the window still doubles in a round trip.
      if wasFull { window &+= min(bytes, 2 &* packet) }
    } else {
      partialBytesAcked &+= bytes
      if partialBytesAcked >= window, wasFull {
        partialBytesAcked &-= window
        window &+= packet
      }
      partialBytesAcked = min(partialBytesAcked, window)
    }
    // More than that in flight would be a flood, not a meeting.
    window = min(window, 1 << 26)
  }

  /// Nothing is in flight any more.
  mutating func drained() { partialBytesAcked = 0 }

  /// Fast retransmit found a loss (section 7.2.3); once per fast recovery.
  mutating func lostPacket() {
    threshold = max(window / 2, 4 * packet)
    window = threshold
    partialBytesAcked = 0
  }

  /// T3 passed (section 7.2.3): begin again with one packet.
  mutating func timedOut() {
    threshold = max(window / 2, 4 * packet)
    window = packet
    partialBytesAcked = 0
  }

  /// New data is about to leave. After idling the window is halved once per RTO (section 7.2.1): what it was measured
  /// on is past.
  mutating func willSend(flight: Int, rto: TimeSpan, now: Instant) {
    if let lastSentAt, flight == 0, rto > .zero {
      var idle = (now - lastSentAt).nanoseconds / rto.nanoseconds
      while idle > 0, window > 4 * packet {
        window = max(window / 2, 4 * packet)
        idle &-= 1
      }
    }
    lastSentAt = now
  }
}
