import Basics
import RTC

/// Writes the RTP packets of one receiver: header, encryption and accounting.
///
/// Every RTP packet that leaves goes through one of two functions, so that all are accounted for alike: `writeMedia`
/// under the SSRC of a slot, `writeRepair` under the SSRC of its retransmissions.
///
/// The router passes it along as an `inout` argument: a property that is changed in place would be checked for
/// exclusive access for each packet. It is never copied.
struct EgressWriter: ~Copyable {
  /// The estimate of the path, and the queue of paced packets.
  var bandwidth = SubscriberBandwidth()
  /// How much may be sent again.
  private(set) var budget = RetransmissionBudget()
  let headers: EgressHeaderWriter

  init(clock: NTPClock) { headers = EgressHeaderWriter(clock: clock) }

  /// Whether `bytes` for a retransmission may be sent now; they then count as sent.
  mutating func takeFromBudget(bytes: Int, sequence: Int64, stream: Int, roundTrip: TimeSpan, now: Instant) -> Bool {
    budget.spend(bytes: bytes, sequence: sequence, stream: stream, roundTrip: roundTrip, now: now)
  }

  /// Writes `payload` behind the header in the batch as the packet of these numbers; false when encryption refused it.
  /// - Parameter octets: The bytes of the payload without its padding, for sender reports.
  @inline(__always)
  mutating func writeMedia(
    _ headerLength: Int, _ payload: Span<UInt8>, octets: Int, _ numbers: StreamRewriter.Numbers, of kind: MediaKind,
    for subscription: Subscription, _ sender: SRTPSender, batch: OutputBatch, now: Instant,
    _ counters: inout RouterCounters
  ) -> Bool {
    // Extended numbers begin one roll-over up, so that none is ever negative.
    let index = UInt64(truncatingIfNeeded: numbers.sequence &- 0x1_0000)
    let written = Self.protect(headerLength, payload, index: index, sender, batch, &counters)
    guard written > 0 else { return false }
    bandwidth.sent(
      bytes: written, kind == .audio ? .audio : .video, isNumbered: subscription.isNumbered, now: now)
    budget.sent(bytes: written)
    subscription.packetCount &+= 1
    subscription.octetCount &+= UInt32(truncatingIfNeeded: octets)
    counters.packetsForwarded &+= 1
    counters.bytesForwarded &+= UInt64(truncatingIfNeeded: written)
    return true
  }

  /// Why a packet is sent under the SSRC of retransmissions.
  enum Repair {
    case retransmission
    /// Filling the path for a probe.
    case padding
  }

  /// Writes `payload` behind the header in the batch as the next packet of the slot's retransmissions; false when
  /// encryption refused it.
  mutating func writeRepair(
    _ headerLength: Int, _ payload: Span<UInt8>, as repair: Repair, for subscription: Subscription,
    _ sender: SRTPSender, batch: OutputBatch, now: Instant, _ counters: inout RouterCounters
  ) -> Bool {
    // These numbers follow each other without gaps.
    let written = Self.protect(headerLength, payload, index: nil, sender, batch, &counters)
    guard written > 0 else { return false }
    subscription.retransmissionSequence &+= 1
    switch repair {
    case .retransmission:
      bandwidth.sent(bytes: written, .retransmission, isNumbered: subscription.isNumbered, now: now)
      counters.retransmissions &+= 1
    case .padding:
      bandwidth.sent(bytes: written, .padding, isNumbered: subscription.isNumbered, now: now)
      counters.paddings &+= 1
    }
    counters.packetsForwarded &+= 1
    counters.bytesForwarded &+= UInt64(truncatingIfNeeded: written)
    return true
  }

  /// Encrypts a payload behind the header in the batch and returns the packet's length, 0 when that failed. `index`
  /// is the extended sequence number; nil where numbers follow each other without gaps.
  @inline(__always)
  private static func protect(
    _ headerLength: Int, _ payload: Span<UInt8>, index: UInt64?, _ sender: SRTPSender, _ batch: OutputBatch,
    _ counters: inout RouterCounters
  ) -> Int {
    let header = batch.header
    let length = batch.bytes.write(batch.used..<batch.bytes.count) { output in
      (try? sender.protectRTP(
        header: header.span(0..<headerLength), payload: payload, into: &output, index: index)) ?? 0
    }
    guard length > 0 else {
      counters.protectFailures &+= 1
      return 0
    }
    batch.commit(length: length)
    return length
  }
}
