public import Basics

/// The client's side of ICE: sends checks to the peer's host candidates, nominates the first path that answers, and
/// keeps consent (RFC 8445 with full-agent behaviour towards a lite peer, RFC 7675). Enough for peers that have
/// reachable addresses, which our server has; it gathers no reflexive or relayed candidates of its own.
///
///     for candidate in answer.candidates { agent.addRemoteCandidate(candidate, local: address, handle: socket, now: now) }
///     loop: while let t = agent.pollTransmit() { send(t) }
///           while let e = agent.pollEvent() { … }
///           wait until agent.deadline or a datagram; handleTimeout(now:) or receive(_:path:now:)
///
/// It starts as controlling and becomes controlled when a role conflict says so (RFC 8445 section 7.2.5.1).
public struct IceControllingAgent {
  /// Wait before a check is sent again the first time; doubles each time (RFC 8445 section 14.3 asks 500 ms of paths
  /// that nothing is known about; a server answers within a round trip, and a lost first check should not cost half a second).
  public static let initialRTO = TimeSpan.milliseconds(50)
  /// How often one check is sent before its pair counts as failed (RFC 8489 section 6.2.1, Rc).
  public static let maximumTransmissions = 7
  /// The distance between first checks of different pairs (RFC 8445 section 14.2, Ta).
  public static let pacing = TimeSpan.milliseconds(20)
  /// How often consent is renewed on average, varied by 0.8 to 1.2 (RFC 7675 section 5.1).
  public static let consentInterval = TimeSpan.seconds(5)
  /// How long a consent check may stay unanswered before the next one, likewise varied. With one in 5 s alone, a path
  /// that loses a fifth each way would lose consent every half an hour.
  public static let consentRetryInterval = TimeSpan.seconds(1)
  /// How long the selected path may be used after the last authentic response (RFC 7675 section 5.1).
  public static let consentTimeout = TimeSpan.seconds(30)
  /// How many pairs are tried; candidates beyond are ignored (RFC 8445 section 6.1.2.5).
  public static let maximumPairs = 32

  /// What happened.
  public enum Event: Hashable, Sendable {
    /// This path answered and is nominated: send over it from now on.
    case selected(IcePath)
    /// The selected path did not answer for ``IceControllingAgent/consentTimeout``: send nothing any more.
    case consentLost
    /// Every pair failed, or none answered within ``IceControllingAgent/consentTimeout`` of the start.
    case failed
  }

  private struct Pair {
    enum State { case waiting, inProgress, succeeded, failed }
    let path: IcePath
    let priority: UInt64
    var state = State.waiting
    var transaction: STUNTransactionID?
    var request: [UInt8] = []
    var transmissions = 0
    var nextAt = Instant.distantFuture
    var isNominatedByPeer = false
  }

  private enum Phase { case checking, connected, over }

  /// The path to send over, nil before the first answer and after consent is lost.
  public private(set) var selectedPath: IcePath?
  /// Our address as the peer saw it in the last answer: behind a NAT it differs from the local one.
  public private(set) var mappedAddress: TransportAddress?
  /// Whether this side nominates; false after a role conflict was lost.
  public private(set) var isControlling = true
  /// Our credentials in the newest description.
  public private(set) var local: IceCredentials

  private var remote: IceCredentials
  private var verifier: IceCheckVerifier
  private var remoteKey: STUNIntegrityKey
  private let tieBreaker: UInt64
  private var random: any RandomNumberGenerator & Sendable
  private var phase = Phase.checking
  private var pairs: [Pair] = []
  private var consentChecks: [STUNTransactionID] = []
  private var startedAt: Instant
  private var nextFirstCheckAt: Instant
  private var nextConsentAt = Instant.distantFuture
  private var consentUntil = Instant.distantFuture
  private var transmissions: [IceTransmission] = []
  private var events: [Event] = []

