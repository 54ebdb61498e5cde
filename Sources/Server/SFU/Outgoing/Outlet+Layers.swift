import Basics
import RTC

extension Outlet {
  /// How long a newcomer waits for the keyframe of the layer it is to have before it takes another one's.
  private static let patience = TimeSpan.milliseconds(300)

  /// Writes what waits for `subscription`, of the stream it forwards and of the one it changes to. `bandwidth` is this outlet's: it is passed along, since a
  /// property that is changed in place would be checked for exclusive access for each packet.
  @inline(__always)
  func forward<Sink: PacketSink>(
    _ subscription: Subscription, batch: OutputBatch, now: Instant, to sink: Sink,
    _ bandwidth: inout SubscriberBandwidth, _ counters: inout RouterCounters
  ) {
    if subscription.isStopped { return }
    subscription.source.use { stream in
      guard !stream.pending.isEmpty else { return }
      write(stream, for: subscription, batch: batch, now: now, to: sink, &bandwidth, &counters)
      if !subscription.layering.selector.isOpen { watchForKeyframe(stream, subscription) }
    }
    if subscription.layering.next != nil || subscription.layering.waitingSince != nil {
      changeStream(subscription, batch: batch, now: now, to: sink, &bandwidth, &counters)
    }
  }

  /// Asks again for the keyframe that the next spatial layer of the same stream needs.
  private func watchForKeyframe(_ stream: SourceStream, _ subscription: Subscription) {
    guard isOpen, subscription.layering.selector.awaitsKeyframe(of: stream) else { return }
    stream.keyframes.request()
  }

  /// Goes over to another simulcast stream where its keyframe has come.
  private func changeStream<Sink: PacketSink>(
    _ subscription: Subscription, batch: OutputBatch, now: Instant, to sink: Sink,
    _ bandwidth: inout SubscriberBandwidth, _ counters: inout RouterCounters
  ) {
    guard isOpen else { return }
    if let next = subscription.layering.next {
      guard !next.pending.isEmpty else { return }
      guard let index = subscription.switchPoint(in: next) else {
        next.keyframes.request()
        return
      }
      change(subscription, to: next, at: index, batch: batch, now: now, to: sink, &bandwidth, &counters)
    } else if subscription.state == .waiting, let since = subscription.layering.waitingSince,
      now - since > Self.patience, let publication = subscription.publication, let wanted = subscription.stream
    {
      for stream in publication.streams
      where stream !== wanted && stream.layers.rank < wanted.layers.rank && !stream.pending.isEmpty {
        guard let index = subscription.switchPoint(in: stream) else { continue }
        change(subscription, to: stream, at: index, batch: batch, now: now, to: sink, &bandwidth, &counters)
        subscription.reconsider()
        return
      }
    }
  }

  private func change<Sink: PacketSink>(
    _ subscription: Subscription, to next: SourceStream, at index: Int, batch: OutputBatch, now: Instant, to sink: Sink,
    _ bandwidth: inout SubscriberBandwidth, _ counters: inout RouterCounters
  ) {
    subscription.change(to: next, at: next.store[next.pending[index]], now: now)
    write(next, for: subscription, from: index, batch: batch, now: now, to: sink, &bandwidth, &counters)
  }

  /// Puts the dependency descriptor of `packet` for `subscription` into the batch's scratch memory and returns its length; 0 where the
  /// source's own can be sent as it is.
  @inline(__always)
  func rewriteDescriptor(
    _ packet: StoredPacket, _ numbers: StreamRewriter.Numbers, of stream: SourceStream, for subscription: Subscription,
    batch: OutputBatch
  ) -> Int {
    guard packet.descriptorLength >= 3, subscription.layout.dependencyDescriptor != 0 else { return 0 }
    let writesMask = subscription.layering.selector.writesMask && packet.layers.flags.contains(.startsFrame)
    guard writesMask || numbers.frameNumber != packet.layers.frameNumber else { return 0 }
    return composeDescriptor(packet, numbers, of: stream, for: subscription, writesMask: writesMask, batch: batch)
  }

  private func composeDescriptor(
    _ packet: StoredPacket, _ numbers: StreamRewriter.Numbers, of stream: SourceStream, for subscription: Subscription,
    writesMask: Bool, batch: OutputBatch
  ) -> Int {
    var active: (mask: UInt32, count: Int)?
    if writesMask, let reader = stream.described, packet.layers.flags.contains(.hasTargets) {
      active = (
        subscription.layering.selector.completeTargets & reader.activeTargets, Int(reader.structure.decodeTargetCount)
      )
    }
    let length = Int(packet.descriptorLength)
    let start = Int(packet.offset) - RetransmissionStore.headroom - length
    let store = stream.store
    let source = store.span(start..<(start + length), of: packet)
    return batch.scratch.write(0..<256) { output in
      DependencyWriter.write(
        source, frameNumber: numbers.frameNumber, activeTargets: active, maskBit: Int(packet.layers.maskBit),
        hasMask: packet.layers.flags.contains(.hasMask), into: &output)
    }
  }
}
