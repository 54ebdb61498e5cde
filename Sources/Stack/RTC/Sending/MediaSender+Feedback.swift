public import Basics

/// A sender report that left, to measure the round trip with.
struct SentReport: Sendable {
  /// The middle 32 bits of its NTP time; 0 where none was sent.
  var middle: UInt32 = 0
  var sent = Instant.zero
}

extension MediaSender {
  /// Takes one RTCP message that the peer sent: NACK, PLI, FIR, transport-wide feedback, REMB, and the report blocks
  /// about streams of this side. Others, and those about unknown streams, are ignored. The work is bounded by the
  /// message's length, the history and the budget for retransmissions.
  public mutating func receive(_ message: RTCPMessage, in packet: Span<UInt8>, now: Instant) {
    latest = max(latest, now)
    switch message {
    case .nack(let nack): receive(nack, packet, now)
    case .pli(let pli):
      guard let index = index(of: pli.mediaSSRC) else { return }
      streams[index].statistics.pliCount &+= 1
      requestKeyframe(index)
    case .fir(let fir): receive(fir, packet)
    case .remb(let remb):
      let streams = streams
      estimator.receive(remb, in: packet, now: now) { ssrc in
        streams.contains { $0.ssrc == ssrc || $0.rtxSSRC == ssrc }
      }
      targetMayHaveChanged(now)
    case .transportFeedback(let feedback):
      guard estimator.expectsFeedback else { return }
      estimator.receive(feedback, in: packet, now: now)
      targetMayHaveChanged(now)
    case .senderReport(let report): receive(report.blocks, packet, now)
    case .receiverReport(let report): receive(report.blocks, packet, now)
    case .extendedReport(let report):
      if let time = report.referenceTime { asked = (time, report.ssrc, now) }
    case .sdes, .bye: break
    }
    handleTimeout(now: now)
  }

  private mutating func receive(_ nack: NACK, _ datagram: Span<UInt8>, _ now: Instant) {
    guard let index = index(of: nack.mediaSSRC) else { return }
    streams[index].statistics.nackCount &+= 1
    let roundTrip = estimator.roundTrip ?? .milliseconds(100)
    var numbers = nack.sequenceNumbers
    var count = 0
    // One message can name 5,000 packets; nobody who means it asks for more than a store holds.
    while count < 1_024, let number = numbers.next(in: datagram) {
      count &+= 1
      guard streams[index].rtxSSRC != nil, let found = streams[index].store.packet(numbered: number), found.isSent,
        now - found.added <= configuration.retransmissionAge,
        budget.spend(
          bytes: Int(found.length), sequence: found.sequence, stream: index, roundTrip: roundTrip, now: now)
      else {
        streams[index].statistics.retransmissionsRefused &+= 1
        continue
      }
      let entry = Pacer.Entry(
        stream: index, sequence: found.sequence, size: Int(found.length) + streams[index].headerRoom, enqueued: now)
      if !pacer.enqueue(entry, .retransmission) { streams[index].statistics.retransmissionsRefused &+= 1 }
    }
  }

  private mutating func receive(_ fir: FIR, _ datagram: Span<UInt8>) {
    for entryIndex in 0..<fir.count {
      guard let entry = fir.entry(at: entryIndex, in: datagram), let index = index(of: entry.ssrc) else { continue }
      streams[index].statistics.firCount &+= 1
      // A repetition of a request that was answered keeps its number (RFC 5104 section 4.3.1.2).
      guard streams[index].lastFIR != entry.sequenceNumber else { continue }
      streams[index].lastFIR = entry.sequenceNumber
      requestKeyframe(index)
    }
  }

  /// A paused stream has no encoder to ask; it begins with a keyframe when it comes back.
  private mutating func requestKeyframe(_ index: Int) {
    if streams[index].statistics.isActive { streams[index].keyframes.request(urgent: true) }
  }

  private mutating func receive(_ blocks: ReportBlocks, _ datagram: Span<UInt8>, _ now: Instant) {
    var received = 0
    var lost = 0
    for blockIndex in 0..<blocks.count {
      guard let block = blocks.block(at: blockIndex, in: datagram), let index = index(of: block.ssrc) else { continue }
      let roundTrip = roundTrip(of: block, now)
      if let roundTrip { estimator.measured(roundTrip: roundTrip) }
      let counted = streams[index].take(block, roundTrip: roundTrip)
      received &+= counted.received
      lost &+= counted.lost
    }
    guard !estimator.expectsFeedback, received &+ lost > 0 else { return }
    estimator.receive(received: received, lost: lost, now: now)
    targetMayHaveChanged(now)
  }

  /// RFC 3550 section 6.4.1, from our own note of when the report left; nil where the block names none of the last
  /// reports.
  private func roundTrip(of block: ReportBlock, _ now: Instant) -> TimeSpan? {
    guard block.lastSenderReport != 0 else { return nil }
    for index in 0..<8 where sentReports[index].middle == block.lastSenderReport {
      let delay = TimeSpan(nanoseconds: Int64(block.delaySinceLastSenderReport) &* 1_000_000_000 / 65_536)
      let roundTrip = now - sentReports[index].sent - delay
      // Clocks differ a little, so that a very short way may come out below zero.
      guard roundTrip > .milliseconds(-10), roundTrip < .seconds(60) else { return nil }
      return max(roundTrip, .zero)
    }
    return nil
  }

  // MARK: Allocation

  /// Announces and divides a new target if it differs enough to matter, and about once a second in any case: streams
  /// that wait for calm before they grow must be asked again.
  mutating func targetMayHaveChanged(_ now: Instant) {
    let target = estimator.target
    let old = Double(allocatedTarget.bitsPerSecond)
    let new = Double(target.bitsPerSecond)
    // Encoders need not follow each step up; a step down must be followed at once.
    guard new < old * 0.98 || new > old * 1.05 || now - allocatedAt >= .seconds(1) else { return }
    if target != allocatedTarget { events.append(.targetChanged(target)) }
    allocate()
  }

  /// Divides the target between the streams.
  mutating func allocate() {
    allocatedTarget = estimator.target
    allocatedAt = latest
    var useful: Int64 = 0
    let demands = streams.map { stream in
      if stream.parameters.isActive { useful += stream.parameters.maximumBitrate.bitsPerSecond }
      return BitrateAllocator.Demand(
        mid: stream.mid, kind: stream.kind, parameters: stream.parameters, isPaused: !stream.statistics.isActive)
    }
    // Some room for headers and retransmissions.
    estimator.setUseful(DataRate(bitsPerSecond: useful * 5 / 4))
    let rates = BitrateAllocator.allocate(
      estimator.target, retransmissions: retransmissionRate.rate(now: latest), demands)
    var next: [StreamAllocation] = []
    for index in streams.indices {
      let rate = DataRate(bitsPerSecond: rates[index])
      streams[index].statistics.targetBitrate = rate
      let wasActive = streams[index].statistics.isActive
      streams[index].statistics.isActive = rate > .zero
      // A stream that resumes has nothing to refer to.
      if !wasActive, rate > .zero, streams[index].kind == .video { streams[index].keyframes.request(urgent: true) }
      if rate <= .zero { streams[index].keyframes.withdraw() }
      next.append(streams[index].allocation(rate, now: latest))
    }
    guard next != allocations else { return }
    allocations = next
    events.append(.allocationChanged(next))
  }
}
