public import Basics

/// A probe while it is sent.
struct ActiveProbe: Sendable {
  let cluster: ProbeCluster
  let started: Instant
  var bytes = 0
  var packets = 0

  /// After this the rest is not sent any more: nobody transmits, or there is nothing to pad with.
  static let patience = TimeSpan.milliseconds(250)

  var isComplete: Bool { bytes >= cluster.bytes && packets >= cluster.packets }
}

/// How much is sent again, smoothed over about two seconds.
struct RetransmissionRate: Sendable {
  private var bits = 0.0
  private var updated = Instant.zero

  mutating func add(bytes: Int, now: Instant) {
    decay(now)
    bits += Double(bytes) * 8
  }

  mutating func rate(now: Instant) -> DataRate {
    decay(now)
    return DataRate(bitsPerSecond: Int64(bits / 2))
  }

  private mutating func decay(_ now: Instant) {
    let elapsed = min(max((now - updated).seconds, 0), 2)
    updated = max(updated, now)
    bits *= 1 - elapsed / 2
  }
}

extension MediaSender {
  /// The pacer runs this much faster than the target, so that frames of different sizes do not wait long.
  static let pacingFactor = 1.5
  /// Shorter payloads are not worth sending again as padding.
  private static let leastPadding = 200

  /// Writes, protects and hands out every packet that is due. Call it after ``send(_:mid:rid:now:)`` and
  /// ``receive(_:in:now:)``, and at ``deadline``. The span is valid during the call of `emit` only.
  public mutating func transmit(now: Instant, to srtp: SRTPSender, emit: (Span<UInt8>) -> Void) {
    latest = max(latest, now)
    beginProbe(now)
    pacer.setRate(pacingRate, now: now)
    while let (entry, priority) = pacer.next(now: now) {
      let index = Int(entry.stream)
      guard streams.indices.contains(index), let packet = streams[index].store.packet(entry.sequence) else { continue }
      if now - entry.enqueued > pacer.limits.time {
        streams[index].statistics.packetsDropped &+= 1
        if priority == .video { streams[index].keyframes.request(urgent: true) }
        continue
      }
      streams[index].statistics.totalPacketSendDelay =
        streams[index].statistics.totalPacketSendDelay + (now - entry.enqueued)
      let cluster = priority == .audio ? 0 : probe?.cluster.id ?? 0
      transmit(packet, of: index, again: priority == .retransmission, cluster: cluster, now: now, to: srtp, emit: emit)
      endProbeIfComplete(now)
    }
    while probe != nil, pacer.mayPad(now: now) {
      guard sendPadding(now: now, to: srtp, emit: emit) else {
        probe = nil
        break
      }
      endProbeIfComplete(now)
    }
  }

  private mutating func transmit(
    _ packet: RetransmissionBuffer.Packet, of index: Int, again: Bool, cluster: UInt8, now: Instant,
    to srtp: SRTPSender, emit: (Span<UInt8>) -> Void
  ) {
    guard
      let written = streams[index].write(
        packet, again: again, transportSequence: estimator.nextSequence, now: now, header: &header, output: &output,
        srtp)
    else {
      streams[index].statistics.packetsDropped &+= 1
      return
    }
    emit(output.span.extracting(0..<written.length))
    didSend(length: written.length, of: index, cluster: cluster, now: now)
    streams[index].countSent(payloadLength: Int(packet.length), headerLength: written.headerLength, again: again)
    if again {
      retransmissionRate.add(bytes: written.length, now: now)
      return
    }
    if streams[index].reportedPackets == 1 {
      // Receivers can play sound and picture in step only after the first report.
      nextReport = min(nextReport, now + .milliseconds(50))
    }
    streams[index].store.markSent(packet.sequence)
    budget.sent(bytes: written.length)
    if streams[index].rtxSSRC != nil { estimator.startProbing(now: now) }
  }

  private mutating func didSend(length: Int, of index: Int, cluster: UInt8, now: Instant) {
    pacer.sent(bytes: length, now: now)
    if streams[index].extensions[.transportSequenceNumber] != nil {
      estimator.packetSent(size: length, cluster: cluster, now: now)
    }
    if cluster != 0 {
      probe?.bytes &+= length
      probe?.packets &+= 1
    }
  }

  // MARK: Probes

  /// The rate that packets leave at: the probe's, or so much above the target that what waits has left before it is too
  /// old.
  private var pacingRate: DataRate {
    if let probe { return probe.cluster.rate }
    // Sound and the lowest layer of each picture are never paused, so together they may have got more than the target.
    // Paced by the target alone, sound would take the budget and pictures would wait until they are dropped, each time
    // at the price of a keyframe.
    var allotted = 0.0
    for stream in streams where stream.statistics.isActive {
      let overhead = stream.kind == .audio ? BitrateAllocator.audioOverhead : 0
      allotted += Double(stream.statistics.targetBitrate.bitsPerSecond) + Double(overhead)
    }
    let paced = max(Double(estimator.target.bitsPerSecond), allotted) * Self.pacingFactor
    let drain = Double(pacer.queuedBytes) * 8 / max(pacer.limits.time.seconds * 0.6, 0.1)
    return DataRate(bitsPerSecond: Int64(max(paced, drain, 10_000)))
  }

  private mutating func beginProbe(_ now: Instant) {
    if let probe, now - probe.started > ActiveProbe.patience { self.probe = nil }
    guard probe == nil, paddingStream != nil, let cluster = estimator.pollProbe() else { return }
    probe = ActiveProbe(cluster: cluster, started: now)
  }

  private mutating func endProbeIfComplete(_ now: Instant) {
    guard let probe, probe.isComplete else { return }
    self.probe = nil
    beginProbe(now)
    pacer.setRate(pacingRate, now: now)
  }

  /// A stream that can carry padding: one with retransmissions that has sent.
  private var paddingStream: Int? {
    streams.firstIndex { $0.kind == .video && $0.rtxSSRC != nil && $0.reportedPackets > 0 }
  }

  /// Sends a recent packet again, which serves the receiver should it have been lost, or padding where there is none.
  private mutating func sendPadding(now: Instant, to srtp: SRTPSender, emit: (Span<UInt8>) -> Void) -> Bool {
    guard let index = paddingStream, let probe else { return false }
    let packet = streams[index].nextPadding(atLeast: Self.leastPadding)
    guard
      let written = streams[index].writePadding(
        packet, transportSequence: estimator.nextSequence, now: now, header: &header, output: &output, srtp)
    else { return false }
    emit(output.span.extracting(0..<written.length))
    didSend(length: written.length, of: index, cluster: probe.cluster.id, now: now)
    if let packet {
      streams[index].countSent(payloadLength: Int(packet.length), headerLength: written.headerLength, again: true)
    } else {
      streams[index].statistics.packetsSent &+= 1
      streams[index].statistics.headerBytesSent &+= UInt64(truncatingIfNeeded: written.length)
    }
    return true
  }
}

extension AbsSendTime {
  /// The send time of a packet that leaves at `instant`, on a clock of our own: only differences mean anything to a
  /// receiver.
  init(_ instant: Instant) {
    let nanoseconds = UInt64(bitPattern: instant.nanoseconds) % 64_000_000_000
    self.init(rawValue: UInt32(truncatingIfNeeded: (nanoseconds << 18) / 1_000_000_000))
  }
}
