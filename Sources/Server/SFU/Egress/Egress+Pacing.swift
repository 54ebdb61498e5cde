import Basics
import RTC

extension Egress {
  /// Lets a packet wait until the path takes it. Without room the slot goes on with the next keyframe.
  func enqueue(
    _ packet: StoredPacket, of stream: SourceStream, _ numbers: StreamRewriter.Numbers, for subscription: Subscription,
    now: Instant, _ bandwidth: inout SubscriberBandwidth, _ counters: inout RouterCounters
  ) {
    guard let index = subscriptions.firstIndex(where: { $0 === subscription }) else { return }
    let waiting = PacedPacket(
      subscription: Int32(truncatingIfNeeded: index), size: Int32(packet.payloadLength) &+ 64, source: stream.ssrc,
      sequence: packet.sequence, numbers: numbers, enqueued: now)
    if bandwidth.queue.append(waiting) {
      counters.packetsPaced &+= 1
    } else {
      counters.pacedDrops &+= 1
      subscription.interrupt()
    }
  }

  /// Writes what has waited long enough.
  func writePaced<Sink: PacketSink>(
    batch: OutputBatch, now: Instant, to sink: Sink, _ counters: inout RouterCounters
  ) {
    guard !writer.bandwidth.queue.isEmpty else { return }
    guard let sender else {
      writer.bandwidth.queue.removeAll()
      return
    }
    writer.bandwidth.refillQueue(now: now)
    while let waiting = writer.bandwidth.queue.first {
      let isOld = now - waiting.enqueued > PacingQueue.maximumWait
      guard writer.bandwidth.queue.isDue || isOld || !writer.bandwidth.isPacing else { return }
      writer.bandwidth.queue.removeFirst()
      let index = Int(waiting.subscription)
      guard subscriptions.indices.contains(index) else {
        counters.pacedDrops &+= 1
        continue
      }
      let subscription = subscriptions[index]
      guard !isOld, let stream = subscription.publication?.streams.first(where: { $0.ssrc == waiting.source }),
        let slot = stream.store.slot(of: waiting.sequence)
      else {
        counters.pacedDrops &+= 1
        leaveOut(waiting, of: subscription)
        continue
      }
      let packet = stream.store[slot]
      guard let type = subscription.payloadType(for: packet.payloadType) else { continue }
      if batch.isFull { send(batch, to: sink) }
      if waiting.numbers.isFiller {
        writer.appendFiller(
          waiting.numbers, type: type, for: subscription, sender, batch: batch, now: now, &counters)
        continue
      }
      writer.append(
        packet, of: stream, waiting.numbers, type: type, skipping: 0, for: subscription, sender, batch: batch, now: now,
        &counters)
    }
  }

  /// A packet that waited is not sent: without it nothing can be decoded up to the next keyframe, which is asked for
  /// unless one has come since.
  private func leaveOut(_ waiting: PacedPacket, of subscription: Subscription) {
    guard subscription.state == .running, !waiting.numbers.isFiller, let stream = subscription.stream,
      stream.ssrc == waiting.source, !stream.hasKeyframe(after: waiting.sequence)
    else { return }
    subscription.interrupt()
  }

  /// The earliest of what pacing, probes and the estimate have to do.
  var bandwidthDeadline: Instant { writer.bandwidth.deadline() }

  /// A snapshot of the bandwidth of the path to the receiver.
  public var bandwidthSnapshot: BandwidthSnapshot {
    BandwidthSnapshot(
      estimate: writer.bandwidth.isKnown ? writer.bandwidth.estimator.target : nil,
      allocated: writer.bandwidth.allocated,
      wanted: writer.bandwidth.wanted, isLimited: !writer.bandwidth.isSatisfied, audio: writer.bandwidth.audio.rate,
      retransmitted: writer.bandwidth.retransmitted.rate,
      loss: writer.bandwidth.estimator.lossShare, roundTrip: writer.bandwidth.estimator.roundTrip ?? roundTrip,
      queued: writer.bandwidth.queue.bytes, paused: writer.bandwidth.paused)
  }
}

extension SubscriberBandwidth {
  /// Brings the budget of paced packets up to date.
  mutating func refillQueue(now: Instant) { queue.refill(estimator.target, audio: audio.rate, now: now) }
}
