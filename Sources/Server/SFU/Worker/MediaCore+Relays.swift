import Basics
import RTC
import Transport

/// The relays between this worker's routers and those of other workers: rings that are read at the beginning of a
/// tick's end, so that what came leaves with the tick's own packets, and announced at its very end, so that one wake-up
/// serves a whole tick.
extension MediaCore {
  /// Records taken from one ring in a tick; what is left wakes the loop again, after everything has been sent.
  private static let recordsPerTick = 2_048

  /// Connects this worker with another one.
  func connect(to worker: Int, over wire: WorkerWire) throws(TransportError) {
    let link = WorkerLink(worker: worker, wire: wire)
    let wakes = wire.wakesThis
    // The tick's end reads the rings; this only ends the wait.
    link.registration = try loop.register(wakes.descriptor, for: .readable) { _ in wakes.drain() }
    links.append(link)
  }

  /// Opens this worker's end of a meeting's relay to another worker.
  func openRelay(of id: MeetingID, channel: UInt32, to worker: Int) {
    guard let link = links.first(where: { $0.worker == worker }), link.end(of: channel) == nil else { return }
    let meeting = meeting(id)
    let relay = meeting.router.addRelay(channel: channel, reach: .machine, output: link.output)
    link.open(channel, WorkerLink.End(meeting: meeting, relay: relay))
    touch(meeting)
  }

  /// Closes all relays of a meeting.
  func closeRelays(of meeting: Meeting) {
    for relay in meeting.router.relays {
      for link in links where link.end(of: relay.channel)?.relay === relay { link.close(relay.channel) }
      meeting.router.removeRelay(relay)
    }
  }

  /// Takes what other workers wrote.
  func receiveRelayed(_ now: Instant) {
    for link in links {
      let ring = link.wire.incoming
      var left = Self.recordsPerTick
      while left > 0, ring.read({ receive($0, over: link, now) }) { left &-= 1 }
    }
  }

  @inline(__always)
  private func receive(_ record: Span<UInt8>, over link: WorkerLink, _ now: Instant) {
    guard let channel = RelayRecord.channel(record), let end = link.end(of: channel) else {
      link.strayRecords &+= 1
      return
    }
    end.meeting.router.receive(record, from: end.relay, now: now)
    touch(end.meeting)
    flushIfFull(end.meeting, now)
  }

  /// Wakes the workers that something was written for. False when this worker must not sleep yet, because something
  /// came meanwhile.
  func settleRelays() -> Bool {
    var mayRest = true
    for link in links where !link.settle() { mayRest = false }
    return mayRest
  }

  func closeLinks() {
    for link in links {
      link.wire.incoming.stayAwake()
      if let registration = link.registration { loop.unregister(registration) }
    }
    links.removeAll()
  }
}
