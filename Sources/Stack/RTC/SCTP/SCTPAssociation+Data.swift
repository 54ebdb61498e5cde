internal import Basics

// DATA, SACK and FORWARD TSN on the receiving side (RFC 9260 section 6.2, RFC 3758 section 3.6).
extension SCTPAssociation {
  /// DATA; false when the packet's rest is not to be read.
  mutating func receiveData(_ chunk: SCTPChunk, _ packet: Span<UInt8>) -> Bool {
    guard state == .established || state == .shutdownPending || state == .shutdownSent else {
      drops.count(.unexpectedChunk)
      return false
    }
    let start = chunk.value.lowerBound
    guard chunk.value.count >= 12 else {
      drops.count(.malformedChunk)
      return false
    }
    let wire = packet.networkUInt32(at: start)
    guard chunk.value.count > 12 else {
      // Section 6.2: a chunk without user data ends the association.
      var information: [UInt8] = []
      information.appendNetwork(wire)
      drops.count(.malformedChunk)
      abort(SCTPCause.noUserData, information, .protocolViolation("a DATA chunk without data"))
      return false
    }
    let tsn = received.unwrap(wire)
    switch received.verdict(tsn) {
    case .new: break
    case .duplicate:
      drops.count(.duplicateData)
      received.noteDuplicate(wire)
      isSackDue = true
      return true
    case .tooFarAhead:
      drops.count(.tsnTooFarAhead)
      return true
    case .tooManyGaps:
      drops.count(.tooManyGaps)
      return true
    }
    let header = SCTPDataHeader(
      tsn: tsn, stream: packet.networkUInt16(at: start &+ 4), sequence: packet.networkUInt16(at: start &+ 6),
      payloadProtocol: packet.networkUInt32(at: start &+ 8), isBeginning: chunk.flags & 2 != 0,
      isEnding: chunk.flags & 1 != 0, isUnordered: chunk.flags & 4 != 0)
    guard header.stream < inboundStreams else {
      // Section 6.5: acknowledged and reported, not delivered.
      drops.count(.invalidStream)
      received.insert(tsn)
      report(SCTPCause.invalidStream, [UInt8(header.stream >> 8), UInt8(truncatingIfNeeded: header.stream), 0, 0])
      return true
    }
    let payload = start &+ 12..<chunk.value.upperBound
    guard hasRoom(for: payload.count, tsn: tsn) else {
      drops.count(.receiveBufferFull)
      // Section 6.2: the peer learns the window at once.
      isSackDue = true
      return state != .ended
    }
    // The I bit of RFC 7053: the sender waits for this acknowledgement.
    if chunk.flags & 8 != 0 { isSackDue = true }
    let before = received.cumulative
    received.insert(tsn)
    switch reassembly.insert(header, packet, payload, cumulative: before) {
    case .kept: break
    case .orphan: drops.count(.orphanFragment)
    case .staleSequence: drops.count(.staleSequence)
    }
    deliver()
    if received.cumulative > before { performDeferredReset() }
    return state != .ended
  }

  /// Whether a chunk may be held. The next one in sequence is accepted even when the buffer is full of later ones, or
  /// nothing would move any more; a peer that exploits that gets ABORT.
  private mutating func hasRoom(for length: Int, tsn: Int64) -> Bool {
    let isNext = tsn == received.cumulative &+ 1
    let fits =
      reassembly.heldBytes &+ unreadBytes &+ length <= configuration.receiveBuffer
      && reassembly.heldCount < configuration.maximumHeldChunks
    if fits { return true }
    guard isNext, unreadBytes &+ length <= configuration.receiveBuffer else { return false }
    let hardLimit = configuration.receiveBuffer &+ configuration.maximumReceiveMessageSize
    if reassembly.heldBytes &+ length > hardLimit || reassembly.heldCount >= configuration.maximumHeldChunks &* 2 {
      abort(SCTPCause.outOfResource, [], .limitExceeded("messages that are never completed fill the receive buffer"))
      return false
    }
    return true
  }

  /// FORWARD TSN (RFC 3758 section 3.6): the peer gives up what came before.
  mutating func receiveForward(_ packet: Span<UInt8>, _ value: Range<Int>) {
    guard isUp else { return drops.count(.unexpectedChunk) }
    guard value.count >= 4 else { return drops.count(.malformedChunk) }
    let tsn = received.unwrap(packet.networkUInt32(at: value.lowerBound))
    isSackDue = true
    guard tsn > received.cumulative else { return drops.count(.duplicateData) }
    guard tsn &- received.cumulative <= SCTPReceivedSequence.maximumDistance else {
      isSackDue = false
      return drops.count(.tsnTooFarAhead)
    }
    received.skip(to: tsn)
    reassembly.skip(to: received.cumulative)
    var at = value.lowerBound &+ 4
    while at &+ 4 <= value.upperBound {
      let stream = packet.networkUInt16(at: at)
      if stream < inboundStreams {
        reassembly.skip(stream: stream, to: packet.networkUInt16(at: at &+ 2))
      } else {
        drops.count(.invalidStream)
      }
      at &+= 4
    }
    deliver()
    performDeferredReset()
  }

  /// A packet with DATA came: acknowledge every other one at once, and any that shows a gap (section 6.2, 6.7).
  mutating func scheduleSack() {
    guard isUp else { return }
    packetsSinceSack &+= 1
    if packetsSinceSack >= 2 || received.hasGaps { isSackDue = true }
    if state == .shutdownSent {
      // Section 9.2: while data still comes, SHUTDOWN goes out with each SACK.
      isSackDue = true
      sendShutdown()
    }
    if sackAt == .distantFuture { sackAt = clock + configuration.sackDelay }
  }

  /// The SACK for what has arrived (section 3.3.4), of at most `room` bytes.
  mutating func makeSack(room: Int) -> [UInt8] {
    let window = receiveWindow
    let duplicates = received.duplicates.prefix(max(0, (room &- 16) / 4))
    let blocks = received.ranges.prefix(max(0, (room &- 16) / 4 &- duplicates.count))
    var value: [UInt8] = []
    value.reserveCapacity(12 &+ 4 &* (blocks.count &+ duplicates.count))
    value.appendNetwork(SCTPSerial.wire(received.cumulative))
    value.appendNetwork(UInt32(clamping: window))
    value.appendNetwork(UInt16(truncatingIfNeeded: blocks.count))
    value.appendNetwork(UInt16(truncatingIfNeeded: duplicates.count))
    for block in blocks {
      value.appendNetwork(UInt16(truncatingIfNeeded: block.lowerBound &- received.cumulative))
      value.appendNetwork(UInt16(truncatingIfNeeded: block.upperBound &- received.cumulative))
    }
    for duplicate in duplicates { value.appendNetwork(duplicate) }
    advertisedWindow = window
    received.clearDuplicates()
    isSackDue = false
    packetsSinceSack = 0
    sackAt = .distantFuture
    return .sctpChunk(.sack, value)
  }
}