  /// An agent without pairs; add the peer's candidates next.
  ///
  /// - Parameters:
  ///   - random: transaction ids, the tie-breaker and the spread of consent checks come from it. Leave it out except in
  ///     tests, because ids should not be guessable.
  public init(
    local: IceCredentials, remote: IceCredentials, now: Instant,
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.local = local
    self.remote = remote
    self.random = random
    tieBreaker = self.random.next()
    verifier = IceCheckVerifier(local: local, remote: remote)
    remoteKey = STUNIntegrityKey(password: remote.password.value)
    startedAt = now
    nextFirstCheckAt = now
  }

  /// Pairs one of the peer's candidates with a local address and begins to check it.
  ///
  /// - Parameters:
  ///   - local: the address of the socket, or of the connection, to use.
  ///   - handle: the owner's number of that socket or connection.
  /// - Returns: the path that will be checked; nil for a candidate that cannot be used (a host name, an active TCP
  ///   candidate, another component, the other address family) or is one too many.
  @discardableResult
  public mutating func addRemoteCandidate(
    _ candidate: IceCandidate, local: TransportAddress, handle: UInt32 = 0, now: Instant
  ) -> IcePath? {
    guard candidate.isUsable, candidate.component == 1, let remote = candidate.transportAddress,
      remote.ip.isIPv4 == local.ip.isIPv4, candidate.transport == .udp || candidate.tcpType == .passive
    else { return nil }
    let path = IcePath(transport: candidate.transport, local: local, remote: remote, handle: handle)
    return add(path, remotePriority: candidate.priority, now: now) == nil ? nil : path
  }

  /// Takes new credentials of both sides (RFC 8445 section 9); add the peer's candidates again afterwards. The selected
  /// path stays in use until a path answers under the new credentials.
  public mutating func restart(local: IceCredentials, remote: IceCredentials, now: Instant) {
    self.local = local
    self.remote = remote
    verifier = IceCheckVerifier(local: local, remote: remote)
    remoteKey = STUNIntegrityKey(password: remote.password.value)
    pairs = []
    consentChecks = []
    phase = .checking
    startedAt = now
    nextFirstCheckAt = now
    nextConsentAt = .distantFuture
  }

  /// When ``handleTimeout(now:)`` wants to be called.
  public var deadline: Instant {
    switch phase {
    case .over: return .distantFuture
    case .connected: return min(nextConsentAt, consentUntil)
    case .checking:
      var next = min(startedAt + Self.consentTimeout, consentUntil)
      for pair in pairs {
        switch pair.state {
        case .waiting: next = min(next, nextFirstCheckAt)
        case .inProgress: next = min(next, pair.nextAt)
        case .succeeded, .failed: break
        }
      }
      return next
    }
  }

  /// Lets time pass: call it at ``deadline`` or later, then take what is to send and the events.
  public mutating func handleTimeout(now: Instant) {
    if phase != .over && now >= consentUntil {
      consentUntil = .distantFuture
      selectedPath = nil
      events.append(.consentLost)
      // During a restart the new pairs still have their time.
      if phase == .connected { phase = .over }
    }
    switch phase {
    case .over: return
    case .connected: if now >= nextConsentAt { sendConsentCheck(now: now) }
    case .checking: check(now: now)
    }
  }

  /// Whether the peer has answered a check over `path`: it may send over any such path, not only the selected one.
  public func isProven(_ path: IcePath) -> Bool {
    phase != .over && (path == selectedPath || pairs.contains { $0.state == .succeeded && $0.path == path })
  }

  /// The next bytes to send, nil when there are none left.
  public mutating func pollTransmit() -> IceTransmission? {
    transmissions.isEmpty ? nil : transmissions.removeFirst()
  }

  /// The next event, nil when there is none left.
  public mutating func pollEvent() -> Event? { events.isEmpty ? nil : events.removeFirst() }

  /// Takes one datagram (or frame) that looks like STUN: an answer to a check of ours or a check of the peer's.
  ///
  /// - Returns: nil when it was taken, else why it was ignored.
  @discardableResult
  public mutating func receive(_ datagram: Span<UInt8>, path: IcePath, now: Instant) -> IceIgnoredReason? {
    let message: STUNMessage
    do { message = try STUNMessage(parsing: datagram) } catch { return .malformed(error) }
    guard message.method == .binding else { return .notForUs }
    switch message.messageClass {
    case .request: return receiveRequest(message, path: path, now: now)
    case .indication: return .notForUs
    case .successResponse, .errorResponse: return receiveResponse(message, path: path, now: now)
    }
  }
}

