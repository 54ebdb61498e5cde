import Basics
import RTC

/// What a receiver gets of the packets that came.
extension Outlet {
  /// Writes what waits of `stream` for `subscription`; sends the batch when it is full.
  @inline(__always)
  func write<Sink: PacketSink>(
    _ stream: SourceStream, for subscription: Subscription, from first: Int = 0, batch: OutputBatch, now: Instant,
    to sink: Sink, _ bandwidth: inout SubscriberBandwidth, _ counters: inout RouterCounters
  ) {
    keys.use { sender in
      write(stream, for: subscription, from: first, sender, batch: batch, now: now, to: sink, &bandwidth, &counters)
    }
  }

  @inline(__always)
  private func write<Sink: PacketSink>(
    _ stream: SourceStream, for subscription: Subscription, from first: Int, _ sender: SRTPSender, batch: OutputBatch,
    now: Instant, to sink: Sink, _ bandwidth: inout SubscriberBandwidth, _ counters: inout RouterCounters
  ) {
    let count = stream.pending.count
    // What waits leaves first, also where nothing has to wait any more.
    let isPaced = stream.kind == .video && (bandwidth.isPacing || !bandwidth.queue.isEmpty)
    if isPaced { bandwidth.queue.refill(bandwidth.estimator.target, now: now) }
    var index = first
    while index < count {
      let packet = stream.store[stream.pending[index]]
      index &+= 1
      var type = subscription.payloadType(for: packet.payloadType)
      var skipped = 0
      if type == nil, packet.redPrimaryOffset != 0 {
        // The receiver takes no redundancy: it gets the primary block alone (RFC 2198 section 3).
        skipped = Int(packet.redPrimaryOffset)
        type = subscription.payloadType(for: packet.redPrimaryType)
      }
      guard let type else {
        subscription.rewriter.skip(packet)
        continue
      }
      guard let numbers = subscription.numbers(for: packet, of: stream, now: now) else { continue }
      if isPaced, !bandwidth.queue.admits {
        enqueue(packet, of: stream, numbers, for: subscription, now: now, &bandwidth, &counters)
        continue
      }
      if batch.isFull { send(batch, to: sink) }
      if numbers.isFiller {
        appendFiller(numbers, type: type, for: subscription, sender, batch: batch, now: now, &bandwidth, &counters)
        continue
      }
      append(
        packet, of: stream, numbers, type: type, skipping: skipped, for: subscription, sender, batch: batch, now: now,
        &bandwidth, &counters)
    }
  }

  func append(
    _ packet: StoredPacket, of stream: SourceStream, _ numbers: StreamRewriter.Numbers, type: PayloadType,
    skipping skipped: Int, for subscription: Subscription, _ sender: SRTPSender, batch: OutputBatch, now: Instant,
    _ bandwidth: inout SubscriberBandwidth, _ counters: inout RouterCounters
  ) {
    if packet.redPrimaryOffset != 0, skipped == 0, subscription.rewritesRedundancy {
      appendRedundancy(
        packet, of: stream, numbers, type: type, for: subscription, sender, batch: batch, now: now, &bandwidth,
        &counters)
      return
    }
    if subscription.redundancy.level != 0, packet.redPrimaryOffset == 0,
      appendWithRedundancy(
        packet, of: stream, numbers, type: type, for: subscription, sender, batch: batch, now: now, &bandwidth,
        &counters)
    {
      return
    }
    var length = Int(packet.payloadLength) &- skipped
    let offset = Int(packet.offset) &+ skipped
    renumber(packet, numbers, in: stream.store)

    let headerLength = writeHeader(
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
    let written = protect(
      headerLength, store.span(offset..<(offset &+ length), of: packet), sequence: numbers.sequence, sender, batch,
      &counters)
    guard written > 0 else { return }
    bandwidth.sent(
      bytes: written, stream.kind == .audio ? .audio : .video, isNumbered: subscription.isNumbered, now: now)
    subscription.packetCount &+= 1
    subscription.octetCount &+= UInt32(truncatingIfNeeded: length &- padding)
    budget.sent(bytes: written)
    counters.packetsForwarded &+= 1
    counters.bytesForwarded &+= UInt64(truncatingIfNeeded: written)
  }

  /// An empty packet (padding alone, RFC 3550 section 5.1) under a number that the receiver would otherwise ask for in vain.
  func appendFiller(
    _ numbers: StreamRewriter.Numbers, type: PayloadType, for subscription: Subscription, _ sender: SRTPSender,
    batch: OutputBatch, now: Instant, _ bandwidth: inout SubscriberBandwidth, _ counters: inout RouterCounters
  ) {
    let layout = subscription.layout
    let number = bandwidth.nextSequence
    let headerLength = batch.header.write(0..<batch.header.count) { buffer in
      (try? fillerHeader(
        numbers, type: type, layout, ssrc: subscription.ssrc, number: number, now: now, into: &buffer)) ?? 0
    }
    guard headerLength > 0 else { return }
    let scratch = batch.scratch
    scratch[0] = 1
    let written = protect(
      headerLength, scratch.span(0..<1), sequence: numbers.sequence, sender, batch, &counters)
    guard written > 0 else { return }
    bandwidth.sent(bytes: written, .video, isNumbered: subscription.isNumbered, now: now)
    subscription.packetCount &+= 1
    counters.packetsForwarded &+= 1
    counters.bytesForwarded &+= UInt64(truncatingIfNeeded: written)
  }

  /// A RED packet for a receiver that knows the blocks under other payload types: its block headers are changed in a copy.
  private func appendRedundancy(
    _ packet: StoredPacket, of stream: SourceStream, _ numbers: StreamRewriter.Numbers, type: PayloadType,
    for subscription: Subscription, _ sender: SRTPSender, batch: OutputBatch, now: Instant,
    _ bandwidth: inout SubscriberBandwidth, _ counters: inout RouterCounters
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
    let headerLength = writeHeader(
      packet, of: stream, numbers, for: subscription, ssrc: subscription.ssrc, type: type,
      sequence: UInt16(truncatingIfNeeded: numbers.sequence), number: bandwidth.nextSequence, batch: batch,
      now: now)
    guard headerLength > 0 else { return }
    let scratch = batch.scratch
    let written = protect(
      headerLength, scratch.span(0..<length), sequence: numbers.sequence, sender, batch, &counters)
    guard written > 0 else { return }
    bandwidth.sent(bytes: written, .audio, isNumbered: subscription.isNumbered, now: now)
    subscription.packetCount &+= 1
    subscription.octetCount &+= UInt32(truncatingIfNeeded: length)
    counters.packetsForwarded &+= 1
    counters.bytesForwarded &+= UInt64(truncatingIfNeeded: written)
  }
}
