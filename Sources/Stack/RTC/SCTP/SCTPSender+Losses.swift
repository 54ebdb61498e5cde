internal import Basics

/// Chunks that a SACK acknowledges or shows as lost (RFC 9260 sections 6.2.1 and 7.2.4), and messages that are given up
/// (RFC 3758 section 3.5).
extension SCTPSender {
  mutating func leave(_ state: SCTPOutstandingChunk.State, _ length: Int) {
    switch state {
    case .inFlight: flight &-= length
    case .lost: lostCount &-= 1
    case .acknowledged, .abandoned: break
    }
  }

  mutating func measure(_ chunk: SCTPOutstandingChunk, _ now: Instant) {
    probe = nil
    if chunk.transmissions == 1, chunk.state != .abandoned { rto.measured(now - chunk.sentAt) }
  }

  mutating func readBlocks(
    _ blocks: Range<Int>, in packet: Span<UInt8>, acked: inout Int, newest: inout Int64?, now: Instant
  ) -> Bool {
    var last = 1
    var at = blocks.lowerBound
    while at &+ 4 <= blocks.upperBound {
      let start = Int(packet.networkUInt16(at: at))
      let end = Int(packet.networkUInt16(at: at &+ 2))
      // Blocks in order and apart make the whole walk linear; a block at 1 would belong to the cumulative TSN.
      guard start > last, start <= end, end <= outstanding.count else { return false }
      last = end
      for index in start &- 1..<end where outstanding[index].state == .inFlight || outstanding[index].state == .lost {
        let tsn = cumulativeAck &+ 1 &+ Int64(index)
        if tsn == probe { measure(outstanding[index], now) }
        acked &+= outstanding[index].length
        leave(outstanding[index].state, outstanding[index].length)
        outstanding[index].state = .acknowledged
        newest = tsn
      }
      at &+= 4
    }
    return true
  }

  /// The HTNA rule of section 7.2.4: a chunk counts as missing when a later one was newly acknowledged, and as lost
  /// the third time.
  mutating func countMisses(before newest: Int64, advanced: Bool, now: Instant) {
    var found = false
    for index in 0..<min(outstanding.count, Int(newest &- cumulativeAck &- 1))
    where outstanding[index].state == .inFlight && !outstanding[index].wasFastRetransmitted {
      outstanding[index].misses &+= 1
      guard outstanding[index].misses >= 3 else { continue }
      outstanding[index].wasFastRetransmitted = true
      markLost(index, now: now)
      found = true
    }
    guard found else { return }
    owesFastRetransmit = true
    guard recoveryEnd == nil else { return }
    congestion.lostPacket()
    recoveryEnd = nextTSN &- 1
  }

  mutating func markLost(_ index: Int, now: Instant) {
    if outstanding[index].state == .abandoned { return }
    if mayAbandon, outstanding[index].isExhausted(now: now) { return abandonMessage(at: index) }
    leave(outstanding[index].state, outstanding[index].length)
    outstanding[index].state = .lost
    lostCount &+= 1
    if cumulativeAck &+ 1 &+ Int64(index) == probe { probe = nil }
  }

  /// Gives up every piece of a message (RFC 3758 section 3.5, A3 and section 4): they lie side by side.
  mutating func abandonMessage(at index: Int) {
    let id = outstanding[index].messageID
    abandonedAfterSending &+= 1
    var at = index
    while at > 0, outstanding[at &- 1].messageID == id { at &-= 1 }
    while at < outstanding.count, outstanding[at].messageID == id {
      abandonChunk(at)
      at &+= 1
    }
    if let end = queue.abandon(id) { appendPlaceholder(end) }
  }

  /// Gives up the message of which some pieces are sent and others wait, when its time is over.
  mutating func abandonExpired(now: Instant) {
    guard mayAbandon, let end = queue.abandonExpired(now: now) else { return }
    abandonedAfterSending &+= 1
    var at = outstanding.count
    while at > 0, outstanding[at &- 1].messageID == end.messageID {
      at &-= 1
      abandonChunk(at)
    }
    appendPlaceholder(end)
    advanceAckPoint()
  }

  private mutating func abandonChunk(_ at: Int) {
    leave(outstanding[at].state, outstanding[at].length)
    if outstanding[at].state != .abandoned { outstandingHeld &-= outstanding[at].heldBytes }
    outstanding[at].state = .abandoned
    outstanding[at].payload = []
    if cumulativeAck &+ 1 &+ Int64(at) == probe { probe = nil }
  }

  /// The unsent rest of an abandoned message becomes one TSN that is never sent. Without it a peer that has every piece
  /// sent would acknowledge them all, no FORWARD TSN would follow, and it would wait for the end forever.
  private mutating func appendPlaceholder(_ end: SCTPOutstandingChunk) {
    outstanding.append(end)
    nextTSN &+= 1
  }

  /// Moves the point that FORWARD TSN announces over what was given up (RFC 3758 section 3.5, C2).
  mutating func advanceAckPoint() {
    let before = advancedAck
    while advancedAck &- cumulativeAck < Int64(outstanding.count),
      outstanding[Int(advancedAck &- cumulativeAck)].state == .abandoned
    { advancedAck &+= 1 }
    if advancedAck > before { owesForward = true }
  }

  /// The peer doesn't have the first outstanding chunk, or the cumulative TSN would be higher. If a gap block had named
  /// it, the peer has thrown it away again (section 6.2: "renege"), and it must be sent again.
  mutating func reclaimReneged() {
    guard !outstanding.isEmpty, outstanding[0].state == .acknowledged else { return }
    outstanding[0].state = .lost
    lostCount &+= 1
  }
}
