import Basics
import RTC

/// What a receiver lost and asks for again (RFC 4585, RFC 4588).
extension Outlet {
  private static let maximumResends = 256

  /// Whether retransmissions wait.
  var hasResends: Bool { !resends.isEmpty }

  /// The receiver lost `sequence` of `subscription`: queues a retransmission when the packet is still there and the budget allows it.
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
    guard resends.count < Self.maximumResends, bandwidth.allowsRepair(bytes: length),
      takeFromBudget(bytes: length, sequence: origin.out, stream: index, roundTrip: bounded, now: now)
    else {
      counters.retransmissionsRefused &+= 1
      return
    }
    resends.append(Resend(subscription: Int32(truncatingIfNeeded: index), origin: origin))
  }

  private func takeFromBudget(bytes: Int, sequence: Int64, stream: Int, roundTrip: TimeSpan, now: Instant) -> Bool {
    // Taken out while in use, so that who notes a packet that was sent needs no check for exclusive access.
    var taken = RetransmissionBudget()
    swap(&taken, &budget)
    defer { swap(&taken, &budget) }
    return taken.take(bytes: bytes, sequence: sequence, stream: stream, roundTrip: roundTrip, now: now)
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
      appendResend(
        packet, of: stream, numbers, for: subscription, sender, use: .retransmission, batch: batch, now: now, &counters)
    }
    resends.removeAll(keepingCapacity: true)
  }

  func appendResend(
    _ packet: StoredPacket, of stream: SourceStream, _ numbers: StreamRewriter.Numbers,
    for subscription: Subscription, _ sender: SRTPSender, use: SubscriberBandwidth.Use, batch: OutputBatch,
    now: Instant,
    _ counters: inout RouterCounters
  ) {
    guard let ssrc = subscription.retransmissionSSRC,
      let original = subscription.payloadType(for: packet.payloadType),
      let type = subscription.retransmissionType(for: original)
    else { return }
    renumber(packet, numbers, in: stream.store)
    // The original sequence number comes before the payload, where the store leaves room for it.
    stream.store.setByte(UInt8(truncatingIfNeeded: numbers.sequence >> 8), at: -2, of: packet)
    stream.store.setByte(UInt8(truncatingIfNeeded: numbers.sequence), at: -1, of: packet)
    let headerLength = writeHeader(
      packet, of: stream, numbers, for: subscription, ssrc: ssrc, type: type,
      sequence: subscription.retransmissionSequence, number: bandwidth.nextSequence, batch: batch, now: now)
    guard headerLength > 0 else { return }
    let start = Int(packet.offset) &- RetransmissionStore.headroom
    // A number that was filled has nothing behind it.
    let end = Int(packet.offset) &+ (numbers.isFiller ? 0 : Int(packet.payloadLength))
    let store = stream.store
    let written = protect(
      headerLength, store.span(start..<end, of: packet), sequence: nil, sender, batch, &counters)
    guard written > 0 else { return }
    subscription.retransmissionSequence &+= 1
    bandwidth.sent(bytes: written, use, isNumbered: subscription.isNumbered, now: now)
    if use == .padding { counters.paddings &+= 1 } else { counters.retransmissions &+= 1 }
    counters.packetsForwarded &+= 1
    counters.bytesForwarded &+= UInt64(truncatingIfNeeded: written)
  }
}