// MARK: - Our checks

extension IceControllingAgent {
  private mutating func add(_ path: IcePath, remotePriority: UInt32, now: Instant) -> Int? {
    if let known = pairs.firstIndex(where: { $0.path == path }) { return known }
    guard pairs.count < Self.maximumPairs, phase == .checking else { return nil }
    let ours = IceCandidate.priority(kind: .host, transport: path.transport)
    pairs.append(
      Pair(path: path, priority: IceCandidate.pairPriority(controlling: ours, controlled: remotePriority)))
    nextFirstCheckAt = max(nextFirstCheckAt, now)
    return pairs.count - 1
  }

  private mutating func check(now: Instant) {
    for index in pairs.indices where pairs[index].state == .inProgress && now >= pairs[index].nextAt {
      retransmit(index, now: now)
    }
    if now >= nextFirstCheckAt, let best = bestWaitingPair() {
      start(best, now: now)
      nextFirstCheckAt = now + Self.pacing
    }
    let exhausted = !pairs.isEmpty && pairs.allSatisfy { $0.state == .failed }
    if exhausted || now - startedAt >= Self.consentTimeout { fail() }
  }

  private mutating func fail() {
    phase = .over
    selectedPath = nil
    consentUntil = .distantFuture
    events.append(.failed)
  }

  private func bestWaitingPair() -> Int? {
    pairs.indices.filter { pairs[$0].state == .waiting }.max { pairs[$0].priority < pairs[$1].priority }
  }

  private mutating func start(_ index: Int, now: Instant) {
    let id = STUNTransactionID(using: &random)
    pairs[index].state = .inProgress
    pairs[index].transaction = id
    pairs[index].request = request(id, path: pairs[index].path)
    pairs[index].transmissions = 0
    retransmit(index, now: now)
  }

  private mutating func retransmit(_ index: Int, now: Instant) {
    let sent = pairs[index].transmissions
    let isReliable = pairs[index].path.transport == .tcp
    guard sent < (isReliable ? 1 : Self.maximumTransmissions) else {
      pairs[index].state = .failed
      return
    }
    pairs[index].transmissions = sent + 1
    // A stream delivers or breaks; sending twice helps nobody, so the whole time is one wait.
    let wait = Self.initialRTO * (isReliable ? 1 << Int64(Self.maximumTransmissions) : 1 << Int64(sent))
    pairs[index].nextAt = now + wait
    transmissions.append(IceTransmission(path: pairs[index].path, bytes: pairs[index].request))
  }

  private mutating func sendConsentCheck(now: Instant) {
    guard let path = selectedPath else { return }
    let id = STUNTransactionID(using: &random)
    // Each consent check is a transaction of its own and never sent again (RFC 7675 section 5.1).
    consentChecks.append(id)
    if consentChecks.count > 32 { consentChecks.removeFirst() }
    transmissions.append(IceTransmission(path: path, bytes: request(id, path: path)))
    nextConsentAt = now + varied(Self.consentRetryInterval)
  }

  private mutating func varied(_ span: TimeSpan) -> TimeSpan {
    let thousandths = Int64(truncatingIfNeeded: 800 + random.next(upperBound: UInt64(401)))
    return TimeSpan(nanoseconds: span.nanoseconds / 1_000 &* thousandths)
  }

  private func request(_ id: STUNTransactionID, path: IcePath) -> [UInt8] {
    var request = STUNMessageBuilder(.request, transactionID: id)
    request.addUsername("\(remote.ufrag):\(local.ufrag)")
    request.addPriority(IceCandidate.priority(kind: .peerReflexive, transport: path.transport))
    if isControlling {
      request.addRole(.controlling(tieBreaker: tieBreaker))
      request.addUseCandidate()
    } else {
      request.addRole(.controlled(tieBreaker: tieBreaker))
    }
    return request.finish(integrity: remoteKey)
  }

