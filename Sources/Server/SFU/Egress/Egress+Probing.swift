import Basics
import RTC

extension Egress {
  /// Payloads below this are not worth sending again as padding.
  private static let leastPadding = 200
  /// How far back recent packets are sent again.
  private static let paddingReach: Int64 = 48

  /// Writes the padding of a probe that is due: recent packets once more, which serves the receiver should they have
  /// been lost (RFC 4588), and empty packets where there are none.
  func writeProbe<Sink: PacketSink>(
    batch: OutputBatch, now: Instant, to sink: Sink, _ counters: inout RouterCounters
  ) {
    var sent = 0
    while writer.bandwidth.padsNow(now) {
      // What was missed while the worker was busy is not made up for at once.
      guard let sender, sent < 64, let subscription = paddingSubscription else {
        writer.bandwidth.abandonProbe()
        return
      }
      sent &+= 1
      if batch.isFull { send(batch, to: sink) }
      let before = batch.packets
      if let (stream, packet, numbers) = paddingPacket(of: subscription) {
        writer.appendResend(
          packet, of: stream, numbers, as: .padding, for: subscription, sender, batch: batch, now: now, &counters)
      } else {
        writer.appendPadding(for: subscription, sender, batch: batch, now: now, &counters)
      }
      // Nothing could be written; asking again would not end.
      guard batch.packets > before else {
        writer.bandwidth.abandonProbe()
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
      writer.bandwidth.paddingCursor = (writer.bandwidth.paddingCursor &+ 1) % Self.paddingReach
      let sequence = SequenceNumber(rawValue: UInt16(truncatingIfNeeded: highest &- writer.bandwidth.paddingCursor))
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
}
