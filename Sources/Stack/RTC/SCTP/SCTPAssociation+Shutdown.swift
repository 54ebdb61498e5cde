internal import Basics

// The end in good order (RFC 9260 section 9.2).
extension SCTPAssociation {
  /// Takes no more messages, and ends when everything is delivered.
  mutating func shutdown(now: Instant) {
    observe(now)
    switch state {
    case .closed, .cookieWait, .cookieEchoed: end(.shutDown)
    case .established:
      state = .shutdownPending
      shutdownEnd = clock + configuration.maximumRTO * Int64(max(configuration.maximumRetransmissions, 1))
      progressShutdown()
    default: break
    }
  }

  /// Goes on when everything sent has been acknowledged.
  mutating func progressShutdown() {
    guard sender.isDrained else { return }
    switch state {
    case .shutdownPending:
      state = .shutdownSent
      sendShutdown()
    case .shutdownReceived: sendShutdownAck()
    default: break
    }
  }

  mutating func sendShutdown() {
    var value: [UInt8] = []
    value.appendNetwork(SCTPSerial.wire(received.cumulative))
    enqueue(.sctpChunk(.shutdown, value))
    shutdownAt = clock + sender.rto.value
  }

  private mutating func sendShutdownAck() {
    state = .shutdownAckSent
    enqueue(.sctpChunk(.shutdownAck))
    shutdownAt = clock + sender.rto.value
    if shutdownEnd == .distantFuture {
      shutdownEnd = clock + configuration.maximumRTO * Int64(max(configuration.maximumRetransmissions, 1))
    }
  }

  /// T2 passed.
  mutating func handleShutdownTimer() {
    sender.rto.backOff()
    countError()
    switch state {
    case .shutdownSent: sendShutdown()
    case .shutdownAckSent: sendShutdownAck()
    default: shutdownAt = .distantFuture
    }
  }

  mutating func receiveShutdown(_ packet: Span<UInt8>, _ value: Range<Int>) {
    guard value.count >= 4 else { return drops.count(.malformedChunk) }
    switch state {
    case .established, .shutdownPending, .shutdownReceived, .shutdownSent: break
    default: return drops.count(.unexpectedChunk)
    }
    let end = value.lowerBound
    let result = sender.receiveSack(
      cumulative: packet.networkUInt32(at: value.lowerBound), window: nil, blocks: end..<end, in: packet, now: clock)
    // One that acknowledges what was never sent is a forgery or a fault (section 6.2.1 calls it out of range).
    if case .invalid = result { return drops.count(.invalidSack) }
    if case .progress = result { errorCount = 0 }
    if state == .shutdownSent {
      // Both want to end: each acknowledges the other.
      sendShutdownAck()
    } else {
      state = .shutdownReceived
      if shutdownEnd == .distantFuture {
        shutdownEnd = clock + configuration.maximumRTO * Int64(max(configuration.maximumRetransmissions, 1))
      }
      progressShutdown()
    }
  }

  mutating func receiveShutdownAck() {
    guard state == .shutdownSent || state == .shutdownAckSent else { return drops.count(.unexpectedChunk) }
    emit([.sctpChunk(.shutdownComplete)], tag: peerTag)
    end(.shutDown)
  }

  mutating func receiveShutdownComplete() {
    guard state == .shutdownAckSent else { return drops.count(.unexpectedChunk) }
    end(.shutDown)
  }
}
