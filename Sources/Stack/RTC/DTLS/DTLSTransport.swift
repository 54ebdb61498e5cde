public import Basics

/// A DTLS 1.2 association that negotiates SRTP keys (RFC 6347, RFC 5764), without I/O and clock.
///
/// - Give it the datagrams that came *from an address with an authenticated ICE check* (first byte 20 to 63, RFC 7983).
/// - Send the result of ``pollTransmit()``.
/// - Call ``handleTimeout(now:)`` at ``deadline``.
/// - Poll ``pollEvent()`` after each.
///
/// Every record is checked before OpenSSL sees it; invalid ones are dropped and counted in ``drops``. The peer must
/// show a certificate with one of the given fingerprints, or the handshake fails and no keys are ever exported. A
/// handshake costs about 0.5 ms of CPU on each side. Not thread-safe: use it from the worker that owns the connection.
public final class DTLSTransport {
  /// The life of an association.
  public enum State: Sendable, Hashable {
    /// Before ``start(now:)`` or the first datagram.
    case idle
    case handshaking
    /// Keys are agreed on.
    case connected
    /// Closed by either side.
    case closed
    /// Ended by an error; ``DTLSTransport/reset()`` allows another attempt.
    case failed
  }

  /// The role this end takes.
  public let role: DTLSRole
  /// The present state; it changes only during calls.
  public private(set) var state: State = .idle
  /// When ``handleTimeout(now:)`` wants to be called; ``Basics/Instant/distantFuture`` when never.
  public private(set) var deadline: Instant = .distantFuture
  /// How many flights were sent again. High numbers mean a lossy path.
  public private(set) var retransmissions: UInt64 = 0

  private let context: DTLSContext
  private let remoteFingerprints: [Fingerprint]
  private let mtu: Int
  private let timing: DTLSTiming
  /// OpenSSL's part, until the handshake is over.
  private var handshake: DTLSHandshake?
  /// The records after it.
  var records: DTLSRecordLayer?
  /// As a server, the last flight, which a client that missed it asks for by repeating its own; nothing else repeats
  /// it.
  var lastFlight: [[UInt8]] = []
  /// Application data that overtook the end of the handshake.
  var early: [[UInt8]] = []
  var filter = DTLSRecordFilter()
  private var datagrams: [[UInt8]] = []
  var events: [DTLSEvent] = []
  private var handshakeEnd: Instant = .distantFuture
  private var retransmitAt: Instant = .distantFuture
  private var retransmitWait: TimeSpan = .zero
  private var flight = 0
  /// An alert that came without encryption, and how often our flight was sent again since without an answer.
  private var suspicion: (alert: UInt8, unanswered: Int)?

  /// So many flights in a row without an answer bear out an alert that nothing else proves.
  private static let unansweredFlights = 4
  /// The most datagrams and events that wait to be polled; more are dropped, as a network does.
  static let maximumQueue = 256
  /// The most records of application data that are kept until the handshake is complete.
  private static let maximumEarly = 16

  /// An association that has not started.
  ///
  /// - Parameters:
  ///   - remoteFingerprints: what signalling announced; one must match the peer's certificate. None means that every
  ///     peer is refused.
  ///   - mtu: the most bytes of a datagram, 256 at least.
  /// - Throws: ``DTLSSetupError/context(_:)`` when OpenSSL has no memory.
  public init(
    context: DTLSContext, role: DTLSRole, remoteFingerprints: [Fingerprint], mtu: Int = 1_200,
    timing: DTLSTiming = DTLSTiming()
  ) throws(DTLSSetupError) {
    self.context = context
    self.role = role
    self.remoteFingerprints = remoteFingerprints
    self.mtu = mtu
    self.timing = timing
    handshake = try DTLSHandshake(
      context: context, isClient: role == .client, remoteFingerprints: remoteFingerprints, mtu: mtu)
  }

  /// Counts of dropped records, by reason.
  public var drops: DTLSDropCounts { filter.drops }

  /// Starts the clock of ``DTLSTiming/handshakeLimit`` and, as a client, sends the ClientHello. As a server the first
  /// acceptable datagram does that too. Does nothing a second time.
  public func start(now: Instant) {
    guard state == .idle else { return }
    state = .handshaking
    handshakeEnd = now + timing.handshakeLimit
    advance(nil, now: now)
  }

  /// Processes one datagram from the peer.
  public func receive(_ datagram: Span<UInt8>, now: Instant) {
    if state == .idle, role == .server { start(now: now) }
    guard state == .handshaking || state == .connected else {
      filter.countInactive()
      return
    }
    var offset = 0
    while state == .handshaking || state == .connected,
      let filterState = records?.filterState ?? handshake?.filterState,
      let range = filter.nextRecord(in: datagram, offset: &offset, state: filterState)
    {
      var record: [UInt8] = []
      record.reserveCapacity(range.count)
      for index in range { record.append(datagram[index]) }
      suspicion?.unanswered = 0
      advance(record, now: now)
    }
    // Until there are keys an alert proves nothing: anybody who knows the addresses can send one, and must not end a
    // handshake that goes on. A peer that has given up answers no more, so the alert is believed when that is seen.
    if let alert = filter.takeAlert(), state == .handshaking { suspicion = (alert, suspicion?.unanswered ?? 0) }
  }

