internal import Basics

// Setting up: INIT, INIT ACK, COOKIE ECHO, COOKIE ACK (RFC 9260 section 5).
extension SCTPAssociation {
  /// Sends INIT, unless the peer was faster.
  mutating func start(now: Instant) {
    observe(now)
    guard state == .closed else { return }
    state = .cookieWait
    sendInit()
  }

  private mutating func sendInit() {
    emit([.sctpChunk(.initiation, initiationValue(tag: localTag, initialTSN: localInitialTSN))], tag: 0)
    setupAt = clock + setupWait
  }

  private func initiationValue(tag: UInt32, initialTSN: UInt32) -> [UInt8] {
    var value: [UInt8] = []
    value.appendNetwork(tag)
    value.appendNetwork(UInt32(clamping: max(configuration.receiveBuffer, 1_500)))
    value.appendNetwork(max(configuration.maximumStreams, 1))
    value.appendNetwork(max(configuration.maximumStreams, 1))
    value.appendNetwork(initialTSN)
    value.appendParameter(SCTPParameter.forwardTSNSupported, [])
    value.appendParameter(
      SCTPParameter.supportedExtensions, [SCTPChunkType.reconfiguration.rawValue, SCTPChunkType.forwardTSN.rawValue])
    return value
  }

  /// T1 passed (section 5.1, T1-init and T1-cookie).
  mutating func handleSetupTimer() {
    setupAttempts &+= 1
    guard setupAttempts <= configuration.maximumSetupRetransmissions else { return abort(nil, [], .setupTimeout) }
    setupWait = min(setupWait * 2, configuration.maximumRTO)
    switch state {
    case .cookieWait: sendInit()
    case .cookieEchoed:
      enqueue(.sctpChunk(.cookieEcho, cookie))
      setupAt = clock + setupWait
    default: setupAt = .distantFuture
    }
  }

  /// INIT (sections 5.1, 5.2.1 and 5.2.2): answered with a cookie, without a change of state.
  mutating func receiveInit(_ packet: Span<UInt8>, _ value: Range<Int>) {
    let peer: SCTPInitiation
    do { peer = try SCTPInitiation(parsing: packet, value) } catch {
      drops.count(error == .tooManyParameters ? .tooManyParts : .malformedChunk)
      // A tag of zero cannot be answered (section 3.3.2); neither can a chunk too short to have one.
      guard error != .malformed, error != .tooManyParameters, value.count >= 4 else { return }
      let tag = packet.networkUInt32(at: value.lowerBound)
      guard tag != 0, state == .closed || state == .cookieWait || state == .cookieEchoed else { return }
      var causes: [UInt8] = []
      causes.appendParameter(SCTPCause.invalidMandatoryParameter, [])
      emit([.sctpChunk(.abort, causes)], tag: tag)
      return
    }
    var tag = localTag
    var initialTSN = localInitialTSN
    switch state {
    case .ended: return
    case .shutdownAckSent:
      // Section 9.2: the peer is to finish the old association first.
      enqueue(.sctpChunk(.shutdownAck))
      return
    case .closed, .cookieWait, .cookieEchoed: break
    case .established, .shutdownPending, .shutdownSent, .shutdownReceived:
      // A restarted peer; it gets tags of its own, and only its cookie changes anything (section 5.2.2).
      tag = Self.tag(&random)
      initialTSN = UInt32(truncatingIfNeeded: random.next())
    }
    let hasPeer = state != .closed && state != .cookieWait
    let made = SCTPCookie(
      issuedAt: clock, localTag: tag, localInitialTSN: initialTSN, peer: peer, localTieTag: hasPeer ? localTag : 0,
      peerTieTag: hasPeer ? peerTag : 0)
    guard let sealed = made.sealed(secret) else { return }
    var answer = initiationValue(tag: tag, initialTSN: initialTSN)
    answer.appendParameter(SCTPParameter.stateCookie, sealed)
    if !peer.unrecognized.isEmpty { answer.appendParameter(SCTPParameter.unrecognized, peer.unrecognized) }
    emit([.sctpChunk(.initiationAck, answer)], tag: peer.tag)
  }

  /// INIT ACK (section 5.1 C): its cookie goes back. Expected in COOKIE-WAIT only (section 5.2.3).
  mutating func receiveInitAck(_ packet: Span<UInt8>, _ value: Range<Int>) {
    guard state == .cookieWait else { return drops.count(.unexpectedChunk) }
    let peer: SCTPInitiation
    do { peer = try SCTPInitiation(parsing: packet, value) } catch { return drops.count(.malformedChunk) }
    guard let range = peer.cookie, range.count <= mtu &- Self.headerLength &- 4 else {
      return drops.count(.malformedChunk)
    }
    adopt(
      peerTag: peer.tag, initialTSN: peer.initialTSN, window: peer.window, outbound: peer.outboundStreams,
      inbound: peer.inboundStreams, forward: peer.supportsForwardTSN, reset: peer.supportsReset)
    cookie = [UInt8](copying: packet, range)
    state = .cookieEchoed
    setupAttempts = 0
    setupWait = configuration.initialRTO
    enqueue(.sctpChunk(.cookieEcho, cookie))
    if !peer.unrecognized.isEmpty { report(SCTPCause.unrecognizedParameters, peer.unrecognized) }
    setupAt = clock + setupWait
  }

