import Basics

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
