import Basics
import RTC

/// Forwarding of arrived packets to one receiver.
extension Egress {
  /// Writes what waits of `stream` for `subscription`; sends the batch when it is full.
  @inline(__always)
  func write<Sink: PacketSink>(
    _ stream: SourceStream, for subscription: Subscription, from first: Int = 0, batch: OutputBatch, now: Instant,
    to sink: Sink, _ writer: inout EgressWriter, _ counters: inout RouterCounters
  ) {
    keys.use { sender in
      write(stream, for: subscription, from: first, sender, batch: batch, now: now, to: sink, &writer, &counters)
    }
  }

  @inline(__always)
  private func write<Sink: PacketSink>(
    _ stream: SourceStream, for subscription: Subscription, from first: Int, _ sender: SRTPSender, batch: OutputBatch,
    now: Instant, to sink: Sink, _ writer: inout EgressWriter, _ counters: inout RouterCounters
  ) {
    let count = stream.pending.count
    // Queued packets leave first, also once nothing has to be paced any more.
    let isPaced = stream.kind == .video && (writer.bandwidth.isPacing || !writer.bandwidth.queue.isEmpty)
    if isPaced { writer.bandwidth.refillQueue(now: now) }
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
      if isPaced, !writer.bandwidth.queue.admits {
        enqueue(packet, of: stream, numbers, for: subscription, now: now, &writer.bandwidth, &counters)
        continue
      }
      if batch.isFull { send(batch, to: sink) }
      if numbers.isFiller {
        writer.appendFiller(numbers, type: type, for: subscription, sender, batch: batch, now: now, &counters)
        continue
      }
      writer.append(
        packet, of: stream, numbers, type: type, skipping: skipped, for: subscription, sender, batch: batch, now: now,
        &counters)
    }
  }
}