  private mutating func receiveResponse(
    _ message: borrowing STUNMessage, path: IcePath, now: Instant
  ) -> IceIgnoredReason? {
    // The answer must come back over the very path of the check (RFC 8445 section 7.2.5.2.1).
    let pair = pairs.firstIndex { $0.transaction == message.transactionID && $0.path == path }
    let consent = path == selectedPath ? consentChecks.firstIndex(of: message.transactionID) : nil
    guard pair != nil || consent != nil else { return .notForUs }
    guard message.hasIntegrity else { return .missingIntegrity }
    guard message.fingerprint != .invalid else { return .wrongFingerprint }
    guard message.isAuthentic(remoteKey) else { return .wrongIntegrity }

    if let consent { consentChecks.remove(at: consent) }
    if let pair { pairs[pair].transaction = nil }
    if message.messageClass == .errorResponse {
      if message.errorCode == 487 {
        isControlling.toggle()
        if let pair, phase == .checking { start(pair, now: now) }
        if consent != nil { nextConsentAt = now }
      } else if let pair {
        pairs[pair].state = .failed
        if phase == .checking { check(now: now) }
      }
      return nil
    }
    guard message.unknownRequiredCount == 0, let mapped = message.xorMappedAddress else {
      if let pair { pairs[pair].state = .failed }
      return nil
    }
    mappedAddress = mapped
    if let pair {
      pairs[pair].state = .succeeded
      if phase == .checking && (isControlling || pairs[pair].isNominatedByPeer) { select(pair, now: now) }
    } else {
      consentUntil = now + Self.consentTimeout
      nextConsentAt = now + varied(Self.consentInterval)
    }
    return nil
  }

  private mutating func select(_ index: Int, now: Instant) {
    let checked = pairs.filter { $0.transmissions > 0 }.count
    selectedPath = pairs[index].path
    phase = .connected
    consentChecks = []
    consentUntil = now + Self.consentTimeout
    events.append(.selected(pairs[index].path))
    if checked > 1 && isControlling {
      // Other checks carried the nomination too and may arrive later; one more makes ours the last word.
      sendConsentCheck(now: now)
    } else {
      nextConsentAt = now + varied(Self.consentInterval)
    }
  }
}

// MARK: - The peer's checks

extension IceControllingAgent {
  private mutating func receiveRequest(
    _ message: borrowing STUNMessage, path: IcePath, now: Instant
  ) -> IceIgnoredReason? {
    if phase == .over { return .consentLost }
    guard verifier.isAddressed(by: message) else { return .wrongUsername }
    if let objection = verifier.objection(to: message) { return objection }
    guard message.unknownRequiredCount == 0 else {
      transmissions.append(IceTransmission(path: path, bytes: verifier.unknownAttributes(message)))
      return nil
    }
    guard resolveRole(message.role) else {
      transmissions.append(
        IceTransmission(path: path, bytes: verifier.roleConflict(message.transactionID)))
      return nil
    }
    transmissions.append(
      IceTransmission(path: path, bytes: verifier.success(message.transactionID, to: path.remote)))
    guard phase == .checking || !isControlling else { return nil }
    // An address not seen before is a peer-reflexive candidate and gets a triggered check (RFC 8445 section 7.3.1.3).
    guard let index = add(path, remotePriority: message.priority ?? 1, now: now) else { return nil }
    if message.nominates && !isControlling { pairs[index].isNominatedByPeer = true }
    switch pairs[index].state {
    case .waiting: start(index, now: now)
    case .failed: if phase == .checking { start(index, now: now) }
    case .inProgress: break
    case .succeeded:
      if pairs[index].isNominatedByPeer && selectedPath != path { select(index, now: now) }
    }
    return nil
  }

  /// Whether the check may be answered with success. The larger tie-breaker keeps its role
  /// (RFC 8445 section 7.3.1.1).
  private mutating func resolveRole(_ role: STUNMessage.Role?) -> Bool {
    switch role {
    case .controlling(let theirs) where isControlling:
      if tieBreaker >= theirs { return false }
      isControlling = false
    case .controlled(let theirs) where !isControlling:
      if tieBreaker < theirs { return false }
      isControlling = true
    default: break
    }
    return true
  }
}
