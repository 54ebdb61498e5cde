public import Basics

extension MediaSender {
  /// Takes one RTCP message that the peer sent: NACK, PLI, FIR, transport-wide feedback, REMB, and the report blocks about streams of this
  /// side. Others, and those about unknown streams, are ignored. The work is bounded by the message's length and the budget
  /// for retransmissions.
  public mutating func receive(_ message: RTCPMessage, in packet: Span<UInt8>, now: Instant) {
    switch message {
    case .nack(let nack): receive(nack, packet, now)
    case .pli(let pli):
      guard let index = index(of: pli.mediaSSRC) else { return }
      streams[index].statistics.pliCount &+= 1
      streams[index].keyframes.request()
    case .fir(let fir): receive(fir, packet)
    case .remb(let remb):
      if !usesTransportFeedback { setTarget(remb.bitrate) }
    case .senderReport(let report): receive(report.blocks, packet, now)
    case .receiverReport(let report): receive(report.blocks, packet, now)
    case .transportFeedback, .sdes, .bye: break
    }
    handleTimeout(now: now)
  }

  private mutating func receive(_ nack: NACK, _ datagram: Span<UInt8>, _ now: Instant) {
    guard let index = index(of: nack.mediaSSRC) else { return }
    streams[index].statistics.nackCount &+= 1
    let roundTrip = smoothedRoundTrip ?? .milliseconds(100)
    var numbers = nack.sequenceNumbers
    var count = 0
    // One message can name 5,000 packets; nobody who means it asks for more than a store holds.
    while count < 1_024, let number = numbers.next(in: datagram) {
      count &+= 1
      guard streams[index].rtxSSRC != nil, let found = streams[index].store.packet(numbered: number), found.isSent,
        budget.take(
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
      streams[index].keyframes.request()
    }
  }

  private mutating func receive(_ blocks: ReportBlocks, _ datagram: Span<UInt8>, _ now: Instant) {
    for blockIndex in 0..<blocks.count {
      guard let block = blocks.block(at: blockIndex, in: datagram), let index = index(of: block.ssrc) else { continue }
      streams[index].isKnown = true
      let rate = Double(max(streams[index].codec?.codec.clockRate ?? 90_000, 1))
      streams[index].statistics.remote.packetsLost = Int64(block.cumulativeLost)
      streams[index].statistics.remote.fractionLost = Double(block.fractionLost) / 256
      streams[index].statistics.remote.jitter = TimeSpan(nanoseconds: Int64(Double(block.jitter) / rate * 1e9))
    }
  }

  mutating func setTarget(_ rate: DataRate) {
    let bounded = min(max(rate, configuration.minimumBitrate), configuration.maximumBitrate)
    guard bounded != target else { return }
    target = bounded
    events.append(.targetChanged(bounded))
    allocate()
  }

  /// Divides the target between the streams.
  mutating func allocate() {
    var left = target.bitsPerSecond
    var next: [StreamAllocation] = []
    for index in streams.indices {
      let parameters = streams[index].parameters
      let share = parameters.isActive ? min(parameters.maximumBitrate.bitsPerSecond, max(left, 0)) : 0
      left -= share
      streams[index].statistics.targetBitrate = DataRate(bitsPerSecond: share)
      next.append(
        StreamAllocation(
          mid: streams[index].mid, rid: streams[index].rid, bitrate: DataRate(bitsPerSecond: share),
          framerate: parameters.framerate))
    }
    guard next != allocations else { return }
    allocations = next
    events.append(.allocationChanged(next))
  }
}
