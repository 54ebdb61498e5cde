public import Basics

/// A full ICE agent (RFC 8445): gathers host, server-reflexive and relayed candidates, pairs them with the peer's,
/// checks the pairs, nominates one and keeps its consent (RFC 7675). ``PeerConnection`` in the client role is built on
/// it.
///
///     agent.startGathering(now: now)
///     agent.setRemote(credentials, now: now)
///     for candidate in answer.candidates { agent.addRemoteCandidate(candidate, now: now) }
///     loop: while let t = agent.pollTransmit() { send(t) }
///           while let e = agent.pollEvent() { … }
///           while let r = agent.pollRequest() { … }
///           wait until agent.deadline or a datagram; handleTimeout(now:) or receive(_:path:now:)
///
/// It starts as controlling and becomes controlled when a role conflict says so (RFC 8445 section 7.2.5.1).
///
/// Towards an ICE-lite server the first direct UDP path that answers is selected at once, a round trip after the first
/// check. TCP and relayed paths wait for direct ones that may still answer, at most ``relayHoldback`` from the first
/// check. A better kind of path that answers later takes over. TURN allocations that the selected path does not need
/// are released after ``relayRelease``.
public struct IceAgent {
  /// Wait before a check is sent again the first time; doubles each time (RFC 8445 section 14.3 asks 500 ms of paths
  /// that nothing is known about; a server answers within a round trip, and a lost first check should not cost half a
  /// second).
  public static let initialRTO = IceCheckList.initialRTO
  /// How often one check is sent before its pair counts as failed (RFC 8489 section 6.2.1, Rc).
  public static let maximumTransmissions = IceCheckList.maximumTransmissions
  /// The distance between first checks of different pairs (RFC 8445 section 14.2, Ta).
  public static let pacing = IceCheckList.pacing
  /// How often consent is renewed on average, varied by 0.8 to 1.2 (RFC 7675 section 5.1).
  public static let consentInterval = IceCheckList.consentInterval
  /// How long a consent check may stay unanswered before the next one, likewise varied. With one in 5 s alone, a path
  /// that loses a fifth each way would lose consent every half an hour.
  public static let consentRetryInterval = IceCheckList.consentRetryInterval
  /// How long the selected path may be used after the last authentic response (RFC 7675 section 5.1).
  public static let consentTimeout = IceCheckList.consentTimeout
  /// After this long without an answer over the selected path the others are checked again, and the first that answers
  /// takes its place.
  public static let doubtInterval = IceCheckList.doubtInterval
  /// How long after the first check a path through TURN or over TCP waits for a direct one that may still answer.
  public static let relayHoldback = IceCheckList.relayHoldback
  /// How long direct UDP paths have before streams to the peer's passive TCP candidates are asked for.
  public static let streamDelay = TimeSpan.milliseconds(100)
  /// How long after a path was selected allocations that it does not use are kept.
  public static let relayRelease = TimeSpan.seconds(10)
  /// How many pairs are tried; worse ones beyond are ignored (RFC 8445 section 6.1.2.5).
  public static let maximumPairs = IceCheckList.maximumPairs
  /// How many TCP connections to the peer's passive candidates are asked for (RFC 6544).
  public static let maximumStreams = 4

  public enum Event: Hashable, Sendable {
    /// This path answered and is nominated: send over it from now on.
    case selected(IcePath)
    /// The socket, stream or relay of the selected path is gone; the other pairs are being checked.
    case pathLost
    /// The selected path did not answer for ``IceAgent/consentTimeout``: send nothing any more.
    case consentLost
    /// Every pair failed, or none answered within ``IceAgent/consentTimeout`` of the start.
    case failed
    /// A new candidate of ours, to be sent to the peer.
    case localCandidate(IceCandidate)
    /// No more candidates of ours will come.
    case gatheringComplete
    /// A STUN or TURN server gives us nothing, or no longer.
    case serverFailed(url: String, TurnError)
  }

