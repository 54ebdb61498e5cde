import Basics
import RTC

extension Outlet {
  /// Payloads below this are not worth sending again as padding.
  private static let leastPadding = 200
  /// How far back recent packets are sent again.
  private static let paddingReach: Int64 = 48
  private static let paddingLength = 255

  /// Writes the padding of a probe that is due: recent packets once more, which serves the receiver should they have been lost (RFC 4588),
  /// and empty packets where there are none.
  func writeProbe<Sink: PacketSink>(
    batch: OutputBatch, now: Instant, to sink: Sink, _ counters: inout RouterCounters
  ) {
    var sent = 0
    while bandwidth.padsNow(now) {
      // What was missed while the worker was busy is not made up for at once.
      guard let sender, sent < 64, let subscription = paddingSubscription else {
        bandwidth.abandonProbe()
        return
      }
      sent &+= 1
      if batch.isFull { send(batch, to: sink) }
      let before = batch.packets
      if let (stream, packet, numbers) = paddingPacket(of: subscription) {
        appendResend(
          packet, of: stream, numbers, for: subscription, sender, use: .padding, batch: batch, now: now, &counters)
      } else {
        appendPadding(for: subscription, sender, batch: batch, now: now, &counters)
      }
      // Nothing could be written; asking again would not end.
      guard batch.packets > before else {
        bandwidth.abandonProbe()
        return
      }
    }
  }

  /// A slot whose retransmission stream can carry padding, best one that has just sent something.
  private var paddingSubscription: Subscription? {
    var fallback: Subscription?
    for subscription in subscriptions
    where subscription.media.kind == .video && subscription.retransmissionSSRC != nil
      && subscription.publication != nil
    {
      if subscription.stream != nil, subscription.rewriter.hasSent { return subscription }
      if fallback == nil { fallback = subscription }
    }
    return fallback
  }

  /// One of the last packets, in turns.
  private func paddingPacket(
    of subscription: Subscription
  ) -> (SourceStream, StoredPacket, StreamRewriter.Numbers)? {
    let highest = subscription.rewriter.highestOut
    var tries = 0
    while tries < 8 {
      tries &+= 1
      bandwidth.paddingCursor = (bandwidth.paddingCursor &+ 1) % Self.paddingReach
      let sequence = SequenceNumber(rawValue: UInt16(truncatingIfNeeded: highest &- bandwidth.paddingCursor))
      guard let origin = subscription.rewriter.source(of: sequence),
        let stream = subscription.stream(bySerial: origin.serial), let slot = stream.store.slot(of: origin.source)
      else { continue }
      let packet = stream.store[slot]
      guard Int(packet.payloadLength) >= Self.leastPadding,
        let numbers = subscription.rewriter.numbers(of: packet, out: origin.out, serial: origin.serial),
        !numbers.isFiller
      else { continue }
      return (stream, packet, numbers)
    }
    return nil
  }

  /// A retransmission packet that repairs nothing.
  private func appendPadding(
    for subscription: Subscription, _ sender: SRTPSender, batch: OutputBatch, now: Instant,
    _ counters: inout RouterCounters
  ) {
    guard let ssrc = subscription.retransmissionSSRC,
      let type = subscription.media.codecs.lazy.compactMap(\.rtxPayloadType).first
    else { return }
    let layout = subscription.layout
    let number = bandwidth.nextSequence
    let mid = subscription.mid
    let length = batch.header.write(0..<batch.header.count) { buffer in
      (try? {
        var writer = RTPHeaderWriter()
        try writer.begin(
          payloadType: type, marker: false,
          sequenceNumber: SequenceNumber(rawValue: subscription.retransmissionSequence),
          timestamp: RTPTimestamp(rawValue: subscription.rewriter.lastTimestamp), ssrc: ssrc, twoByte: false,
          into: &buffer)
        if layout.transportSequence != 0 {
          try writer.append(id: layout.transportSequence, uint16: number, into: &buffer)
        }
        if layout.mid != 0, let mid { try writer.append(id: layout.mid, text: mid, into: &buffer) }
        return try writer.finish(into: &buffer)
      }()) ?? 0
    }
    guard length > 0 else { return }
    batch.header[0] |= 0x20
    let scratch = batch.scratch
    scratch.clear(0..<Self.paddingLength)
    scratch[Self.paddingLength &- 1] = UInt8(truncatingIfNeeded: Self.paddingLength)
    let written = protect(
      length, scratch.span(0..<Self.paddingLength), sequence: nil, sender, batch, &counters)
    guard written > 0 else { return }
    subscription.retransmissionSequence &+= 1
    bandwidth.sent(bytes: written, .padding, isNumbered: subscription.isNumbered, now: now)
    counters.paddings &+= 1
    counters.packetsForwarded &+= 1
    counters.bytesForwarded &+= UInt64(truncatingIfNeeded: written)
  }
}
