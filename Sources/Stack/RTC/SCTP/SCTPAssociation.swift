internal import Basics

/// An event for the association's owner.
enum SCTPEvent: Sendable, Equatable {
  /// Data may flow. It comes again, with `restarted`, when the peer started again (RFC 9260 section 5.2.4.1).
  case up(restarted: Bool)
  case message(SCTPMessage)
  /// A message on this stream was longer than allowed and is not delivered.
  case oversized(UInt16)
  /// The peer has reset its half of these streams (RFC 6525); an empty list means all.
  case incomingReset([UInt16])
  /// Our half of these streams is reset.
  case outgoingReset([UInt16])
  case ended(SCTPFailure)
}

/// One SCTP association with one path (RFC 9260 over DTLS, RFC 8261; partial reliability RFC 3758; stream reset RFC
/// 6525), without I/O and clock.
///
/// Both ends may start it. It holds no more than its configuration allows; whatever a peer sends is processed, dropped
/// and counted, or answered with ABORT.
struct SCTPAssociation: Sendable {
  /// The states of RFC 9260 section 4. `ended` is final: over a DTLS connection there is one association.
  enum State: Sendable {
    case closed, cookieWait, cookieEchoed, established, shutdownPending, shutdownSent, shutdownReceived
    case shutdownAckSent, ended
  }

  /// Bytes of the common header.
  static let headerLength = 12
  /// Bytes of a DATA chunk before its payload.
  static let dataHeaderLength = 16
  /// Chunks looked at in one packet: more than fit a datagram with data in them.
  static let maximumChunks = 256
  /// Chunks and packets that wait to be sent besides data; more are dropped, as a network does.
  static let maximumControl = 64

  /// The most payload of a DATA chunk, so that its packet is no longer than the MTU.
  static func maximumChunkPayload(_ configuration: SCTPConfiguration) -> Int {
    (min(max(configuration.mtu, 512), 16_384) &- headerLength &- dataHeaderLength) & ~3
  }

  let configuration: SCTPConfiguration
  let mtu: Int
  let secret: [UInt8]
  var random: any RandomNumberGenerator & Sendable
  var state = State.closed
  /// The latest time given.
  var clock = Instant(nanoseconds: .min)

  var localTag: UInt32
  var localInitialTSN: UInt32
  var peerTag: UInt32 = 0
  var peerInitialTSN: UInt32 = 0
  var peerSupportsReset = false
  var outboundStreams: UInt16
  var inboundStreams: UInt16

  var sender: SCTPSender
  var received: SCTPReceivedSequence
  var reassembly: SCTPReassembly
  var reset: SCTPStreamReset
  /// Bytes handed to the owner and not yet released.
  var unreadBytes = 0

  /// Whole packets, whose tag is not the association's.
  var packets = FIFO<[UInt8]>()
  /// Chunks that go first.
  var control = FIFO<[UInt8]>()
  var events = FIFO<SCTPEvent>()
  var drops = SCTPDropCounts()
  var packetsSent: UInt64 = 0
  var packetsReceived: UInt64 = 0

  /// T1-init or T1-cookie.
  var setupAt = Instant.distantFuture
  var setupAttempts = 0
  var setupWait: TimeSpan
  var cookie: [UInt8] = []
  /// T2-shutdown, and the guard over the whole shutdown (T5).
  var shutdownAt = Instant.distantFuture
  var shutdownEnd = Instant.distantFuture
  var heartbeatAt = Instant.distantFuture
  var heartbeatNonce: UInt64?
  var heartbeatSentAt = Instant.zero
  /// How often in a row the peer did not answer (section 8.1).
  var errorCount = 0

  /// A SACK is to go out at once, or at `sackAt`.
  var isSackDue = false
  var sackAt = Instant.distantFuture
  var packetsSinceSack = 0
  var advertisedWindow = 0
  /// Whether this packet's answer has an ERROR already.
  var hasReported = false
  /// How many more packets of data the present call may cause (section 6.1 D).
  var burst = 0

  init(configuration: SCTPConfiguration, random: any RandomNumberGenerator & Sendable) {
    var random = random
    self.configuration = configuration
    mtu = min(max(configuration.mtu, 512), 16_384)
    secret = (0..<32).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    localTag = Self.tag(&random)
    localInitialTSN = UInt32(truncatingIfNeeded: random.next())
    outboundStreams = max(configuration.maximumStreams, 1)
    inboundStreams = max(configuration.maximumStreams, 1)
    sender = SCTPSender(configuration: configuration, initialTSN: localInitialTSN)
    received = SCTPReceivedSequence(initialTSN: 0, maximumRanges: configuration.maximumGapBlocks)
    reassembly = SCTPReassembly(maximumMessage: configuration.maximumReceiveMessageSize)
    reset = SCTPStreamReset(initialTSN: localInitialTSN)
    setupWait = configuration.initialRTO
    self.random = random
  }