  var checks: IceCheckList
  var gatherer: IceGatherer
  let policy: IceTransportPolicy
  var streams: [PendingStream] = []
  var streamCandidates: [IceCandidate] = []
  var streamsAt = Instant.distantFuture
  var releaseAt = Instant.distantFuture
  var nextStream: UInt32 = 0x4000_0000
  var events: [Event] = []
  var requests: [IceRequest] = []
  var saidComplete = false
  /// Counts of the peer's candidates that were ignored, by reason.
  public internal(set) var ignoredCandidates = IgnoredCandidateCounts()
  /// Whether the peer has no more candidates to send. Until then running out of pairs isn't a failure.
  public var isRemoteComplete = true

  /// A TCP connection to the peer that was asked for.
  struct PendingStream {
    let id: UInt32
    let candidate: IceCandidate
    /// Whether somebody has taken the request.
    var isAskedFor = false
  }

  /// An agent that does nothing yet.
  ///
  /// - Parameters:
  ///   - local: The credentials in our description.
  ///   - sockets: The UDP sockets to use; more may come later.
  ///   - servers: STUN and TURN servers.
  ///   - policy: Whether paths that do not go through a TURN server are allowed.
  ///   - allocationLifetime: The lifetime to ask TURN servers for; their own default without it.
  ///   - random: Transaction ids, the tie-breaker and the spread of consent checks come from it. Leave it out except in
  ///     tests, because ids should not be guessable.
  public init(
    local: IceCredentials, sockets: [PeerConnectionConfiguration.Socket] = [], servers: [IceServer] = [],
    policy: IceTransportPolicy = .all, allocationLifetime: TimeSpan? = nil,
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    var random = random
    gatherer = IceGatherer(
      servers: servers, policy: policy, allocationLifetime: allocationLifetime, random: &random)
    checks = IceCheckList(local: local, random: random)
    self.policy = policy
    for socket in sockets { gatherer.add(socket, now: .zero) }
  }

  // MARK: Reading

  /// The path to send over, nil before the first answer and after consent is lost.
  public var selectedPath: IcePath? { checks.selectedPath }
  /// Our address as the peer saw it in the last answer: behind a NAT it differs from the local one.
  public var mappedAddress: TransportAddress? { checks.mappedAddress }
  /// Whether this side nominates; false after a role conflict was lost.
  public var isControlling: Bool { checks.isControlling }
  /// Our credentials in the newest description.
  public var local: IceCredentials { checks.local }
  /// Our candidates so far, peer-reflexive ones included.
  public var localCandidates: [IceCandidate] { gatherer.candidates }
  /// Whether no more candidates of ours will come.
  public var isGatheringComplete: Bool { gatherer.isComplete }
  /// Gives the servers other credentials, for allocations from now on.
  public mutating func setCredentials(of servers: [IceServer]) { gatherer.setCredentials(servers) }
  /// The servers' URLs that are not used.
  public var ignoredServers: [IgnoredIceServer] { gatherer.ignored }

  /// Whether the peer has answered a check over `path`: it may send over any such path, not only the selected one.
  public func isProven(_ path: IcePath) -> Bool {
    checks.phase != .over
      && (path == checks.selectedPath || checks.pairs.contains { $0.state == .succeeded && $0.path == path })
  }

  /// How packets for a path leave; nil when it is relayed and the relay is gone or has no permission for the peer.
  public func route(of path: IcePath) -> IceRoute? {
    path.isRelayed ? gatherer.route(of: path) : IceRoute(direct: path)
  }

  // MARK: Both sides' descriptions

  /// Starts to gather candidates; with sockets alone they are there at once. ``setRemote(_:now:)`` does it too.
  public mutating func startGathering(now: Instant) {
    gatherer.start(now: now)
    takeGathered(now: now)
  }

  /// Takes the credentials in the peer's description, and begins.
  public mutating func setRemote(_ remote: IceCredentials, now: Instant) {
    begin(local: checks.local, remote: remote, now: now)
    startGathering(now: now)
  }

  /// Applies new credentials of both sides (RFC 8445 section 9); add the peer's candidates again afterwards. The
  /// selected path stays in use until a path answers under the new credentials. Allocations that still live are used
  /// again; failed and released ones are asked for again.
  public mutating func restart(local: IceCredentials, remote: IceCredentials, now: Instant) {
    begin(local: local, remote: remote, now: now)
    gatherer.renew(now: now)
    takeGathered(now: now)
  }

