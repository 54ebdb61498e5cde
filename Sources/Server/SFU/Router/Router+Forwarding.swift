public import Basics
public import RTC

/// The way of a packet: into a publication's store, and from there to each receiver.
extension Router {
  /// Packets that wait to be forwarded. Flush when it reaches 64, and at the end of each tick.
  public var pendingPackets: Int { waiting }

  /// Whether there is something to flush.
  public var needsFlush: Bool { waiting > 0 || !resending.isEmpty || !starting.isEmpty }

  /// When to flush; see ``BatchingPolicy/deadline(load:)``. Not needed where each tick ends with a flush.
  public func flushDeadline(load: TimeSpan) -> Instant { needsFlush ? hold.deadline(load: load) : .zero }

  /// Takes a decrypted RTP packet of `member`; `packet` is exactly the packet that `header` was read from.
  @inline(__always)
  public func receiveRTP(_ packet: Span<UInt8>, header: RTPHeader, from member: Member, now: Instant) {
    counters.packetsReceived &+= 1
    counters.bytesReceived &+= UInt64(truncatingIfNeeded: packet.count)
    switch member.ingress.receive(packet, header: header, now: now) {
    case .accepted(let binding): binding.use { accepted($0.publication, $0.stream, now) }
    case .consumed: releaseReplaced(of: member.ingress)
    case .dropped(let reason):
      counters[reason] &+= 1
      releaseReplaced(of: member.ingress)
    }
    schedule(member)
  }

  private func releaseReplaced(of ingress: Ingress) {
    for publication in ingress.publications { releaseReplaced(of: publication) }
  }

  /// Lets go of a stream that the sender has begun anew and that still holds its packets. The first packet of the next
  /// one that waits does that too, but it may be refused, or nobody may receive it.
  private func releaseReplaced(of publication: Publication) {
    guard publication.leavesStreams else { return }
    publication.leavesStreams = false
    readyStreams.removeReplaced()
  }

  /// A packet, of a participant or from a relay, is in the store and the last one that waits.
  func accepted(_ publication: Publication, _ stream: SourceStream, _ now: Instant) {
    if publication.voice >= 0, publication.origin == nil, let slot = stream.pending.last {
      listen(to: publication, stream.store[slot], now: now)
    }
    if publication.isSimulcast, let slot = stream.pending.last {
      publication.noteArrival(stream, stream.store[slot])
    }
    if !publication.relays.isEmpty { relayNewest(of: stream, of: publication, now: now) }
    if !publication.hasStarted {
      publication.hasStarted = true
      emit(.publicationStarted(publication.id))
    }
    if publication.hasNewFormat { reportCodec(of: publication, now: now) }
    // A packet without receivers here costs no walk over the receivers.
    if publication.subscriptions.isEmpty {
      stream.pending.removeLast()
      releaseReplaced(of: publication)
      if publication.media.kind == .video, publication.settleLayers(now: now) { demandChanged(publication) }
      return
    }
    waiting &+= 1
    holdNewest(of: stream, of: publication, now)
    if stream.pending.count == 1 { readyStreams.add(stream, of: publication) }
  }

  @inline(__always)
  private func holdNewest(of stream: SourceStream, of publication: Publication, _ now: Instant) {
    let receivers = publication.subscriptions.count
    guard stream.kind == .video else { return hold.addSound(receivers: receivers, now: now) }
    guard let slot = stream.pending.last else { return }
    let packet = stream.store[slot]
    // What was lost or overtaken is waited for already.
    hold.addPicture(receivers: receivers, endsFrame: packet.marker || packet.sequence < stream.highest, now: now)
  }

  /// Somebody wants a keyframe of `publication`: its sender is asked as soon as the throttle allows.
  func keyframeWanted(of publication: Publication) {
    if publication.origin != nil { return relayedKeyframeWanted(of: publication) }
    guard publication.media.kind == .video, members.indices.contains(publication.participant) else { return }
    var due = Instant.distantFuture
    var index = 0
    while index < publication.streams.count {
      publication.streams.reference(at: index).use { due = min(due, $0.keyframes.deadline) }
      index &+= 1
    }
    guard due != .distantFuture else { return }
    members.reference(at: publication.participant).use { member in
      guard due < member.ingress.keyframeDeadline else { return }
      member.ingress.keyframeDeadline = due
      schedule(member)
    }
  }

  func egressHasResends(_ egress: Egress, _ now: Instant) {
    hold.addUrgent(now: now)
    if resending.last !== egress { resending.append(egress) }
  }

  // MARK: Out

  /// Writes what waits for every receiver and gives it to `sink`.
  public func flush<Sink: PacketSink>(now: Instant, batch: OutputBatch, to sink: Sink) {
    if !starting.isEmpty { start(now, batch, sink) }
    if waiting > 0 { forwardPending(now, batch, sink) }
    if !resending.isEmpty {
      for egress in resending {
        egress.writeResends(batch: batch, now: now, to: sink, &counters)
        egress.send(batch, to: sink)
      }
      resending.removeAll(keepingCapacity: true)
    }
    hold.clear()
  }

  private func forwardPending<Sink: PacketSink>(_ now: Instant, _ batch: OutputBatch, _ sink: Sink) {
    forwardListed(now, batch, sink)
    readyStreams.clear()
    waiting = 0
  }

