import Basics
import RTC

/// Packets that a receiver lost and requests again (RFC 4585, RFC 4588).
extension Egress {
  private static let maximumResends = 256

  var hasResends: Bool { !resends.isEmpty }

  /// The receiver lost `sequence` of `subscription`: queues a retransmission when the packet is still there and the
  /// budget allows it.
  func negativeAcknowledgement(
    _ sequence: SequenceNumber, of subscription: Subscription, index: Int, now: Instant,
    _ counters: inout RouterCounters
  ) {
    guard isOpen, subscription.retransmissionSSRC != nil,
      let origin = subscription.rewriter.source(of: sequence),
      let stream = subscription.stream(bySerial: origin.serial)
    else { return }
    guard let slot = stream.store.slot(of: origin.source) else {
      counters.retransmissionsMissing &+= 1
      return
    }
    let bounded = min(max(roundTrip ?? .milliseconds(100), .milliseconds(10)), .seconds(1))
    let length = Int(stream.store[slot].payloadLength) &+ 64
    guard resends.count < Self.maximumResends, writer.bandwidth.allowsRepair(bytes: length),
      writer.takeFromBudget(bytes: length, sequence: origin.out, stream: index, roundTrip: bounded, now: now)
    else {
      counters.retransmissionsRefused &+= 1
      return
    }
    resends.append(Resend(subscription: Int32(truncatingIfNeeded: index), origin: origin))
  }

  /// Writes the queued retransmissions (RFC 4588).
  func writeResends<Sink: PacketSink>(
    batch: OutputBatch, now: Instant, to sink: Sink, _ counters: inout RouterCounters
  ) {
    guard let sender else {
      resends.removeAll(keepingCapacity: true)
      return
    }
    for resend in resends {
      let index = Int(resend.subscription)
      guard subscriptions.indices.contains(index) else { continue }
      let subscription = subscriptions[index]
      let origin = resend.origin
      guard let stream = subscription.stream(bySerial: origin.serial), let slot = stream.store.slot(of: origin.source)
      else { continue }
      let packet = stream.store[slot]
      guard let numbers = subscription.rewriter.numbers(of: packet, out: origin.out, serial: origin.serial)
      else { continue }
      if batch.isFull { send(batch, to: sink) }
      writer.appendResend(
        packet, of: stream, numbers, as: .retransmission, for: subscription, sender, batch: batch, now: now, &counters)
    }
    resends.removeAll(keepingCapacity: true)
  }
}