  /// Takes the next datagram to send to the peer; nil when there is none.
  public func pollTransmit() -> [UInt8]? { datagrams.isEmpty ? nil : datagrams.removeFirst() }

  /// Takes the next event; nil when there is none.
  public func pollEvent() -> DTLSEvent? { events.isEmpty ? nil : events.removeFirst() }

  /// Retransmits or gives up, if it is time to; call it at ``deadline`` or later.
  public func handleTimeout(now: Instant) {
    guard state == .handshaking else { return }
    if now >= handshakeEnd {
      giveUp()
      return
    }
    if now >= retransmitAt {
      if let suspicion, suspicion.unanswered >= Self.unansweredFlights {
        giveUp()
        return
      }
      suspicion?.unanswered += 1
      let copy = handshake?.takeCopy() ?? []
      if !copy.isEmpty {
        retransmissions &+= 1
        for datagram in copy { enqueue(datagram) }
        retransmitWait = min(retransmitWait * 2, timing.maximumRetransmission)
      }
      retransmitAt = copy.isEmpty ? .distantFuture : now + retransmitWait
    }
    deadline = min(handshakeEnd, retransmitAt)
  }

  /// The most bytes of application data in one record, which is one datagram of `mtu` bytes: a record's header takes
  /// 13, nonce and tag of AES-GCM up to 24 (RFC 6347 section 4.1, RFC 5288).
  public static func maximumPayload(mtu: Int) -> Int { max(mtu, 256) - 13 - 24 }

  /// Sends application data as one record (data channels, RFC 8261).
  ///
  /// - Returns: whether it was queued; false before the connection and when it does not fit a datagram of the MTU.
  public func send(_ data: Span<UInt8>) -> Bool {
    guard state == .connected, data.count > 0, data.count <= Self.maximumPayload(mtu: mtu) else { return false }
    guard let record = records?.seal(.applicationData, data) else { return false }
    enqueue(record)
    return true
  }

  /// Sends close_notify and ends. Poll the last datagram after it.
  public func close() {
    guard state == .handshaking || state == .connected else {
      if state == .idle { finish(.closed) }
      return
    }
    let alert: [UInt8] = [1, 0]  // a warning: close_notify
    if let record = records?.seal(.alert, alert.span) { enqueue(record) }
    handshake?.close()
    flush()
    finish(.closed)
  }

  /// Throws the present association away and stands ready for another, with the same fingerprints: after a failed
  /// handshake, or when ICE restarted with a new peer behind it.
  public func reset() throws(DTLSSetupError) {
    let fresh = try DTLSHandshake(
      context: context, isClient: role == .client, remoteFingerprints: remoteFingerprints, mtu: mtu)
    let drops = filter.drops
    filter = DTLSRecordFilter(drops: drops)
    datagrams.removeAll()
    events.removeAll()
    flight = 0
    finish(.idle)
    handshake = fresh
  }

  private func advance(_ record: [UInt8]?, now: Instant) {
    if state == .connected {
      if let record { read(record) }
      return
    }
    guard let handshake else { return }
    // The filter has seen to it that it is encrypted.
    if let record, record.first == DTLSRecordLayer.ContentType.applicationData.rawValue {
      if early.count < Self.maximumEarly { early.append(record) }
      return
    }
    let progress = handshake.handshake(record)
    if case .established = progress, role == .server { lastFlight = handshake.outbound }
    flush()
    switch progress {
    case .wantsMore: restartTimer(now: now)
    case .established: connect(handshake)
    case .closed:
      finish(.closed)
      events.append(.closed)
    case .failed(let failure): fail(failure)
    }
  }

  /// A new flight starts with the first wait; an answered one has nothing to send again.
  private func restartTimer(now: Instant) {
    guard state == .handshaking, let handshake else { return }
    if handshake.copies.isEmpty {
      retransmitAt = .distantFuture
    } else if flight != handshake.flight {
      flight = handshake.flight
      retransmitWait = timing.initialRetransmission
      retransmitAt = now + retransmitWait
    }
    deadline = min(handshakeEnd, retransmitAt)
  }

  /// The peer answers no more: it has said why, or it is gone.
  private func giveUp() {
    switch suspicion?.alert {
    case 0:
      finish(.closed)
      events.append(.closed)
    case let alert?: fail(.peerAlert(alert))
    case nil: fail(.timeout)
    }
  }

  func fail(_ failure: DTLSFailure) {
    finish(.failed)
    events.append(.failed(failure))
  }

  /// Enters a state that needs no handshake any more.
  func finish(_ end: State) {
    state = end
    handshake = nil
    records = nil
    early = []
    suspicion = nil
    if end != .connected { lastFlight = [] }
    retransmitAt = .distantFuture
    handshakeEnd = .distantFuture
    deadline = .distantFuture
  }

  func flush() {
    for datagram in handshake?.takeOutbound() ?? [] { enqueue(datagram) }
  }

  func enqueue(_ datagram: [UInt8]) {
    if datagrams.count < Self.maximumQueue { datagrams.append(datagram) }
  }
}
