internal import Basics

// Packets in: the checks of RFC 9260 sections 6.8 and 8.5, then chunk by chunk.
extension SCTPAssociation {
  /// Takes one packet. Cost: the checksum, then constant work per chunk; a SACK costs a step for each outstanding
  /// chunk.
  mutating func receive(_ packet: Span<UInt8>, now: Instant) {
    observe(now)
    guard packet.count >= Self.headerLength &+ 4 else { return drops.count(.notAPacket) }
    guard packet.networkUInt16(at: 0) == configuration.port, packet.networkUInt16(at: 2) == configuration.port else {
      return drops.count(.wrongPort)
    }
    let checksum =
      UInt32(packet[8]) | UInt32(packet[9]) << 8 | UInt32(packet[10]) << 16 | UInt32(packet[11]) << 24
    guard CRC32c.ofPacket(packet) == checksum else { return drops.count(.wrongChecksum) }
    let tag = packet.networkUInt32(at: 4)
    guard isTagRight(tag, packet) else { return drops.count(.wrongTag) }
    packetsReceived &+= 1
    hasReported = false

    var walker = SCTPItemWalker(Self.headerLength..<packet.count)
    var count = 0
    var hasData = false
    walk: while true {
      switch walker.next(in: packet) {
      case .end: break walk
      case .malformed:
        drops.count(.malformedChunk)
        break walk
      case .item(let offset, let value):
        count &+= 1
        guard count <= Self.maximumChunks else {
          drops.count(.tooManyParts)
          break walk
        }
        let chunk = SCTPChunk(
          type: SCTPChunkType(rawValue: packet[offset]), flags: packet[offset &+ 1], value: value)
        if chunk.type == .data { hasData = true }
        guard receive(chunk, packet, tag: tag, isAlone: count == 1) else { break walk }
      }
    }
    if hasData { scheduleSack() }
    deliver()
    progressShutdown()
  }

  /// Whether the verification tag is one that this packet may have (section 8.5).
  private func isTagRight(_ tag: UInt32, _ packet: Span<UInt8>) -> Bool {
    let reflected = packet[Self.headerLength &+ 1] & 1 != 0
    switch SCTPChunkType(rawValue: packet[Self.headerLength]) {
    case .initiation: return tag == 0
    // The cookie itself says which tag it belongs to.
    case .cookieEcho: return tag != 0
    case .abort, .shutdownComplete:
      // T bit: the sender had no association and gave our own packets' tag back (section 8.5.1).
      return reflected ? peerTag != 0 && tag == peerTag : tag == localTag
    // After the end only its own tag shows that an old peer still asks.
    default: return tag == localTag
    }
  }

  /// Processes one chunk; false when the rest of the packet is not to be read.
  private mutating func receive(_ chunk: SCTPChunk, _ packet: Span<UInt8>, tag: UInt32, isAlone: Bool) -> Bool {
    if state == .ended {
      // Our SHUTDOWN COMPLETE was lost (section 8.4 rule 5).
      if chunk.type == .shutdownAck { emit([.sctpChunk(.shutdownComplete, flags: 1)], tag: tag) }
      drops.count(.notAPacket)
      return false
    }
    // INIT, INIT ACK and SHUTDOWN COMPLETE travel alone (section 6.10).
    switch chunk.type {
    case .initiation, .initiationAck, .shutdownComplete:
      guard isAlone else {
        drops.count(.unexpectedChunk)
        return false
      }
    default:
      // Bundled behind a chunk that came with another tag than ours, nothing is to be believed.
      guard tag == localTag || chunk.type == .cookieEcho || chunk.type == .abort else {
        drops.count(.wrongTag)
        return false
      }
    }
    switch chunk.type {
    case .initiation:
      receiveInit(packet, chunk.value)
      return false
    case .initiationAck:
      receiveInitAck(packet, chunk.value)
      return false
    case .shutdownComplete:
      receiveShutdownComplete()
      return false
    case .abort:
      receiveAbort(packet, chunk.value)
      return false
    case .cookieEcho:
      guard isAlone else {
        drops.count(.unexpectedChunk)
        return false
      }
      receiveCookieEcho(packet, chunk.value, tag: tag)
    case .cookieAck: receiveCookieAck()
    case .data: return receiveData(chunk, packet)
    case .sack: receiveSack(packet, chunk.value)
    case .heartbeat: receiveHeartbeat(packet, chunk.value)
    case .heartbeatAck: receiveHeartbeatAck(packet, chunk.value)
    case .error: receiveError(packet, chunk.value)
    case .shutdown: receiveShutdown(packet, chunk.value)
    case .shutdownAck: receiveShutdownAck()
    case .forwardTSN: receiveForward(packet, chunk.value)
    case .reconfiguration: receiveReconfiguration(packet, chunk.value)
    default:
      drops.count(.unknownChunk)
      if chunk.type.wantsReport, peerTag != 0, chunk.value.count <= 256 {
        report(
          SCTPCause.unrecognizedChunk, [UInt8](copying: packet, chunk.value.lowerBound &- 4..<chunk.value.upperBound))
      }
      return chunk.type.isSkippable
    }
    return state != .ended
  }

