internal import Basics

// Packets out, and timers (RFC 9260 sections 6.1, 6.10 and 8.3).
extension SCTPAssociation {
  /// The next packet, nil when there is none now: control chunks first, then SACK, FORWARD TSN, what was lost and new
  /// data, as much as fits. One allocation for the packet and one each for SACK and FORWARD TSN.
  mutating func pollTransmit() -> [UInt8]? {
    if let packet = packets.popFirst() {
      packetsSent &+= 1
      return packet
    }
    guard state != .ended, peerTag != 0 else { return nil }
    var writer = SCTPPacketWriter(port: configuration.port, tag: peerTag, capacity: mtu)
    while let chunk = control.first, writer.count &+ (chunk.count &+ 3 & ~3) <= mtu {
      writer.append(chunk: chunk)
      _ = control.popFirst()
    }
    if isUp {
      let maySend = burst > 0 && sender.permission(room: mtu &- writer.count) != .none
      if isSackDue || (maySend && sackAt != .distantFuture) {
        // Half a packet of gaps at most when data wants to go along.
        let room = (maySend && !isSackDue ? mtu / 2 : mtu) &- writer.count
        if room >= 64 { writer.append(chunk: makeSack(room: room)) }
      }
      appendForward(&writer)
      if burst > 0 {
        fill(&writer)
        // Something may have been given up just now instead of being sent again.
        appendForward(&writer)
      }
    }
    guard !writer.isEmpty else { return nil }
    packetsSent &+= 1
    return writer.finish()
  }

  private mutating func appendForward(_ writer: inout SCTPPacketWriter) {
    guard sender.isForwardDue, mtu &- writer.count >= 64,
      let forward = sender.takeForward(maximumStreams: (mtu &- writer.count &- 8) / 4, now: clock)
    else { return }
    writer.append(chunk: .sctpChunk(.forwardTSN, forward))
  }

  private mutating func fill(_ writer: inout SCTPPacketWriter) {
    var hasData = false
    var hasRetransmission = false
    sending: while true {
      let room = mtu &- writer.count
      switch sender.permission(room: room) {
      case .retransmission:
        if let (tsn, chunk) = sender.nextLost(room: room, now: clock) {
          writer.append(chunk, tsn: tsn)
          hasRetransmission = true
        } else if sender.lostCount > 0 {
          break sending
        }
      case .new:
        guard let (tsn, chunk) = sender.nextNew(now: clock) else { break sending }
        writer.append(chunk, tsn: tsn)
        hasData = true
      case .none: break sending
      }
    }
    if hasRetransmission { sender.didFinishPacket() }
    if hasData || hasRetransmission { burst &-= 1 }
  }

  /// Lets time pass; call it at ``deadline`` or later.
  mutating func handleTimeout(now: Instant) {
    observe(now)
    guard state != .ended else { return }
    if clock >= shutdownEnd { return abort(nil, [], .peerUnreachable) }
    if clock >= setupAt { handleSetupTimer() }
    if clock >= sackAt {
      sackAt = .distantFuture
      isSackDue = true
    }
    if clock >= sender.timerAt {
      sender.handleTimer(now: clock)
      countError()
    }
    if state != .ended, clock >= reset.timerAt { handleResetTimer() }
    if state != .ended, clock >= shutdownAt { handleShutdownTimer() }
    if state != .ended, clock >= heartbeatAt { handleHeartbeatTimer() }
    if state != .ended { progressShutdown() }
  }

  /// Asks an idle peer for a sign of life (section 8.3); data in flight asks by itself.
  private mutating func handleHeartbeatTimer() {
    guard isUp else { return heartbeatAt = .distantFuture }
    if heartbeatNonce != nil {
      heartbeatNonce = nil
      sender.rto.backOff()
      countError()
      guard state != .ended else { return }
    }
    guard sender.outstanding.isEmpty else { return heartbeatAt = clock + configuration.heartbeatInterval }
    let nonce = random.next()
    var information: [UInt8] = []
    information.appendNetwork(nonce)
    var value: [UInt8] = []
    value.appendParameter(SCTPParameter.heartbeatInfo, information)
    enqueue(.sctpChunk(.heartbeat, value))
    heartbeatNonce = nonce
    heartbeatSentAt = clock
    // An answer moves this to the next interval; without one it is asked again sooner.
    heartbeatAt = clock + min(configuration.heartbeatInterval, max(sender.rto.value, configuration.maximumRTO))
  }
}
