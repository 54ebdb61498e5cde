import Basics

/// What another router lacks of a stream because the ring to it was full: everything from a packet on. It is read from the stream's store, so
/// nothing is kept twice.
struct RelayArrears {
  let relay: Relay
  /// The first packet that the ring did not take.
  var from: Int64
  /// The last packet that was given up; nil while none was.
  var lost: Int64?
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
    guard let index = stream.arrears.firstIndex(where: { $0.relay === relay }) else {
      // It may be another router that lacks something.
      if relay.forward(
        packet, of: stream, layer: layerIndex(of: stream, publication), publication: publication.number)
      {
        counters.packetsRelayedOut &+= 1
        return
      }
      relay.output.noteDelayed()
      stream.arrears.append(RelayArrears(relay: relay, from: packet.sequence))
      if !relayState.owing.contains(where: { $0 === publication }) { relayState.owing.append(publication) }
      relayState.arrearsDeadline = min(relayState.arrearsDeadline, now + RelayState.arrearsInterval)
      return
    }
    relay.output.noteDelayed()
    stream.arrears[index].from = min(stream.arrears[index].from, packet.sequence)
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
    var arrears = stream.arrears[index]
    let relay = arrears.relay
    let rank = publication.isSimulcast ? stream.layers.rank : 0
    guard let target = publication.relays.first(where: { $0.relay === relay }), rank < target.level.layers else {
      return true
    }
    let layer = layerIndex(of: stream, publication)
    arrears.from = max(arrears.from, stream.highest &- Int64(stream.store.capacity))
    while arrears.from <= stream.highest {
      // What is not there was lost on its way here, and follows when it comes.
      if let slot = stream.store.slot(of: arrears.from) {
        let packet = stream.store[slot]
        if now - packet.arrival > Self.oldestArrears {
          relay.output.noteDropped()
          arrears.lost = arrears.from
        } else if relay.forward(packet, of: stream, layer: layer, publication: publication.number) {
          counters.packetsRelayedOut &+= 1
        } else {
          stream.arrears[index] = arrears
          return false
        }
      }
      arrears.from &+= 1
    }
    if stream.kind == .video, let lost = arrears.lost, !stream.hasKeyframe(after: lost) {
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
