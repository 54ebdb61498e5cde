import Basics

/// What another router lacks of a stream because the ring to it was full: everything from a packet on, and what came late meanwhile. It is read
/// from the stream's store, so nothing is kept twice.
struct RelayArrears {
  /// So many packets that came late are kept in mind one by one; more are given up.
  static let maximumLate = 64

  let relay: Relay
  /// The packet whose turn is next: all before it were written or given up, or had not come when it was their turn.
  private(set) var from: Int64
  /// Packets before ``from`` that came afterwards: repaired ones, and such as others overtook. Their turn is first.
  private var late: ContiguousArray<Int64> = []
  /// How many packets came that are neither written nor given up.
  private(set) var waiting = 0
  /// The last number that was not in the store when it was its turn.
  private var absent: Int64?
  /// The last packet that was given up; nil while none was.
  private(set) var lost: Int64?

  init(relay: Relay, from: Int64) {
    self.relay = relay
    self.from = from
  }

  /// A packet came that has to wait; false when it has to be given up.
  mutating func add(_ sequence: Int64) -> Bool {
    waiting += 1
    guard sequence < from else { return true }
    guard late.count < Self.maximumLate else {
      giveUp(sequence)
      return false
    }
    late.append(sequence)
    return true
  }

  /// The number whose turn it is, of a stream whose newest packet is `highest`; nil when nothing is left.
  func next(highest: Int64) -> Int64? { late.first ?? (from <= highest ? from : nil) }

  /// The turn of ``next(highest:)`` is over.
  mutating func advance() { if late.isEmpty { from &+= 1 } else { late.removeFirst() } }

  /// Everything before `oldest` has lost its turn.
  mutating func advance(to oldest: Int64) {
    guard from < oldest else { return }
    noteAbsent(oldest &- 1)
    from = oldest
  }

  mutating func noteWritten() { waiting -= 1 }

  /// `sequence` has not come, or is not kept any more; which of both, the count of what waits tells at the end.
  mutating func noteAbsent(_ sequence: Int64) { absent = max(absent ?? sequence, sequence) }

  /// `sequence` will not be written.
  mutating func giveUp(_ sequence: Int64) {
    waiting -= 1
    lost = max(lost ?? sequence, sequence)
  }

  /// Gives up what waits and has not been found. Returns how many packets it was.
  mutating func giveUpAbsent() -> Int {
    guard waiting > 0 else { return 0 }
    defer { waiting = 0 }
    if let absent { lost = max(lost ?? absent, absent) }
    return waiting
  }
}

/// Rings are full when the worker that reads them has no time for a moment. What they do not take follows in its order as soon as they have
/// room, so that receivers there see a delay and no gap; what is too old by then is given up, and a picture goes on with a keyframe.
extension Router {
  /// What is older when there is room again is not written any more.
  static let oldestArrears = TimeSpan.milliseconds(500)

  /// A packet cannot be written to another router's ring now, or others of its stream come first.
  func relayLater(
    _ packet: StoredPacket, of stream: SourceStream, of publication: Publication, to relay: Relay, now: Instant
  ) {
    var index = stream.arrears.startIndex
    while index < stream.arrears.endIndex, stream.arrears[index].relay !== relay { index += 1 }
    if index == stream.arrears.endIndex {
      // It may be another router that lacks something.
      if relay.forward(
        packet, of: stream, layer: layerIndex(of: stream, publication), publication: publication.number)
      {
        counters.packetsRelayedOut &+= 1
        return
      }
      // What was sent after a packet that comes late is not sent again.
      let isNewest = packet.sequence == stream.highest
      stream.arrears.append(RelayArrears(relay: relay, from: isNewest ? packet.sequence : stream.highest &+ 1))
      if !relayState.owing.contains(where: { $0 === publication }) { relayState.owing.append(publication) }
      relayState.arrearsDeadline = min(relayState.arrearsDeadline, now + RelayState.arrearsInterval)
    }
    relay.output.noteDelayed()
    if !stream.arrears[index].add(packet.sequence) { relay.output.noteDropped() }
  }

  /// Tries to write what rings did not take.
  func settleArrears(_ now: Instant) {
    for publication in relayState.owing {
      for stream in publication.streams {
        var index = 0
        while index < stream.arrears.count {
          if settle(index, of: stream, of: publication, now: now) {
            stream.arrears.remove(at: index)
          } else {
            index += 1
          }
        }
      }
    }
    relayState.owing.removeAll { $0.streams.allSatisfy(\.arrears.isEmpty) }
    relayState.arrearsDeadline = relayState.owing.isEmpty ? .distantFuture : now + RelayState.arrearsInterval
  }

  /// Writes what one router lacks of one stream, as far as there is room; true when nothing is left.
  private func settle(_ index: Int, of stream: SourceStream, of publication: Publication, now: Instant) -> Bool {
    let relay = stream.arrears[index].relay
    let rank = publication.isSimulcast ? stream.layers.rank : 0
    guard let target = publication.relays.first(where: { $0.relay === relay }), rank < target.level.layers else {
      return true
    }
    let layer = layerIndex(of: stream, publication)
    stream.arrears[index].advance(to: stream.highest &- Int64(stream.store.capacity) &+ 1)
    while let number = stream.arrears[index].next(highest: stream.highest) {
      if let slot = stream.store.slot(of: number) {
        let packet = stream.store[slot]
        if now - packet.arrival > Self.oldestArrears {
          relay.output.noteDropped()
          stream.arrears[index].giveUp(number)
        } else if relay.forward(packet, of: stream, layer: layer, publication: publication.number) {
          counters.packetsRelayedOut &+= 1
          stream.arrears[index].noteWritten()
        } else {
          return false
        }
      } else {
        stream.arrears[index].noteAbsent(number)
      }
      stream.arrears[index].advance()
    }
    relay.output.noteDropped(stream.arrears[index].giveUpAbsent())
    if stream.kind == .video, let lost = stream.arrears[index].lost, !stream.hasKeyframe(after: lost) {
      stream.keyframes.request()
      keyframeWanted(of: publication)
    }
    return true
  }

  /// Nothing of `publication` is to be written later.
  func forgetArrears(of publication: Publication) {
    for stream in publication.streams { stream.arrears.removeAll() }
    relayState.owing.removeAll { $0 === publication }
  }
}