  private func forwardListed<Sink: PacketSink>(_ now: Instant, _ batch: OutputBatch, _ sink: Sink) {
    readyStreams.forEach { stream in
      counters[.overload] &+= UInt64(stream.dropOverwritten())
      if stream.kind == .video { stream.evenOut() }
    }
    if readyStreams.count > 1 { orderVoices() }
    readyStreams.forEachPublication { publication in
      guard publication.media.kind == .video else { return }
      if publication.settleLayers(now: now) { demandChanged(publication) }
    }
    if readyStreams.publicationCount == 1 {
      readyStreams.forEachPublication { forwardOne($0, now, batch, sink, &counters) }
    } else {
      forwardAll(now, batch, sink, &counters)
    }
    readyStreams.forEach { stream in
      stream.pending.removeAll()
      stream.turn = -1
    }
    readyStreams.forEachPublication { publication in
      publication.isListed = false
      // A receiver that starts now has asked for a keyframe.
      keyframeWanted(of: publication)
    }
  }

  /// Writes what waits, receiver by receiver, so that its packets of all publications leave together. Nobody comes or
  /// goes meanwhile.
  @inline(__always)
  private func forwardAll<Sink: PacketSink>(
    _ now: Instant, _ batch: OutputBatch, _ sink: Sink, _ counters: inout RouterCounters
  ) {
    var index = 0
    while index < members.count {
      members.reference(at: index).use { member in
        let egress = member.egress
        guard egress.isOpen else { return }
        forward(to: egress, now, batch, sink, &egress.writer, &counters)
        finish(egress, now, batch, sink)
      }
      index &+= 1
    }
  }

  /// Writes what waits of the only publication that has anything.
  @inline(__always)
  private func forwardOne<Sink: PacketSink>(
    _ publication: Publication, _ now: Instant, _ batch: OutputBatch, _ sink: Sink, _ counters: inout RouterCounters
  ) {
    var index = 0
    while index < publication.subscriptions.count {
      publication.subscriptions.reference(at: index).use { subscription in
        let egress = subscription.egress
        egress.forward(subscription, batch: batch, now: now, to: sink, &egress.writer, &counters)
        finish(egress, now, batch, sink)
      }
      index &+= 1
    }
  }

  /// Gives the streams of sound their turns, largest packet first: a shorter packet ends a run, but a run may end with
  /// one. So two packets of any lengths leave in one send, and those that differ by little all do.
  private func orderVoices() {
    var turns = 0
    readyStreams.forEach { stream in
      guard stream.kind == .audio, turns < turnSlots.count, let slot = stream.pending.last else { return }
      let length = stream.store[slot].payloadLength
      // Insertion: hardly ever more than eight voices are heard at a time.
      var turn = turns
      while turn > 0, turnLengths[turn &- 1] < length {
        turnLengths[turn] = turnLengths[turn &- 1]
        turn &-= 1
      }
      turnLengths[turn] = length
      readyStreams.forEach { other in if other.turn >= turn { other.turn &+= 1 } }
      stream.turn = turn
      turns &+= 1
    }
    turnCount = turns
  }

  /// Writes one receiver's packets of all publications, sound in the order of turns.
  @inline(__always)
  private func forward<Sink: PacketSink>(
    to egress: Egress, _ now: Instant, _ batch: OutputBatch, _ sink: Sink, _ writer: inout EgressWriter,
    _ counters: inout RouterCounters
  ) {
    var voices = 0
    var index: Int32 = 0
    // No slot comes or goes meanwhile, so that the list owns them.
    while index < egress.subscriptions.count {
      egress.subscriptions.reference(at: Int(index)).use { subscription in
        var turn = -1
        subscription.source.use { turn = $0.turn }
        // Should two slots carry one stream, the second goes at once.
        if turn >= 0, turnSlots[turn] < 0 {
          turnSlots[turn] = index
          voices &+= 1
        } else {
          egress.forward(subscription, batch: batch, now: now, to: sink, &writer, &counters)
        }
      }
      index &+= 1
    }
    var turn = 0
    while voices > 0, turn < turnCount {
      let slot = Int(turnSlots[turn])
      if slot >= 0 {
        turnSlots[turn] = -1
        voices &-= 1
        egress.subscriptions.reference(at: slot).use {
          egress.forward($0, batch: batch, now: now, to: sink, &writer, &counters)
        }
      }
      turn &+= 1
    }
    // A turn that was never taken would belong to the next receiver.
    assert(voices == 0)
  }

  /// Sends what one receiver's batch holds, and sees to what came of it.
  @inline(__always)
  func finish<Sink: PacketSink>(_ egress: Egress, _ now: Instant, _ batch: OutputBatch, _ sink: Sink) {
    egress.send(batch, to: sink)
    if egress.wantsReport { reportSoon(egress, now) }
    if !egress.writer.bandwidth.queue.isEmpty { schedulePaced(egress) }
  }

  private func reportSoon(_ egress: Egress, _ now: Instant) {
    egress.wantsReport = false
    guard members.indices.contains(egress.participant), let member = members[egress.participant] else { return }
    member.nextReport = min(member.nextReport, now + .milliseconds(50))
    schedule(member)
  }

  func discardPending(of publication: Publication) {
    for stream in publication.streams where !stream.pending.isEmpty {
      waiting &-= stream.pending.count
      stream.pending.removeAll()
    }
    readyStreams.remove(publication)
    if !needsFlush { hold.clear() }
  }
}
