import Basics
import RTC

/// The first frames for a receiver that joins.
///
/// A keyframe is asked for when a slot gets its publication, while ICE and DTLS still go on: the publisher can only
/// send one with its next frame, up to 40 ms later. When the connection is there before the keyframe, that begins the
/// stream as it arrives. When the keyframe was first, it lies in the publication's store, and the stream begins with
/// the packets since then.
extension Router {
  /// A keyframe older than this is too late: a receiver that followed from there would lag behind the others.
  static let oldestStart = TimeSpan.milliseconds(200)

  /// Writes for receivers whose connections are new what came since the newest keyframes; asks for another one where
  /// there is none to start with.
  func start<Sink: PacketSink>(_ now: Instant, _ batch: OutputBatch, _ sink: Sink) {
    for egress in starting where egress.isOpen {
      for subscription in egress.subscriptions where subscription.startsWithKeyframe {
        guard let publication = subscription.publication else { continue }
        if let stream = subscription.stream {
          let slots = stream.sinceKeyframe(notBefore: now - Self.oldestStart)
          if !slots.isEmpty {
            // Waiting packets come after these, with the next packets of everybody.
            let pending = stream.pending.exchange(for: slots)
            egress.forward(subscription, batch: batch, now: now, to: sink, &egress.writer, &counters)
            _ = stream.pending.exchange(for: pending)
          }
        }
        guard subscription.startsWithKeyframe else { continue }
        subscription.requestKeyframe(urgent: true)
        keyframeWanted(of: publication)
      }
      finish(egress, now, batch, sink)
    }
    starting = []
  }
}
