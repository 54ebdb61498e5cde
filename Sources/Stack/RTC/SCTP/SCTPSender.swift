internal import Basics

/// The sending half of an association: waiting messages, chunks in flight, the SACKs about them, and the windows that
/// hold them back (RFC 9260 sections 6 and 7, RFC 3758 section 3.5).
struct SCTPSender: Sendable {
  var queue = SCTPSendQueue()
  /// Chunks from ``cumulativeAck`` + 1 on, without holes.
  var outstanding = FIFO<SCTPOutstandingChunk>()
  private(set) var cumulativeAck: Int64
  var nextTSN: Int64
  var congestion: SCTPCongestionWindow
  var rto: SCTPRetransmissionTimeout
  /// Payload bytes in flight.
  var flight = 0
  var lostCount = 0
  private(set) var peerWindow: Int
  /// When T3-rtx passes (section 6.3.2).
  private(set) var timerAt = Instant.distantFuture
  /// Whether the peer understands FORWARD TSN, without which nothing may be abandoned once sent.
  private(set) var mayAbandon = false
  private(set) var retransmissionCount: UInt64 = 0
  var abandonedAfterSending: UInt64 = 0
  /// Send one packet of lost chunks whatever the window (section 7.2.4 rule 3).
  var owesFastRetransmit = false
  /// Fast recovery ends when this TSN is acknowledged (section 7.2.4 rule 6).
  var recoveryEnd: Int64?
  /// The chunk whose round trip is being measured (section 6.3.1, C4: one at a time).
  var probe: Int64?
  /// The Advanced.Peer.Ack.Point of RFC 3758 section 3.5.
  var advancedAck: Int64
  private var forwardSentAt: Instant?
  var owesForward = false
  private let maximumChunk: Int
  private let maximumOutstanding: Int
  /// Bytes held by chunks that were sent.
  var outstandingHeld = 0

  /// - Parameter initialTSN: the first TSN this end uses.
  init(configuration: SCTPConfiguration, initialTSN: UInt32) {
    let first = Int64(initialTSN)
    nextTSN = first
    cumulativeAck = first &- 1
    advancedAck = first &- 1
    maximumChunk = SCTPAssociation.maximumChunkPayload(configuration)
    maximumOutstanding = min(max(configuration.maximumOutstandingChunks, 16), 32_768)
    congestion = SCTPCongestionWindow(packet: maximumChunk, peerWindow: 0)
    rto = SCTPRetransmissionTimeout(configuration)
    peerWindow = 0
  }

  /// The peer is known: its receive window and whether it understands FORWARD TSN.
  mutating func establish(peerWindow: UInt32, mayAbandon: Bool) {
    self.peerWindow = Int(peerWindow)
    self.mayAbandon = mayAbandon
    congestion = SCTPCongestionWindow(packet: maximumChunk, peerWindow: Int(peerWindow))
  }

  /// The association is over: nothing is kept but what was counted.
  mutating func clear() {
    abandonedAfterSending &+= queue.abandonedCount
    queue = SCTPSendQueue()
    outstanding.removeAll()
    outstandingHeld = 0
    flight = 0
    lostCount = 0
    owesForward = false
    timerAt = .distantFuture
  }

  /// Whether everything has been acknowledged (section 9.2 waits for it).
  var isDrained: Bool { outstanding.isEmpty && queue.isEmpty }
  /// Bytes that count against the send buffer.
  var heldBytes: Int { queue.heldBytes &+ outstandingHeld }
  /// Messages that were given up: their lifetime or their tries were over (RFC 3758).
  var abandonedCount: UInt64 { queue.abandonedCount &+ abandonedAfterSending }
  var isForwardDue: Bool { owesForward }

  /// The result of a SACK.
  enum SackResult {
    /// It acknowledged nothing new.
    case nothingNew
    /// It acknowledged something: the peer is there.
    case progress
    /// Older than one before.
    case old
    /// It acknowledges what was never sent, or its blocks are out of order.
    case invalid
  }

  /// Takes an acknowledgement: a SACK's value (section 6.2.1), or SHUTDOWN's cumulative TSN without blocks.
  ///
  /// Cost: one step for every outstanding chunk up to the last block; blocks out of order end the work.
  mutating func receiveSack(
    cumulative: UInt32, window: UInt32?, blocks: Range<Int>, in packet: Span<UInt8>, now: Instant
  ) -> SackResult {
    let cumulative = SCTPSerial.unwrap(cumulative, near: cumulativeAck)
    guard cumulative >= cumulativeAck else { return .old }
    guard cumulative < nextTSN else { return .invalid }
    let flightBefore = flight
    var acked = 0
    let advanced = cumulative > cumulativeAck
    while cumulativeAck < cumulative, let chunk = outstanding.popFirst() {
      cumulativeAck &+= 1
      if cumulativeAck == probe { measure(chunk, now) }
      if chunk.state != .abandoned {
        if chunk.state != .acknowledged { acked &+= chunk.length }
        outstandingHeld &-= chunk.heldBytes
      }
      leave(chunk.state, chunk.length)
    }
    advancedAck = max(advancedAck, cumulativeAck)

    var newestAcked: Int64?
    let isValid = readBlocks(blocks, in: packet, acked: &acked, newest: &newestAcked, now: now)
    if let newestAcked { countMisses(before: newestAcked, advanced: advanced, now: now) }
    reclaimReneged()

    if advanced {
      congestion.acknowledged(acked, flight: flightBefore, isInFastRecovery: recoveryEnd != nil)
      if let end = recoveryEnd, cumulativeAck >= end { recoveryEnd = nil }
    }
    if let window { peerWindow = Int(window) }
    advanceAckPoint()
    // The FORWARD TSN may have been lost: once more after a round trip.
    if advancedAck > cumulativeAck, let forwardSentAt, now - forwardSentAt >= rto.smoothed ?? rto.value {
      owesForward = true
    }
    if outstanding.isEmpty {
      timerAt = .distantFuture
      congestion.drained()
    } else if advanced {
      timerAt = now + rto.value
    }
    if !isValid { return .invalid }
    return acked > 0 || advanced ? .progress : .nothingNew
  }