  /// COOKIE ECHO (sections 5.1 D and 5.2.4). `tag` is the packet's.
  mutating func receiveCookieEcho(_ packet: Span<UInt8>, _ value: Range<Int>, tag: UInt32) {
    guard state != .ended, let cookie = SCTPCookie(opening: packet, value, secret), tag == cookie.localTag else {
      return drops.count(.badCookie)
    }
    let localMatches = cookie.localTag == localTag
    let peerMatches = cookie.peerTag == peerTag
    let age = clock - cookie.issuedAt
    // Row D outlives the cookie: only our COOKIE ACK was lost (section 5.2.4, rule 3).
    if age > configuration.cookieLifetime, !(localMatches && peerMatches) {
      drops.count(.staleCookie)
      var cause: [UInt8] = []
      cause.appendNetwork(UInt32(clamping: (age - configuration.cookieLifetime).microseconds))
      var causes: [UInt8] = []
      causes.appendParameter(SCTPCause.staleCookie, cause)
      emit([.sctpChunk(.error, causes)], tag: cookie.peerTag)
      return
    }
    switch state {
    case .closed: accept(cookie)
    case .cookieWait, .cookieEchoed:
      // Rows B and D of the table: the INITs crossed. Row C is a late cookie.
      guard localMatches else { return drops.count(.badCookie) }
      accept(cookie)
    default:
      if localMatches && peerMatches {
        enqueue(.sctpChunk(.cookieAck))
      } else if !localMatches, !peerMatches, cookie.localTieTag == localTag, cookie.peerTieTag == peerTag {
        restart(cookie)
      } else if localMatches, received.cumulative == Int64(peerInitialTSN) &- 1 {
        // Row B: another INIT of the peer crossed ours, and nothing has come under the first one yet.
        accept(cookie)
      } else {
        drops.count(.badCookie)
      }
    }
  }

  /// COOKIE ACK (section 5.1 E).
  mutating func receiveCookieAck() {
    guard state == .cookieEchoed else { return drops.count(.unexpectedChunk) }
    becomeEstablished(restarted: false)
  }

  private mutating func accept(_ cookie: SCTPCookie) {
    let wasUp = isUp
    adopt(
      peerTag: cookie.peerTag, initialTSN: cookie.peerInitialTSN, window: cookie.peerWindow,
      outbound: cookie.peerOutboundStreams, inbound: cookie.peerInboundStreams, forward: cookie.supportsForwardTSN,
      reset: cookie.supportsReset)
    enqueue(.sctpChunk(.cookieAck))
    if !wasUp { becomeEstablished(restarted: false) }
  }

  /// Row A: the peer lost its state and started again (section 5.2.4.1). Messages under way are lost.
  private mutating func restart(_ cookie: SCTPCookie) {
    guard state != .shutdownAckSent else {
      enqueue(.sctpChunk(.shutdownAck))
      return report(SCTPCause.cookieWhileShuttingDown, [])
    }
    localTag = cookie.localTag
    localInitialTSN = cookie.localInitialTSN
    sender = SCTPSender(configuration: configuration, initialTSN: localInitialTSN)
    reset = SCTPStreamReset(initialTSN: localInitialTSN)
    control.removeAll()
    shutdownAt = .distantFuture
    shutdownEnd = .distantFuture
    adopt(
      peerTag: cookie.peerTag, initialTSN: cookie.peerInitialTSN, window: cookie.peerWindow,
      outbound: cookie.peerOutboundStreams, inbound: cookie.peerInboundStreams, forward: cookie.supportsForwardTSN,
      reset: cookie.supportsReset)
    enqueue(.sctpChunk(.cookieAck))
    becomeEstablished(restarted: true)
  }

  private mutating func adopt(
    peerTag: UInt32, initialTSN: UInt32, window: UInt32, outbound: UInt16, inbound: UInt16, forward: Bool, reset: Bool
  ) {
    self.peerTag = peerTag
    peerInitialTSN = initialTSN
    peerSupportsReset = reset
    outboundStreams = min(max(configuration.maximumStreams, 1), inbound)
    inboundStreams = min(max(configuration.maximumStreams, 1), outbound)
    received = SCTPReceivedSequence(initialTSN: initialTSN, maximumRanges: configuration.maximumGapBlocks)
    reassembly = SCTPReassembly(maximumMessage: configuration.maximumReceiveMessageSize)
    self.reset.expect(SCTPSerial.wire(Int64(initialTSN)))
    sender.establish(peerWindow: window, mayAbandon: forward)
    advertisedWindow = configuration.receiveBuffer
  }

  private mutating func becomeEstablished(restarted: Bool) {
    state = .established
    setupAt = .distantFuture
    cookie = []
    errorCount = 0
    isSackDue = false
    sackAt = .distantFuture
    heartbeatNonce = nil
    heartbeatAt = clock + configuration.heartbeatInterval
    events.append(.up(restarted: restarted))
    progressReset()
  }
}
