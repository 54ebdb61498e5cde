import RTC
import Transport

/// The two rings between two workers, as both of them see it from their side. Made by ``MediaWorkerPool``.
struct WorkerWire: Sendable {
  /// The ring that the other worker writes.
  let incoming: RelayRing
  /// Wakes this worker when something lies in `incoming`.
  let wakesThis: EventCounter
  /// The ring that this worker writes.
  let outgoing: RelayRing
  /// Wakes the other worker.
  let wakesOther: EventCounter

  /// The same wire as the other worker sees it.
  var reversed: WorkerWire {
    WorkerWire(incoming: outgoing, wakesThis: wakesOther, outgoing: incoming, wakesOther: wakesThis)
  }

  init(incoming: RelayRing, wakesThis: EventCounter, outgoing: RelayRing, wakesOther: EventCounter) {
    self.incoming = incoming
    self.wakesThis = wakesThis
    self.outgoing = outgoing
    self.wakesOther = wakesOther
  }

  /// New rings of `capacity` bytes each.
  init(capacity: Int) throws(TransportError) {
    try self.init(
      incoming: RelayRing(capacity: capacity), wakesThis: EventCounter(), outgoing: RelayRing(capacity: capacity),
      wakesOther: EventCounter())
  }
}

/// This worker's end of the wire to another worker, and the meetings that run over it.
final class WorkerLink {
  /// The other worker's number in the pool.
  let worker: Int
  let wire: WorkerWire
  let output: RelayOutput
  var registration: EventLoop.Registration?
  /// Records of channels that are closed here, or not open yet.
  var strayRecords: UInt64 = 0

  struct End {
    var meeting: MediaCore.Meeting
    var relay: Relay
  }

  private var ends: [UInt32: End] = [:]
  private var last: (channel: UInt32, end: End)?

  init(worker: Int, wire: WorkerWire) {
    self.worker = worker
    self.wire = wire
    output = RelayOutput(ring: wire.outgoing)
  }

  /// The end of `channel`. Records of one meeting come in runs, so the last one is tried first.
  @inline(__always)
  func end(of channel: UInt32) -> End? {
    if let last, last.channel == channel { return last.end }
    guard let end = ends[channel] else { return nil }
    last = (channel, end)
    return end
  }

  /// Writes what waits for room, and wakes the other worker for what was written and for room that it waits for. False
  /// when there is something to read first. A worker whose records find no room need not look again: who reads the ring
  /// wakes it.
  func settle() -> Bool {
    output.flush()
    if output.isBlocked {
      wire.outgoing.awaitRoom()
      // Room may have come just before.
      output.flush()
    }
    let hasNews = wire.outgoing.wakes()
    let hasRoom = wire.incoming.hasMadeRoom()
    if hasNews || hasRoom { wire.wakesOther.signal() }
    return wire.incoming.fallAsleep()
  }

  func open(_ channel: UInt32, _ end: End) { ends[channel] = end }

  func close(_ channel: UInt32) {
    ends[channel] = nil
    last = nil
  }
}
