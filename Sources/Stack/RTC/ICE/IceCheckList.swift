internal import Basics

/// The pairs of local bases and remote candidates, and the checks over them (RFC 8445 sections 6.1.2 and 7.2),
/// nomination and consent (RFC 7675). One component, one check list. Owned by ``IceAgent``.
///
/// **Nomination.** Direct UDP paths are few and answer within a round trip. So their checks carry the nomination, and
/// the first that answers is selected at once. A path over TCP or through a TURN server is nominated by a check of its
/// own: when it has answered and nothing better is left to answer, or ``relayHoldback`` after the first check. A better
/// kind of path that answers later takes over; within a kind the first stays.
struct IceCheckList {
  /// See ``IceAgent/pacing``.
  static let pacing = TimeSpan.milliseconds(20)
  static let initialRTO = TimeSpan.milliseconds(50)
  static let maximumTransmissions = 7
  static let consentInterval = TimeSpan.seconds(5)
  static let consentRetryInterval = TimeSpan.seconds(1)
  static let consentTimeout = TimeSpan.seconds(30)
  static let doubtInterval = TimeSpan.seconds(15)
  static let relayHoldback = TimeSpan.milliseconds(200)
  static let maximumPairs = 64
  static let maximumRemotes = 64

  enum Event: Hashable {
    case selected(IcePath)
    /// The socket or relay of the selected path is gone; others are being checked.
    case pathLost
    case consentLost
    case failed
    /// This address of ours was discovered by an answer and is not among the candidates.
    case reflexive(TransportAddress, path: IcePath)
  }

  struct Pair {
    enum State { case frozen, waiting, inProgress, succeeded, failed }
    let path: IcePath
    let priority: UInt64
    let rank: IceBase.Rank
    let foundation: String
    var state = State.frozen
    var transaction: STUNTransactionID?
    var request: [UInt8] = []
    var transmissions = 0
    var nextAt = Instant.distantFuture
    var isNominatedByPeer = false
    /// When the check under way left first; its answer is timed only if it was not sent again.
    var sentAt = Instant.zero
    var roundTrips = IceRoundTrips()
    /// Our address as the peer saw it over this path.
    var mapped: TransportAddress?
  }

  struct ConsentCheck {
    let id: STUNTransactionID
    let sentAt: Instant
  }

  enum Phase {
    /// The peer's credentials are not known yet.
    case idle
    case checking, connected, over
  }

  var selectedPath: IcePath?
  var selectedRank = IceBase.Rank.direct
  var mappedAddress: TransportAddress?
  var isControlling = true
  var local: IceCredentials
  /// Whether candidates of either side may still come, so that running out of pairs isn't a failure yet.
  var expectsMore = false

  var remote: IceCredentials?
  var verifier: IceCheckVerifier?
  var remoteKey: STUNIntegrityKey?
  let tieBreaker: UInt64
  var random: any RandomNumberGenerator & Sendable
  var phase = Phase.idle
  var bases: [IceBase] = []
  var remotes: [IceCandidate] = []
  var pairs: [Pair] = []
  var consentChecks: [ConsentCheck] = []
  /// The round trips of the answers over the selected path, and the address of ours that they reported.
  var roundTrips = IceRoundTrips()
  var selectedMapped: TransportAddress?
  /// Whether there was a selected path before.
  var wasSelected = false
  var startedAt = Instant.zero
  var firstCheckAt = Instant.distantFuture
  var nextFirstCheckAt = Instant.distantFuture
  var nextConsentAt = Instant.distantFuture
  var consentUntil = Instant.distantFuture
  /// How often the nomination of the selected path was sent; nil when it is known to have arrived.
  var nominations: Int?
  var isDoubtful = false
  var transmissions: [IceTransmission] = []
  var events: [Event] = []

  init(local: IceCredentials, random: any RandomNumberGenerator & Sendable) {
    self.local = local
    self.random = random
    tieBreaker = self.random.next()
  }

  // MARK: Candidates to pair

  /// Starts with the peer's credentials, or starts again with new ones of both sides (RFC 8445 section 9). The selected
  /// path stays in use until one answers under the new credentials; the peer's candidates are to be added again.
  mutating func start(local: IceCredentials, remote: IceCredentials, now: Instant) {
    self.local = local
    self.remote = remote
    verifier = IceCheckVerifier(local: local, remote: remote)
    remoteKey = STUNIntegrityKey(password: remote.password.value)
    pairs = []
    remotes = []
    consentChecks = []
    nominations = nil
    isDoubtful = false
    nextConsentAt = .distantFuture
    beginChecking(now: now)
  }

  private mutating func beginChecking(now: Instant) {
    phase = .checking
    startedAt = now
    firstCheckAt = .distantFuture
    nextFirstCheckAt = now
  }

  mutating func add(_ base: IceBase, now: Instant) {
    guard !bases.contains(where: { $0.handle == base.handle && $0.address == base.address }) else { return }
    bases.append(base)
    for candidate in remotes { pair(base, candidate, now: now) }
  }

  /// Takes a usable remote candidate; false when there are too many.
  mutating func add(_ candidate: IceCandidate, now: Instant) -> Bool {
    guard remotes.count < Self.maximumRemotes else { return false }
    remotes.append(candidate)
    for base in bases { pair(base, candidate, now: now) }
    return true
  }