  private mutating func receiveSack(_ packet: Span<UInt8>, _ value: Range<Int>) {
    guard isUp else { return drops.count(.unexpectedChunk) }
    guard value.count >= 12 else { return drops.count(.malformedChunk) }
    let start = value.lowerBound
    let blocks = Int(packet.networkUInt16(at: start &+ 8))
    let duplicates = Int(packet.networkUInt16(at: start &+ 10))
    guard value.count >= 12 &+ 4 &* (blocks &+ duplicates) else { return drops.count(.malformedChunk) }
    let window = packet.networkUInt32(at: start &+ 4)
    switch sender.receiveSack(
      cumulative: packet.networkUInt32(at: start), window: window, blocks: start &+ 12..<start &+ 12 &+ 4 &* blocks,
      in: packet, now: clock)
    {
    case .progress: errorCount = 0
    // A peer whose window takes no packet answers every probe; it is slow, not gone (section 6.1 rule A).
    case .nothingNew: if window < UInt32(clamping: mtu) { errorCount = 0 }
    case .old: drops.count(.oldSack)
    case .invalid: drops.count(.invalidSack)
    }
    progressReset()
  }

  private mutating func receiveHeartbeat(_ packet: Span<UInt8>, _ value: Range<Int>) {
    guard state != .closed, state != .cookieWait else { return drops.count(.unexpectedChunk) }
    // Sent back as it came (section 8.3); one an answer long fits a packet of ours.
    guard value.count <= mtu &- Self.headerLength &- 4 else { return drops.count(.malformedChunk) }
    enqueue(.sctpChunk(.heartbeatAck, [UInt8](copying: packet, value)))
  }

  private mutating func receiveHeartbeatAck(_ packet: Span<UInt8>, _ value: Range<Int>) {
    guard value.count == 12, packet.networkUInt16(at: value.lowerBound) == SCTPParameter.heartbeatInfo,
      let nonce = heartbeatNonce, packet.networkUInt64(at: value.lowerBound &+ 4) == nonce
    else { return drops.count(.unexpectedChunk) }
    heartbeatNonce = nil
    errorCount = 0
    sender.rto.measured(clock - heartbeatSentAt)
    heartbeatAt = clock + configuration.heartbeatInterval
  }

  private mutating func receiveAbort(_ packet: Span<UInt8>, _ value: Range<Int>) {
    guard state != .closed else { return drops.count(.unexpectedChunk) }
    let cause = value.count >= 4 ? packet.networkUInt16(at: value.lowerBound) : nil
    end(.abortedByPeer(cause: cause))
  }

  /// ERROR (section 3.3.10) informs; only a stale cookie has a consequence: begin again with a new INIT (section
  /// 5.2.6).
  private mutating func receiveError(_ packet: Span<UInt8>, _ value: Range<Int>) {
    guard state == .cookieEchoed, value.count >= 4,
      packet.networkUInt16(at: value.lowerBound) == SCTPCause.staleCookie
    else { return }
    drops.count(.staleCookie)
    state = .cookieWait
    control.removeAll()
    peerTag = 0
    // At once, but as one more attempt, so that a peer that calls every cookie stale gets a bounded number.
    handleSetupTimer()
  }

  /// Hands what is complete to the owner.
  mutating func deliver() {
    guard state != .ended else { return }
    for message in reassembly.takeReady() {
      unreadBytes &+= Self.cost(message)
      events.append(.message(message))
    }
    for stream in reassembly.takeOversized() { events.append(.oversized(stream)) }
  }

  /// The bytes of the receive buffer that a message uses until the owner releases it.
  static func cost(_ message: SCTPMessage) -> Int { message.payload.count &+ SCTPSendQueue.overhead }
}