  private mutating func begin(local: IceCredentials, remote: IceCredentials, now: Instant) {
    streams = []
    streamCandidates = []
    streamsAt = .distantFuture
    releaseAt = .distantFuture
    checks.start(local: local, remote: remote, now: now)
  }

  /// Takes one of the peer's candidates, at any time after ``setRemote(_:now:)``. UDP candidates are paired with every
  /// socket and relayed address; for passive TCP candidates streams are asked for when no direct path has been found
  /// after ``streamDelay``.
  /// - Returns: nil when it is used, else why not; that is counted in ``ignoredCandidates``.
  @discardableResult
  public mutating func addRemoteCandidate(_ candidate: IceCandidate, now: Instant) -> IceCandidateIgnored? {
    if let reason = take(candidate, now: now) {
      ignoredCandidates.count(reason)
      return reason
    }
    return nil
  }

  private mutating func take(_ candidate: IceCandidate, now: Instant) -> IceCandidateIgnored? {
    if let reason = IceCandidateIgnored(candidate) { return reason }
    func isSame(_ other: IceCandidate) -> Bool {
      other.transportAddress == candidate.transportAddress
    }
    guard candidate.transport == .tcp else {
      if checks.remotes.contains(where: isSame) { return .duplicate }
      return checks.add(candidate, now: now) ? nil : .tooMany
    }
    if streamCandidates.contains(where: isSame) { return .duplicate }
    guard streamCandidates.count < Self.maximumStreams else { return .tooMany }
    guard policy == .all else { return nil }
    streamCandidates.append(candidate)
    streamsAt = min(streamsAt, now + Self.streamDelay)
    return nil
  }

  /// Counts the candidates of a description that are not among those that are looked at.
  mutating func countIgnored(_ transport: TransportParameters) {
    ignoredCandidates.count(.unreadable, transport.unreadableCandidates)
    ignoredCandidates.count(.tooMany, transport.surplusCandidates)
  }

  /// The peer has no more candidates (RFC 8838 section 14).
  public mutating func endOfRemoteCandidates(now: Instant) {
    isRemoteComplete = true
    update(now: now)
  }

  // MARK: Sockets

  /// Adds a UDP socket, after a change of network. Pairs over it are checked at once where there is no selected path,
  /// and as soon as that is in doubt or lost where there is one.
  public mutating func addSocket(_ socket: PeerConnectionConfiguration.Socket, now: Instant) {
    gatherer.add(socket, now: now)
    takeGathered(now: now)
  }

  /// Forgets a UDP socket, and the relays that were reached over it. If the selected path went over it, the others are
  /// checked again.
  public mutating func removeSocket(_ socket: PeerConnectionConfiguration.Socket, now: Instant) {
    gatherer.remove(socket)
    forget({ $0.transport == .udp && $0.handle == socket.handle && $0.local == socket.address }, now: now)
    takeGathered(now: now)
  }

  /// Has a path checked that is not of the sockets: a stream that was opened to one of the peer's candidates.
  ///
  /// - Parameters:
  ///   - local: The address of the connection.
  ///   - handle: The owner's number of it.
  /// - Returns: The path that will be checked; nil for a candidate that cannot be used, is of the other address family,
  ///   is one too many, or where only relayed paths are allowed.
  @discardableResult
  public mutating func check(
    _ candidate: IceCandidate, local: TransportAddress, handle: UInt32 = 0, now: Instant
  ) -> IcePath? {
    guard policy == .all, IceCandidateIgnored(candidate) == nil, let remote = candidate.transportAddress,
      remote.ip.isIPv4 == local.ip.isIPv4
    else { return nil }
    let path = IcePath(transport: candidate.transport, local: local, remote: remote, handle: handle)
    let index = checks.add(
      path, base: nil, remotePriority: candidate.priority, remoteFoundation: candidate.foundation, now: now)
    return index == nil ? nil : path
  }

  mutating func forget(_ isGone: (IcePath) -> Bool, now: Instant) {
    checks.remove(isGone, now: now)
  }
}
