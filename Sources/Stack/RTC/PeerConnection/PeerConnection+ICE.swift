public import Basics

// MARK: - What a client's ICE needs of whoever does the I/O

extension PeerConnection {
  /// Starts to gather candidates before there is an answer, so that offers hold them. ``setAnswer(_:now:)`` does it
  /// otherwise.
  public func startGathering(now: Instant) {
    guard !isClosed else { return }
    agent?.startGathering(now: now)
    takeIceEvents()
  }

  /// This side's candidates so far, the newest last; each new one comes as
  /// ``PeerConnectionEvent/iceLocalCandidate(_:)`` too.
  public var localCandidates: [IceCandidate] { agent?.localCandidates ?? [] }

  /// Whether no more candidates of this side will come.
  public var isGatheringComplete: Bool { agent?.isGatheringComplete ?? true }

  /// Gives servers of ``PeerConnectionConfiguration/iceServers`` other credentials: allocations from now on, as after
  /// an ICE restart, are made with them. Servers that were not named there are left out.
  public func setCredentials(of servers: [IceServer]) { agent?.setCredentials(of: servers) }

  /// The URLs of ``PeerConnectionConfiguration/iceServers`` that are not used, and why.
  public var ignoredIceServers: [IgnoredIceServer] { agent?.ignoredServers ?? [] }

  /// The peer's candidates that are not used, by reason.
  public var ignoredCandidates: IgnoredCandidateCounts { agent?.ignoredCandidates ?? unusedCandidates }

  /// Replaces ``PeerConnectionConfiguration/candidates`` in a server's answers from now on: addresses come and go.
  public func setLocalCandidates(_ candidates: [IceCandidate]) { serverCandidates = candidates }

  /// The next thing that ICE wants done outside, a name resolved or a stream opened or closed; nil when there is none.
  /// Poll after every call, as with ``pollTransmit()``.
  public func pollIceRequest() -> IceRequest? { agent?.pollRequest() }

  /// Answers ``IceRequest/resolve(name:)``: the addresses of a host, or none.
  public func nameResolved(_ name: String, addresses: [IPAddress], now: Instant) {
    agent?.nameResolved(name, addresses: addresses, now: now)
    takeIceEvents()
  }

  /// Answers ``IceRequest/openStream(_:)``: the connection is there, with its TLS handshake done if TLS was asked for.
  /// Cut its bytes by a ``FramedStream`` of the request's framing and give them to ``receive(_:path:now:)``, with a
  /// path of `.tcp` and these addresses.
  /// - Parameters:
  ///   - request: The request's ``IceStreamRequest/id``.
  ///   - handle: The owner's number for the stream, not that of any other socket or stream of this connection, below
  ///     ``IcePath/firstRelayHandle``.
  ///   - local: The stream's own address.
  ///   - remote: The address it is connected to.
  public func streamOpened(
    _ request: UInt32, handle: UInt32, local: TransportAddress, remote: TransportAddress, now: Instant
  ) {
    agent?.streamOpened(request, handle: handle, local: local, remote: remote, now: now)
    takeIceEvents()
  }

  /// Answers ``IceRequest/openStream(_:)``: the connection could not be opened, or its certificate is not right.
  public func streamFailed(_ request: UInt32, now: Instant) {
    agent?.streamFailed(request, now: now)
    takeIceEvents()
  }

  /// A stream that was opened has ended.
  public func streamClosed(_ handle: UInt32, now: Instant) {
    agent?.streamClosed(handle, now: now)
    takeIceEvents()
  }

  /// Adds a UDP socket after the start, for a network that has come up. See ``IceAgent/addSocket(_:now:)``.
  public func addSocket(_ socket: PeerConnectionConfiguration.Socket, now: Instant) {
    agent?.addSocket(socket, now: now)
    takeIceEvents()
  }

  /// Forgets a UDP socket whose network is gone; other paths are checked when the selected one went over it.
  public func removeSocket(_ socket: PeerConnectionConfiguration.Socket, now: Instant) {
    agent?.removeSocket(socket, now: now)
    takeIceEvents()
  }

  /// Adds a candidate that the peer has sent after its description (RFC 8838). Before the answer and on the server it
  /// is ignored.
  /// - Returns: nil when it is used, otherwise the reason; it is counted in ``ignoredCandidates``.
  @discardableResult
  public func addRemoteCandidate(_ candidate: IceCandidate, now: Instant) -> IceCandidateIgnored? {
    guard remote != nil else { return .unusableAddress }
    let ignored = agent?.addRemoteCandidate(candidate, now: now)
    takeIceEvents()
    return ignored
  }

  /// The peer has no more candidates to send (RFC 8838 section 14).
  public func endOfRemoteCandidates(now: Instant) {
    agent?.endOfRemoteCandidates(now: now)
    takeIceEvents()
  }

  /// Has a path checked that was not asked for by ``pollIceRequest()``: a TCP connection that was opened to one of
  /// ``remoteCandidates``. Call it again after an ICE restart.
  /// - Returns: The path, or nil when the candidate cannot be used.
  @discardableResult
  public func check(
    _ candidate: IceCandidate, local: TransportAddress, handle: UInt32, now: Instant
  ) -> IcePath? {
    agent?.check(candidate, local: local, handle: handle, now: now)
  }
}

// MARK: - How packets leave

extension PeerConnection {
  /// How media leaves: over which socket or stream, to which address, and what stands around each packet. Nil without a
  /// selected path. It may change after any call that lets the connection work; reading it costs a copy of 100 bytes.
  public var selectedRoute: IceRoute? {
    guard let path = selectedPath else { return nil }
    return path.isRelayed ? relayRoute : IceRoute(direct: path)
  }

  /// Puts around a packet what its route asks for, copying it. Media paths that write packets themselves leave room
  /// instead, see ``IceRoute/seal(payloadLength:in:)``.
  /// - Returns: How many bytes of `output` are to be sent to ``IceRoute/remote`` over ``IceRoute/handle``; nil when it
  ///   does not fit.
  public func encapsulate(
    _ packet: Span<UInt8>, route: IceRoute, into output: inout MutableSpan<UInt8>
  ) -> Int? {
    route.encapsulate(packet, into: &output)
  }
}
