import Basics
import RTC

/// Packets under the SSRC of a slot's retransmissions (RFC 4588): what was lost, and padding that fills the path.
extension EgressWriter {
  private static let paddingLength = 255

  /// Writes a packet once more.
  mutating func appendResend(
    _ packet: StoredPacket, of stream: SourceStream, _ numbers: StreamRewriter.Numbers, as repair: Repair,
    for subscription: Subscription, _ sender: SRTPSender, batch: OutputBatch, now: Instant,
    _ counters: inout RouterCounters
  ) {
    guard let ssrc = subscription.retransmissionSSRC,
      let original = subscription.payloadType(for: packet.payloadType),
      let type = subscription.retransmissionType(for: original)
    else { return }
    headers.renumber(packet, numbers, in: stream.store)
    // The original sequence number comes before the payload, where the store leaves room for it.
    stream.store.setByte(UInt8(truncatingIfNeeded: numbers.sequence >> 8), at: -2, of: packet)
    stream.store.setByte(UInt8(truncatingIfNeeded: numbers.sequence), at: -1, of: packet)
    let headerLength = headers.writeHeader(
      packet, of: stream, numbers, for: subscription, ssrc: ssrc, type: type,
      sequence: subscription.retransmissionSequence, number: bandwidth.nextSequence, batch: batch, now: now)
    guard headerLength > 0 else { return }
    let start = Int(packet.offset) &- RetransmissionStore.headroom
    // A number that was filled has nothing behind it.
    let end = Int(packet.offset) &+ (numbers.isFiller ? 0 : Int(packet.payloadLength))
    let store = stream.store
    _ = writeRepair(
      headerLength, store.span(start..<end, of: packet), as: repair, for: subscription, sender, batch: batch,
      now: now, &counters)
  }

  /// Writes a packet that repairs nothing.
  mutating func appendPadding(
    for subscription: Subscription, _ sender: SRTPSender, batch: OutputBatch, now: Instant,
    _ counters: inout RouterCounters
  ) {
    guard let ssrc = subscription.retransmissionSSRC,
      let type = subscription.media.codecs.lazy.compactMap(\.rtxPayloadType).first
    else { return }
    let headerLength = headers.writePaddingHeader(
      ssrc: ssrc, type: type, sequence: subscription.retransmissionSequence,
      timestamp: subscription.rewriter.lastTimestamp, mid: subscription.mid, subscription.layout,
      number: bandwidth.nextSequence, batch: batch, now: now)
    guard headerLength > 0 else { return }
    let scratch = batch.scratch
    scratch.clear(0..<Self.paddingLength)
    scratch[Self.paddingLength &- 1] = UInt8(truncatingIfNeeded: Self.paddingLength)
    _ = writeRepair(
      headerLength, scratch.span(0..<Self.paddingLength), as: .padding, for: subscription, sender, batch: batch,
      now: now, &counters)
  }
}
