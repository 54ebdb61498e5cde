import Basics

/// Rings are full when the worker that reads them has no time for a moment. What they do not take follows in its order
/// as soon as they have room, so that receivers there see a delay and no gap; what is too old by then is given up, and
/// a picture goes on with a keyframe.
extension Router {
  /// Packets that are older when there is room again aren't written any more.
  static let oldestBacklog = TimeSpan.milliseconds(500)

  /// A packet cannot be written to another router's ring now, or others of its stream come first.
  func relayLater(
    _ packet: StoredPacket, of stream: SourceStream, of publication: Publication, to relay: Relay, now: Instant
  ) {
    var index = stream.backlog.startIndex
    while index < stream.backlog.endIndex, stream.backlog[index].relay !== relay { index += 1 }
    if index == stream.backlog.endIndex {
      // It may be another router that lacks something.
      if relay.forward(
        packet, of: stream, layer: layerIndex(of: stream, publication), publication: publication.number)
      {
        counters.packetsRelayedOut &+= 1
        return
      }
      // Packets sent after a late one aren't sent again.
      let isNewest = packet.sequence == stream.highest
      stream.backlog.append(RelayBacklog(relay: relay, from: isNewest ? packet.sequence : stream.highest &+ 1))
      if !relayState.owing.contains(where: { $0 === publication }) { relayState.owing.append(publication) }
      relayState.backlogDeadline = min(relayState.backlogDeadline, now + RelayState.backlogInterval)
    }
    relay.output.noteDelayed()
    if !stream.backlog[index].add(packet.sequence) { relay.output.noteDropped() }
  }

  /// Tries to write what rings did not take.
  func writeBacklog(_ now: Instant) {
    for publication in relayState.owing {
      for stream in publication.streams {
        var index = 0
        while index < stream.backlog.count {
          if settle(index, of: stream, of: publication, now: now) {
            stream.backlog.remove(at: index)
          } else {
            index += 1
          }
        }
      }
    }
    relayState.owing.removeAll { $0.streams.allSatisfy(\.backlog.isEmpty) }
    relayState.backlogDeadline = relayState.owing.isEmpty ? .distantFuture : now + RelayState.backlogInterval
  }

  /// Writes what one router lacks of one stream, as far as there is room; true when nothing is left.
  private func settle(_ index: Int, of stream: SourceStream, of publication: Publication, now: Instant) -> Bool {
    let relay = stream.backlog[index].relay
    let rank = publication.isSimulcast ? stream.layers.rank : 0
    guard let target = publication.relays.first(where: { $0.relay === relay }), rank < target.level.layers else {
      return true
    }
    let layer = layerIndex(of: stream, publication)
    stream.backlog[index].advance(to: stream.highest &- Int64(stream.store.capacity) &+ 1)
    while let number = stream.backlog[index].next(highest: stream.highest) {
      if let slot = stream.store.slot(of: number) {
        let packet = stream.store[slot]
        if now - packet.arrival > Self.oldestBacklog {
          relay.output.noteDropped()
          stream.backlog[index].giveUp(number)
        } else if relay.forward(packet, of: stream, layer: layer, publication: publication.number) {
          counters.packetsRelayedOut &+= 1
          stream.backlog[index].noteWritten()
        } else {
          return false
        }
      } else {
        stream.backlog[index].noteAbsent(number)
      }
      stream.backlog[index].advance()
    }
    relay.output.noteDropped(stream.backlog[index].giveUpAbsent())
    if stream.kind == .video, let lost = stream.backlog[index].lost, !stream.hasKeyframe(after: lost) {
      stream.keyframes.request()
      keyframeWanted(of: publication)
    }
    return true
  }

  /// Nothing of `publication` is to be written later.
  func dropBacklog(of publication: Publication) {
    for stream in publication.streams { stream.backlog.removeAll() }
    relayState.owing.removeAll { $0 === publication }
  }
}
