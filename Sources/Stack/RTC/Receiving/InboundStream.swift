import Basics

/// A ``MediaReceiver``'s state of the stream of one m-section.
struct InboundStream: Sendable {
  // First what each packet needs, together: with hundreds of connections it comes from memory, not from a cache.

  let ssrc: SSRC
  let clockRate: UInt32
  /// The timestamp of the highest number, which redundancy before it must not pass.
  var newestTimestamp = RTPTimestamp(rawValue: 0)
  let kind: MediaKind
  /// Whether lost packets are asked for.
  var usesNack: Bool
  var hasStarted = false
  var keyframes: KeyframeThrottle
  var statistics: ReceiveStatistics
  var window = SequenceWindow()
  var nacks: NackGenerator
  /// The counted part; lost packets, jitter and the identity are filled in on demand.
  var counters: InboundStreamStatistics

  /// The SSRC of its retransmissions, once known.
  var retransmissionSSRC: SSRC?
  var mapping: SenderReportMapping?
  let since: Instant
  private let nackConfiguration: NackGenerator.Configuration

  init(
    ssrc: SSRC, section: ReceivingSection, configuration: MediaReceiverConfiguration, now: Instant
  ) {
    self.ssrc = ssrc
    kind = section.kind
    clockRate = section.clockRate
    usesNack = section.acceptsNack
    nackConfiguration = kind == .video ? configuration.videoNacks : configuration.audioNacks
    statistics = ReceiveStatistics(ssrc: ssrc, clockRate: clockRate)
    nacks = NackGenerator(configuration: nackConfiguration)
    keyframes = KeyframeThrottle(interval: configuration.keyframeInterval)
    counters = InboundStreamStatistics(mid: section.mid, ssrc: ssrc, kind: kind)
    since = now
  }

  /// Nothing that was missing is wanted any more.
  mutating func forgetMissing() { nacks = NackGenerator(configuration: nackConfiguration) }

  /// Counts a packet that came under the stream's SSRC or as its retransmission.
  mutating func count(_ header: RTPHeader, isRetransmission: Bool, now: Instant) {
    counters.packetsReceived &+= 1
    counters.bytesReceived &+= UInt64(header.payloadLength)
    counters.headerBytesReceived &+= UInt64(header.payloadOffset &+ header.paddingLength)
    counters.lastPacketReceived = now
    if isRetransmission {
      counters.retransmittedPacketsReceived &+= 1
      counters.retransmittedBytesReceived &+= UInt64(header.payloadLength)
    }
  }

  /// A packet's place in its stream.
  struct Placement {
    var sequence: Int64
    /// The highest number before it; negative when there was none.
    var highestBefore: Int64
    /// Whether it came as a repair: as retransmission, or after it was asked for where retransmissions have no format
    /// of their own.
    var isRepair: Bool
    /// Whether so much is missing that only a keyframe helps.
    var needsKeyframe = false
    var isNewest: Bool { sequence > highestBefore }
  }

  /// Finds the place of a packet and takes note of gaps before it.
  mutating func place(
    _ sequence: SequenceNumber, isRetransmission: Bool, now: Instant, drops: inout MediaReceiverDrops
  ) -> Placement? {
    let before = window.highest
    let restarts = window.restarts
    switch window.insert(sequence, isRepair: isRetransmission) {
    case .duplicate:
      drops.duplicate &+= 1
      return nil
    case .tooOld:
      drops.tooOld &+= 1
      return nil
    case .new(let number):
      var place = Placement(sequence: number, highestBefore: before, isRepair: isRetransmission)
      guard usesNack else { return place }
      if window.restarts != restarts { forgetMissing() }
      switch nacks.receive(sequence, isRetransmission: isRetransmission, now: now) {
      case .newest, .known: break
      case .needsKeyframe: place.needsKeyframe = true
      case .recovered:
        place.isRepair = isRetransmission || (retransmissionSSRC == nil && nacks.requestedCount > 0)
      }
      return place
    }
  }

  /// Whether a copy out of a later packet's redundancy fills a gap; it then counts as received.
  mutating func recover(_ packet: ReceivedPacket, highestBefore: Int64) -> Bool {
    guard highestBefore >= 0 else { return false }
    // A copy after the newest packet that isn't newer has another number than it seems to.
    if packet.sequence > highestBefore, !packet.timestamp.isNewer(than: newestTimestamp) { return false }
    guard window.insertRepaired(packet.sequence) else { return false }
    if usesNack {
      let number = SequenceNumber(rawValue: UInt16(truncatingIfNeeded: packet.sequence))
      _ = nacks.receive(number, isRetransmission: true, now: packet.arrival)
    }
    return true
  }

  /// Asks for lost packets that are due, as one message; false when there was nothing to ask for.
  /// - Parameter lost: room for the numbers; what is taken from the list counts as asked for, so all of them must fit
  ///   `buffer`.
  mutating func appendNack(
    to writer: inout RTCPWriter, sender: SSRC, now: Instant, roundTripTime: TimeSpan?, lost: inout [SequenceNumber],
    into buffer: inout MutableSpan<UInt8>
  ) -> Bool {
    var numbers = lost.mutableSpan
    let count = nacks.poll(now: now, roundTripTime: roundTripTime, into: &numbers)
    guard count > 0,
      (try? writer.append(nack: lost.span.extracting(0..<count), sender: sender, media: ssrc, into: &buffer)) != nil
    else { return false }
    counters.nackCount &+= 1
    return true
  }

  mutating func receive(_ info: SenderInfo, now: Instant) {
    statistics.receive(senderReport: info, now: now)
    mapping = SenderReportMapping(info, clockRate: clockRate)
    if counters.remote == nil {
      counters.remote = RemoteOutboundStreamStatistics(
        packetsSent: UInt64(info.packetCount), bytesSent: UInt64(info.octetCount), remoteTimestamp: info.ntp,
        localTimestamp: now, reportsSent: 1)
    } else {
      counters.remote?.update(info, now: now)
    }
  }

  /// The statistics for now.
  var report: InboundStreamStatistics {
    var report = counters
    report.packetsLost = Int64(statistics.cumulativeLost)
    report.jitter = TimeSpan(nanoseconds: Int64(statistics.jitter) &* 1_000_000_000 / Int64(max(clockRate, 1)))
    return report
  }
}