  /// A verification tag; zero is reserved for INIT (section 8.5.1).
  static func tag(_ random: inout any RandomNumberGenerator & Sendable) -> UInt32 {
    max(1, UInt32(truncatingIfNeeded: random.next()))
  }

  /// Whether data may be given to ``send(_:stream:now:)``: before and while the association is up.
  var takesData: Bool {
    switch state {
    case .closed, .cookieWait, .cookieEchoed, .established: true
    default: false
    }
  }

  var isUp: Bool {
    switch state {
    case .established, .shutdownPending, .shutdownSent, .shutdownReceived: true
    default: false
    }
  }

  mutating func observe(_ now: Instant) {
    clock = max(clock, now)
    burst = max(configuration.maximumBurst, 1)
  }

  mutating func pollEvent() -> SCTPEvent? { events.popFirst() }

  /// Queues a message; false when the send buffer has no room for it.
  mutating func send(_ message: SCTPOutgoingMessage, stream: UInt16, now: Instant) -> Bool {
    observe(now)
    let needed = message.payload.count &+ SCTPSendQueue.overhead
    if sender.heldBytes &+ needed > configuration.sendBuffer { sender.queue.purgeExpired(now: clock) }
    guard sender.heldBytes &+ needed <= configuration.sendBuffer else { return false }
    sender.queue.append(message, stream: stream)
    return true
  }

  /// The owner has passed on messages of these bytes; the window opens again.
  mutating func release(_ bytes: Int) {
    unreadBytes = max(0, unreadBytes &- bytes)
    // A peer that saw a small window waits for word of a larger one (section 6.2).
    if isUp, advertisedWindow < configuration.receiveBuffer / 4, receiveWindow > configuration.receiveBuffer / 2 {
      isSackDue = true
    }
  }

  /// The free receive buffer.
  var receiveWindow: Int { max(0, configuration.receiveBuffer &- reassembly.heldBytes &- unreadBytes) }

  /// When ``handleTimeout(now:)`` has something to do.
  var deadline: Instant {
    guard state != .ended else { return .distantFuture }
    let timers = min(min(setupAt, shutdownAt), min(shutdownEnd, heartbeatAt))
    return min(timers, min(min(sackAt, sender.timerAt), reset.timerAt))
  }

  /// Ends at once, without a word to the peer unless there is a `cause`.
  mutating func end(_ failure: SCTPFailure) {
    guard state != .ended else { return }
    state = .ended
    control.removeAll()
    sender.clear()
    reassembly = SCTPReassembly(maximumMessage: 1)
    setupAt = .distantFuture
    isSackDue = false
    events.append(.ended(failure))
  }

  /// Sends ABORT with a cause (section 9.1) and ends.
  mutating func abort(_ cause: UInt16?, _ information: [UInt8] = [], _ failure: SCTPFailure) {
    guard state != .ended else { return }
    if peerTag != 0 {
      var value: [UInt8] = []
      if let cause { value.appendParameter(cause, information) }
      emit([.sctpChunk(.abort, value)], tag: peerTag)
    }
    end(failure)
  }

  /// Queues a chunk for the next packet.
  mutating func enqueue(_ chunk: [UInt8]) {
    if control.count < Self.maximumControl, chunk.count <= mtu &- Self.headerLength { control.append(chunk) }
  }

  /// Queues a packet of its own.
  mutating func emit(_ chunks: [[UInt8]], tag: UInt32) {
    guard packets.count < Self.maximumControl else { return }
    var writer = SCTPPacketWriter(port: configuration.port, tag: tag, capacity: 256)
    for chunk in chunks { writer.append(chunk: chunk) }
    packets.append(writer.finish())
  }

  /// Queues an ERROR, at most one for each packet received (section 3.3.10).
  mutating func report(_ cause: UInt16, _ information: [UInt8]) {
    guard !hasReported else { return }
    hasReported = true
    var value: [UInt8] = []
    value.appendParameter(cause, information)
    enqueue(.sctpChunk(.error, value))
  }

  /// One more unanswered request; ends the association when there were too many.
  mutating func countError() {
    errorCount &+= 1
    if errorCount > configuration.maximumRetransmissions { abort(nil, [], .peerUnreachable) }
  }
}
