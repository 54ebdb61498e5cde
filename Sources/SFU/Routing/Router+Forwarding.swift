public import Basics
public import RTC

/// The way of a packet: into a publication's store, and from there to each receiver.
extension Router {
  /// Packets that wait to be forwarded. Flush when it reaches 64, and at the end of each tick.
  public var pendingPackets: Int { waiting }

  /// Whether there is something to flush.
  public var needsFlush: Bool { waiting > 0 || !resending.isEmpty || !starting.isEmpty }

  /// Takes a decrypted RTP packet of `member`; `packet` is exactly the packet that `header` was read from.
  @inline(__always)
  public func receiveRTP(_ packet: Span<UInt8>, header: RTPHeader, from member: Member, now: Instant) {
    counters.packetsReceived &+= 1
    counters.bytesReceived &+= UInt64(truncatingIfNeeded: packet.count)
    switch member.inlet.receive(packet, header: header, now: now) {
    case .accepted(let publication, let stream): accepted(publication, stream, now)
    case .consumed: break
    case .dropped(let reason): counters[reason] &+= 1
    }
    schedule(member)
  }

  /// A packet, of a participant or from a relay, is in the store and the last one that waits.
  func accepted(_ publication: Publication, _ stream: SourceStream, _ now: Instant) {
    if publication.voice >= 0, publication.origin == nil, let slot = stream.pending.last {
      listen(to: publication, stream.store[Int(slot)], now: now)
    }
    if publication.isSimulcast, let slot = stream.pending.last {
      publication.noteArrival(stream, stream.store[Int(slot)])
    }
    if !publication.relays.isEmpty { relayNewest(of: stream, of: publication) }
    if !publication.hasStarted {
      publication.hasStarted = true
      emit(.publicationStarted(publication.id))
    }
    // What nobody here receives costs no walk over the receivers.
    if publication.subscriptions.isEmpty {
      stream.pending.removeLast()
      if publication.media.kind == .video, publication.settleLayers(now: now) { demandChanged(publication) }
      return
    }
    waiting &+= 1
    if stream.pending.count == 1 { dirtyStreams.append(stream) }
    if !publication.isListed {
      publication.isListed = true
      dirty.append(publication)
    }
  }

  /// Somebody wants a keyframe of `publication`: its sender is asked as soon as the throttle allows.
  func keyframeWanted(of publication: Publication) {
    if publication.origin != nil { return relayedKeyframeWanted(of: publication) }
    guard publication.media.kind == .video, members.indices.contains(publication.participant),
      let member = members[publication.participant]
    else { return }
    var due = Instant.distantFuture
    for stream in publication.streams { due = min(due, stream.keyframes.deadline) }
    guard due < member.inlet.keyframeDeadline else { return }
    member.inlet.keyframeDeadline = due
    schedule(member)
  }

  func outletHasResends(_ outlet: Outlet) {
    if resending.last !== outlet { resending.append(outlet) }
  }

  // MARK: Out

  /// Writes what waits for every receiver and gives it to `sink`.
  public func flush<Sink: PacketSink>(now: Instant, batch: OutputBatch, to sink: Sink) {
    if !starting.isEmpty { start(now, batch, sink) }
    if waiting > 0 { forwardPending(now, batch, sink) }
    if !resending.isEmpty {
      for outlet in resending {
        outlet.writeResends(batch: batch, now: now, to: sink, &counters)
        outlet.send(batch, to: sink)
      }
      resending.removeAll(keepingCapacity: true)
    }
  }

  private func forwardPending<Sink: PacketSink>(_ now: Instant, _ batch: OutputBatch, _ sink: Sink) {
    for stream in dirtyStreams where stream.kind == .video { stream.evenOut() }
    for publication in dirty where publication.media.kind == .video {
      if publication.settleLayers(now: now) { demandChanged(publication) }
    }
    if dirty.count == 1, let publication = dirty.first {
      for subscription in publication.subscriptions {
        let outlet = subscription.outlet
        outlet.forward(subscription, batch: batch, now: now, to: sink, &counters)
        outlet.send(batch, to: sink)
        finish(outlet, now)
      }
    } else {
      // Receiver by receiver, so that its packets of all publications leave together.
      for member in members {
        guard let outlet = member?.outlet, outlet.isOpen else { continue }
        for subscription in outlet.subscriptions {
          outlet.forward(subscription, batch: batch, now: now, to: sink, &counters)
        }
        outlet.send(batch, to: sink)
        finish(outlet, now)
      }
    }
    for stream in dirtyStreams { stream.pending.removeAll(keepingCapacity: true) }
    dirtyStreams.removeAll(keepingCapacity: true)
    for publication in dirty {
      publication.isListed = false
      // A receiver that starts now has asked for a keyframe.
      keyframeWanted(of: publication)
    }
    dirty.removeAll(keepingCapacity: true)
    waiting = 0
  }

  /// After something was written for a receiver: what follows from it.
  @inline(__always)
  func finish(_ outlet: Outlet, _ now: Instant) {
    if outlet.wantsReport { reportSoon(outlet, now) }
    if !outlet.bandwidth.queue.isEmpty { schedulePaced(outlet) }
  }

  private func reportSoon(_ outlet: Outlet, _ now: Instant) {
    outlet.wantsReport = false
    guard members.indices.contains(outlet.participant), let member = members[outlet.participant] else { return }
    member.nextReport = min(member.nextReport, now + .milliseconds(50))
    schedule(member)
  }

  func discardPending(of publication: Publication) {
    for stream in publication.streams where !stream.pending.isEmpty {
      waiting &-= stream.pending.count
      stream.pending.removeAll(keepingCapacity: true)
      dirtyStreams.removeAll { $0 === stream }
    }
    dirty.removeAll { $0 === publication }
    publication.isListed = false
  }
}
