import Basics
import RTC

/// Packets under the SSRC of a slot: each packet of the source once.
extension EgressWriter {
  /// Writes `packet` without the first `skipped` bytes of its payload.
  mutating func append(
    _ packet: StoredPacket, of stream: SourceStream, _ numbers: StreamRewriter.Numbers, type: PayloadType,
    skipping skipped: Int, for subscription: Subscription, _ sender: SRTPSender, batch: OutputBatch, now: Instant,
    _ counters: inout RouterCounters
  ) {
    if packet.redPrimaryOffset != 0, skipped == 0, subscription.rewritesRedundancy {
      appendRedundancy(
        packet, of: stream, numbers, type: type, for: subscription, sender, batch: batch, now: now, &counters)
      return
    }
    if subscription.redundancy.level != 0, packet.redPrimaryOffset == 0,
      appendWithRedundancy(
        packet, of: stream, numbers, type: type, for: subscription, sender, batch: batch, now: now, &counters)
    {
      return
    }
    var length = Int(packet.payloadLength) &- skipped
    let offset = Int(packet.offset) &+ skipped
    headers.renumber(packet, numbers, in: stream.store)

    let headerLength = headers.writeHeader(
      packet, of: stream, numbers, for: subscription, ssrc: subscription.ssrc, type: type,
      sequence: UInt16(truncatingIfNeeded: numbers.sequence), number: bandwidth.nextSequence, batch: batch,
      now: now)
    guard headerLength > 0 else { return }

    // Padding that makes the packet as long as the others of its burst.
    var padding = 0
    if packet.paddedLength > packet.payloadLength {
      padding = Int(packet.paddedLength &- packet.payloadLength)
    }
    let segment = batch.openSegment
    if segment > 0 {
      let missing = segment &- (headerLength &+ length &+ padding &+ sender.rtpOverhead)
      if missing > 0, missing &+ padding <= RetransmissionStore.tailroom &- 8 { padding &+= missing }
    }
    if padding > 0 {
      stream.store.setByte(
        UInt8(truncatingIfNeeded: padding), at: skipped &+ length &+ padding &- 1, of: packet)
      batch.header[0] |= 0x20
      length &+= padding
    }

    let store = stream.store
    _ = writeMedia(
      headerLength, store.span(offset..<(offset &+ length), of: packet), octets: length &- padding, numbers,
      of: stream.kind, for: subscription, sender, batch: batch, now: now, &counters)
  }

  /// Writes an empty packet under a number that the receiver would otherwise ask for in vain.
  mutating func appendFiller(
    _ numbers: StreamRewriter.Numbers, type: PayloadType, for subscription: Subscription, _ sender: SRTPSender,
    batch: OutputBatch, now: Instant, _ counters: inout RouterCounters
  ) {
    let headerLength = headers.writePaddingHeader(
      ssrc: subscription.ssrc, type: type, sequence: UInt16(truncatingIfNeeded: numbers.sequence),
      timestamp: numbers.timestamp, mid: nil, subscription.layout, number: bandwidth.nextSequence, batch: batch,
      now: now)
    guard headerLength > 0 else { return }
    let scratch = batch.scratch
    scratch[0] = 1
    _ = writeMedia(
      headerLength, scratch.span(0..<1), octets: 0, numbers, of: .video, for: subscription, sender, batch: batch,
      now: now, &counters)
  }

  /// A RED packet for a receiver that knows the blocks under other payload types: its block headers are changed in a
  /// copy.
  private mutating func appendRedundancy(
    _ packet: StoredPacket, of stream: SourceStream, _ numbers: StreamRewriter.Numbers, type: PayloadType,
    for subscription: Subscription, _ sender: SRTPSender, batch: OutputBatch, now: Instant,
    _ counters: inout RouterCounters
  ) {
    let length = Int(packet.payloadLength)
    guard length <= batch.scratch.count else { return }
    var index = 0
    while index < length {
      batch.scratch[index] = stream.store.byte(at: index, of: packet)
      index &+= 1
    }
    var header = 0
    while header < Int(packet.redPrimaryOffset) {
      let byte = batch.scratch[header]
      if let mapped = subscription.payloadType(for: PayloadType(rawValue: byte & 0x7F)) {
        batch.scratch[header] = byte & 0x80 | mapped.rawValue
      }
      if byte & 0x80 == 0 { break }
      header &+= 4
    }
    let headerLength = headers.writeHeader(
      packet, of: stream, numbers, for: subscription, ssrc: subscription.ssrc, type: type,
      sequence: UInt16(truncatingIfNeeded: numbers.sequence), number: bandwidth.nextSequence, batch: batch,
      now: now)
    guard headerLength > 0 else { return }
    let scratch = batch.scratch
    _ = writeMedia(
      headerLength, scratch.span(0..<length), octets: length, numbers, of: .audio, for: subscription, sender,
      batch: batch, now: now, &counters)
  }
}
