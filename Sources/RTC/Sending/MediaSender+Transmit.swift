public import Basics

extension MediaSender {
  /// Writes, protects and hands out every packet that is due. Call it after ``send(_:mid:rid:now:)`` and
  /// ``receive(_:in:now:)``, and at ``deadline``. The span is valid during the call of `emit` only.
  public mutating func transmit(now: Instant, to srtp: SRTPSender, emit: (Span<UInt8>) -> Void) {
    while let (entry, priority) = pacer.next(now: now) {
      let index = Int(entry.stream)
      guard streams.indices.contains(index), let packet = streams[index].store.packet(entry.sequence) else { continue }
      if now - entry.enqueued > pacer.limits.time {
        streams[index].statistics.packetsDropped &+= 1
        if priority == .video { streams[index].keyframes.request() }
        continue
      }
      streams[index].statistics.totalPacketSendDelay =
        streams[index].statistics.totalPacketSendDelay + (now - entry.enqueued)
      transmit(packet, of: index, again: priority == .retransmission, now: now, to: srtp, emit: emit)
    }
  }

  private mutating func transmit(
    _ packet: RetransmissionBuffer.Packet, of index: Int, again: Bool, now: Instant, to srtp: SRTPSender,
    emit: (Span<UInt8>) -> Void
  ) {
    guard
      let written = streams[index].write(
        packet, again: again, transportSequence: transportSequence, now: now, header: &header, output: &output, srtp)
    else {
      streams[index].statistics.packetsDropped &+= 1
      return
    }
    emit(output.span.extracting(0..<written.length))
    didSend(packet, of: index, again: again, length: written.length, headerLength: written.headerLength, now: now)
  }

  private mutating func didSend(
    _ packet: RetransmissionBuffer.Packet, of index: Int, again: Bool, length: Int, headerLength: Int, now: Instant
  ) {
    transportSequence &+= 1
    pacer.sent(bytes: length, now: now)
    streams[index].countSent(payloadLength: Int(packet.length), headerLength: headerLength, again: again)
    if again { return }
    streams[index].store.markSent(packet.sequence)
    budget.sent(bytes: length)
  }
}

extension AbsSendTime {
  /// The send time of a packet that leaves at `instant`, on a clock of our own: only differences mean anything to a receiver.
  init(_ instant: Instant) {
    let nanoseconds = UInt64(bitPattern: instant.nanoseconds) % 64_000_000_000
    self.init(rawValue: UInt32(truncatingIfNeeded: (nanoseconds << 18) / 1_000_000_000))
  }
}