  /// T3 passed (section 6.3.3): everything in flight counts as lost.
  mutating func handleTimer(now: Instant) {
    rto.backOff()
    congestion.timedOut()
    recoveryEnd = nil
    probe = nil
    for index in 0..<outstanding.count where outstanding[index].state == .inFlight { markLost(index, now: now) }
    advanceAckPoint()
    owesForward = owesForward || advancedAck > cumulativeAck
    timerAt = outstanding.isEmpty ? .distantFuture : now + rto.value
  }

  // MARK: Sending

  /// The kind of chunk that may leave now.
  enum Permission { case retransmission, new, none }

  /// The kind of chunk that may leave now in `room` bytes of packet.
  func permission(room: Int) -> Permission {
    if lostCount > 0, owesFastRetransmit || flight < congestion.window { return .retransmission }
    guard lostCount == 0 || flight < congestion.window else { return .none }
    guard outstanding.count < maximumOutstanding, flight < congestion.window,
      let length = queue.nextLength(maximum: maximumChunk)
    else { return .none }
    // Rule A of section 6.1: into a closed window goes one probe at a time.
    guard flight &+ length <= peerWindow || flight == 0 else { return .none }
    return length &+ SCTPAssociation.dataHeaderLength <= room ? .new : .none
  }

  /// The first lost chunk that fits, now in flight again; nil when none fits. Abandons those that may not be sent
  /// again.
  mutating func nextLost(room: Int, now: Instant) -> (tsn: Int64, chunk: SCTPOutstandingChunk)? {
    guard lostCount > 0 else { return nil }
    for index in 0..<outstanding.count where outstanding[index].state == .lost {
      if mayAbandon, outstanding[index].isExhausted(now: now) {
        abandonMessage(at: index)
        advanceAckPoint()
        continue
      }
      guard outstanding[index].length &+ SCTPAssociation.dataHeaderLength <= room else { return nil }
      lostCount &-= 1
      flight &+= outstanding[index].length
      outstanding[index].state = .inFlight
      outstanding[index].misses = 0
      outstanding[index].sentAt = now
      outstanding[index].transmissions &+= 1
      retransmissionCount &+= 1
      // Section 6.3.2 R1, and RFC 4460's rule that the earliest chunk's retransmission restarts the timer.
      if index == 0 || timerAt == .distantFuture { timerAt = now + rto.value }
      return (cumulativeAck &+ 1 &+ Int64(index), outstanding[index])
    }
    return nil
  }

  /// The next new chunk, now in flight.
  mutating func nextNew(now: Instant) -> (tsn: Int64, chunk: SCTPOutstandingChunk)? {
    abandonExpired(now: now)
    let tsn = nextTSN
    guard let chunk = queue.next(maximum: maximumChunk, tsn: tsn, now: now) else { return nil }
    congestion.willSend(flight: flight, rto: rto.value, now: now)
    nextTSN &+= 1
    outstandingHeld &+= chunk.heldBytes
    flight &+= chunk.length
    if probe == nil { probe = tsn }
    if timerAt == .distantFuture { timerAt = now + rto.value }
    outstanding.append(chunk)
    return (tsn, chunk)
  }

  /// The packet of a fast retransmission is on its way.
  mutating func didFinishPacket() { owesFastRetransmit = false }

  /// The value of the FORWARD TSN that is due (RFC 3758 section 3.2), at most `maximumStreams` streams in it; nil when
  /// none is. It names for each ordered stream the last sequence number given up.
  mutating func takeForward(maximumStreams: Int, now: Instant) -> [UInt8]? {
    guard owesForward else { return nil }
    owesForward = false
    guard advancedAck > cumulativeAck else { return nil }
    var skipped: [(stream: UInt16, sequence: UInt16)] = []
    var point = cumulativeAck
    for index in 0..<Int(advancedAck &- cumulativeAck) {
      let chunk = outstanding[index]
      if chunk.state == .abandoned, chunk.isOrdered {
        if let known = skipped.firstIndex(where: { $0.stream == chunk.stream }) {
          skipped[known].sequence = chunk.sequence
        } else {
          // Streams that don't fit in this packet wait for the next.
          guard skipped.count < maximumStreams else { break }
          skipped.append((chunk.stream, chunk.sequence))
        }
      }
      point &+= 1
    }
    forwardSentAt = now
    if timerAt == .distantFuture { timerAt = now + rto.value }
    var value: [UInt8] = []
    value.appendNetwork(SCTPSerial.wire(point))
    for entry in skipped {
      value.appendNetwork(entry.stream)
      value.appendNetwork(entry.sequence)
    }
    return value
  }
}