  private mutating func pair(_ base: IceBase, _ candidate: IceCandidate, now: Instant) {
    guard candidate.transport == .udp, let remote = candidate.transportAddress,
      remote.ip.isIPv4 == base.address.ip.isIPv4
    else { return }
    let path = IcePath(transport: .udp, local: base.address, remote: remote, handle: base.handle)
    _ = add(path, base: base, remotePriority: candidate.priority, remoteFoundation: candidate.foundation, now: now)
  }

  /// The index of the pair of a path, which is made if it is new; nil when there are as many pairs as allowed, all of
  /// them better.
  mutating func add(
    _ path: IcePath, base: IceBase?, remotePriority: UInt32, remoteFoundation: String, now: Instant
  ) -> Int? {
    if let known = pairs.firstIndex(where: { $0.path == path }) { return known }
    guard phase == .checking || phase == .connected else { return nil }
    let ours = base?.priority ?? IceCandidate.priority(kind: .host, transport: path.transport)
    let rank = base?.rank ?? (path.transport == .tcp ? .stream : .direct)
    let priority =
      isControlling
      ? IceCandidate.pairPriority(controlling: ours, controlled: remotePriority)
      : IceCandidate.pairPriority(controlling: remotePriority, controlled: ours)
    if pairs.count >= Self.maximumPairs {
      // The least of those that nothing has come of makes room (RFC 8445 section 6.1.2.5).
      let idle = pairs.indices.filter { pairs[$0].state == .frozen || pairs[$0].state == .failed }
      guard let least = idle.min(by: { pairs[$0].priority < pairs[$1].priority }), pairs[least].priority < priority
      else { return nil }
      pairs.remove(at: least)
    }
    pairs.append(
      Pair(path: path, priority: priority, rank: rank, foundation: "\(base?.foundation ?? ""):\(remoteFoundation)"))
    nextFirstCheckAt = max(nextFirstCheckAt, now)
    return pairs.count - 1
  }

  /// Forgets a socket, a relay or a stream, and the paths over it.
  mutating func remove(_ isGone: (IcePath) -> Bool, now: Instant) {
    pairs.removeAll { isGone($0.path) }
    bases.removeAll { base in
      isGone(IcePath(transport: .udp, local: base.address, remote: base.address, handle: base.handle))
    }
    guard let path = selectedPath, isGone(path) else { return }
    selectedPath = nil
    consentUntil = .distantFuture
    nextConsentAt = .distantFuture
    consentChecks = []
    nominations = nil
    events.append(.pathLost)
    if phase == .connected { checkAgain(now: now) }
  }

  /// The server of a relay refuses to send to this peer.
  mutating func refused(handle: UInt32, remote: TransportAddress) {
    for index in pairs.indices where pairs[index].path.handle == handle && pairs[index].path.remote == remote {
      pairs[index].state = .failed
    }
  }

  private mutating func checkAgain(now: Instant) {
    isDoubtful = false
    for index in pairs.indices {
      pairs[index].state = .waiting
      pairs[index].transaction = nil
    }
    beginChecking(now: now)
  }

  // MARK: Time

  var deadline: Instant {
    switch phase {
    case .over, .idle: return .distantFuture
    case .checking, .connected:
      var next = consentUntil
      if phase == .connected {
        next = min(next, nextConsentAt)
        if !isDoubtful { next = min(next, doubtAt) }
      } else {
        next = min(next, startedAt + Self.consentTimeout)
        if awaitsBetter { next = min(next, max(holdUntil, startedAt)) }
      }
      for pair in pairs where isOfInterest(pair) {
        switch pair.state {
        case .waiting, .frozen: next = min(next, nextFirstCheckAt)
        case .inProgress: next = min(next, pair.nextAt)
        case .succeeded, .failed: break
        }
      }
      return next
    }
  }

  mutating func handleTimeout(now: Instant) {
    if phase != .over && now >= consentUntil {
      consentUntil = .distantFuture
      selectedPath = nil
      events.append(.consentLost)
      // During a restart the new pairs still have their time.
      if phase == .connected { phase = .over }
    }
    switch phase {
    case .over, .idle: return
    case .connected:
      if now >= nextConsentAt { sendConsentCheck(now: now) }
      if !isDoubtful && now >= doubtAt { doubt() }
      check(now: now)
    case .checking: check(now: now)
    }
  }

  /// When a selected path that does not answer is no longer taken for the only one.
  private var doubtAt: Instant {
    consentUntil == .distantFuture ? .distantFuture : consentUntil - (Self.consentTimeout - Self.doubtInterval)
  }

  private mutating func doubt() {
    isDoubtful = true
    for index in pairs.indices where pairs[index].path != selectedPath {
      pairs[index].state = .waiting
      pairs[index].transaction = nil
    }
  }

  /// Whether a pair is worth checking: all are before one is selected, or when that one does not answer; afterwards
  /// those of a better kind.
  func isOfInterest(_ pair: Pair) -> Bool {
    switch phase {
    case .checking: true
    case .connected: pair.path != selectedPath && isControlling && (isDoubtful || pair.rank < selectedRank)
    case .idle, .over: false
    }
  }
}
