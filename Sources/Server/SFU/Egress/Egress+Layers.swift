import Basics
import RTC

extension Egress {
  /// How long a receiver that joins waits for the keyframe of the layer it is to have before it takes another one's.
  private static let patience = TimeSpan.milliseconds(300)

  /// Writes what waits for `subscription`, of the stream it forwards and of the one it changes to.
  /// `writer` is the receiver's, see ``EgressWriter``.
  @inline(__always)
  func forward<Sink: PacketSink>(
    _ subscription: Subscription, batch: OutputBatch, now: Instant, to sink: Sink,
    _ writer: inout EgressWriter, _ counters: inout RouterCounters
  ) {
    if subscription.isStopped { return }
    subscription.source.use { stream in
      guard !stream.pending.isEmpty else { return }
      write(stream, for: subscription, batch: batch, now: now, to: sink, &writer, &counters)
      if !subscription.layering.selector.isOpen { watchForKeyframe(stream, subscription) }
    }
    if subscription.layering.next != nil || subscription.layering.waitingSince != nil {
      changeStream(subscription, batch: batch, now: now, to: sink, &writer, &counters)
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
    _ writer: inout EgressWriter, _ counters: inout RouterCounters
  ) {
    guard isOpen else { return }
    if let next = subscription.layering.next {
      guard !next.pending.isEmpty else { return }
      guard let index = subscription.switchPoint(in: next) else {
        next.keyframes.request()
        return
      }
      change(subscription, to: next, at: index, batch: batch, now: now, to: sink, &writer, &counters)
    } else if subscription.state == .waiting, let since = subscription.layering.waitingSince,
      now - since > Self.patience, let publication = subscription.publication, let wanted = subscription.stream
    {
      for stream in publication.streams
      where stream !== wanted && stream.layers.rank < wanted.layers.rank && !stream.pending.isEmpty {
        guard let index = subscription.switchPoint(in: stream) else { continue }
        change(subscription, to: stream, at: index, batch: batch, now: now, to: sink, &writer, &counters)
        subscription.reconsider()
        return
      }
    }
  }

  private func change<Sink: PacketSink>(
    _ subscription: Subscription, to next: SourceStream, at index: Int, batch: OutputBatch, now: Instant, to sink: Sink,
    _ writer: inout EgressWriter, _ counters: inout RouterCounters
  ) {
    subscription.change(to: next, at: next.store[next.pending[index]], now: now)
    write(next, for: subscription, from: index, batch: batch, now: now, to: sink, &writer, &counters)
  }
}
