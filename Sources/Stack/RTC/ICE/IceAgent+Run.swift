public import Basics

extension IceAgent {
  // MARK: Time

  /// When ``handleTimeout(now:)`` wants to be called.
  public var deadline: Instant {
    var next = min(checks.deadline, gatherer.deadline, releaseAt)
    if wantsStreams { next = min(next, streamsAt) }
    return next
  }

  /// Lets time pass: call it at ``deadline`` or later, then take what is to send, the events and the requests.
  public mutating func handleTimeout(now: Instant) {
    gatherer.handleTimeout(now: now)
    takeGathered(now: now)
    checks.handleTimeout(now: now)
    if now >= releaseAt {
      releaseAt = .distantFuture
      let released = gatherer.release(except: checks.selectedPath)
      forget({ released.contains($0.handle) }, now: now)
      takeGathered(now: now)
    }
    update(now: now)
  }

  /// The next bytes to send, wrapped for the relay where the path is relayed; nil when there are none left.
  public mutating func pollTransmit() -> IceTransmission? {
    gatherer.outgoing.isEmpty ? nil : gatherer.outgoing.removeFirst()
  }

  /// The next event, nil when there is none left.
  public mutating func pollEvent() -> Event? { events.isEmpty ? nil : events.removeFirst() }

  /// The next thing that is wanted of the owner, nil when there is none left.
  public mutating func pollRequest() -> IceRequest? {
    guard !requests.isEmpty else { return nil }
    let request = requests.removeFirst()
    if case .openStream(let stream) = request, let index = streams.firstIndex(where: { $0.id == stream.id }) {
      streams[index].isAskedFor = true
    }
    return request
  }

  /// Sends a packet of the connection's own, such as DTLS, over a path; relayed ones come wrapped out of
  /// ``pollTransmit()``.
  mutating func send(_ bytes: [UInt8], over path: IcePath, now: Instant) {
    if path.isRelayed {
      gatherer.send(bytes, over: path, now: now)
    } else {
      gatherer.outgoing.append(IceTransmission(path: path, bytes: bytes))
    }
  }

  /// Releases every allocation: one more datagram for each, to be polled.
  mutating func close() { _ = gatherer.release(except: nil) }

  // MARK: Receiving

  /// A packet from a TURN server, without its wrapper; see ``receiveFromServer(_:path:now:)``.
  struct Relayed {
    let payload: Range<Int>
    let path: IcePath
  }

  /// Takes a packet that may be a STUN or TURN server's.
  /// - Returns: nil when it is none of theirs; else the packet inside, if there is one.
  mutating func receiveFromServer(_ packet: Span<UInt8>, path: IcePath, now: Instant) -> Relayed?? {
    guard !path.isRelayed else { return nil }
    let (input, relay) = gatherer.receive(packet, path: path, now: now)
    switch input {
    case .ignored: return nil
    case .handled:
      takeGathered(now: now)
      return .some(nil)
    case .data(let payload, let peer):
      guard let address = gatherer.relays[relay].client.relayedAddress else { return .some(nil) }
      return Relayed(
        payload: payload,
        path: IcePath(
          transport: .udp, local: address, remote: peer, handle: IceGatherer.handle(ofRelay: relay)))
    }
  }

  /// Takes one datagram (or frame) that looks like STUN: an answer of a server or to a check of ours, or a check of the
  /// peer's. Packets that a TURN server relays are taken apart here when they hold STUN in turn; whoever wants the
  /// others uses ``PeerConnection``.
  ///
  /// - Returns: nil when it was taken, else why it was ignored.
  @discardableResult
  public mutating func receive(_ datagram: Span<UInt8>, path: IcePath, now: Instant) -> IceIgnoredReason? {
    if let taken = receiveFromServer(datagram, path: path, now: now) {
      guard let inner = taken else { return nil }
      return receiveCheck(datagram.extracting(inner.payload), path: inner.path, now: now)
    }
    return receiveCheck(datagram, path: path, now: now)
  }

  /// Takes STUN of the peer's.
  mutating func receiveCheck(_ datagram: Span<UInt8>, path: IcePath, now: Instant) -> IceIgnoredReason? {
    let message: STUNMessage
    do { message = try STUNMessage(parsing: datagram) } catch { return .malformed(error) }
    guard message.method == .binding else { return .notForUs }
    // With a policy of relays only, no answer may reveal our address to the peer.
    guard policy == .all || path.isRelayed else { return .notForUs }
    let ignored: IceIgnoredReason?
    switch message.messageClass {
    case .request: ignored = checks.receiveRequest(message, path: path, now: now)
    case .indication: return .notForUs
    case .successResponse, .errorResponse: ignored = checks.receiveResponse(message, path: path, now: now)
    }
    update(now: now)
    return ignored
  }

  // MARK: Names and streams

  /// Answers ``IceRequest/resolve(name:)``; without addresses the server is not used.
  public mutating func nameResolved(_ name: String, addresses: [IPAddress], now: Instant) {
    gatherer.resolved(name, addresses, now: now)
    takeGathered(now: now)
  }

  /// Answers ``IceRequest/openStream(_:)``: the connection, TLS included, is there.
  public mutating func streamOpened(
    _ request: UInt32, handle: UInt32, local: TransportAddress, remote: TransportAddress, now: Instant
  ) {
    let path = IcePath(transport: .tcp, local: local, remote: remote, handle: handle)
    if let index = streams.firstIndex(where: { $0.id == request }) {
      let candidate = streams.remove(at: index).candidate
      if check(candidate, local: local, handle: handle, now: now) == nil {
        requests.append(.closeStream(handle: handle))
      }
    } else if !gatherer.streamOpened(request, path: path, now: now) {
      requests.append(.closeStream(handle: handle))
    }
    takeGathered(now: now)
  }

  /// Answers ``IceRequest/openStream(_:)``: it could not be opened.
  public mutating func streamFailed(_ request: UInt32, now: Instant) {
    if let index = streams.firstIndex(where: { $0.id == request }) {
      streams.remove(at: index)
    } else {
      _ = gatherer.streamFailed(request, now: now)
    }
    takeGathered(now: now)
  }

  /// A stream that was opened is over.
  public mutating func streamClosed(_ handle: UInt32, now: Instant) {
    gatherer.streamClosed(handle, now: now)
    forget({ $0.transport == .tcp && $0.handle == handle }, now: now)
    takeGathered(now: now)
  }

  /// Whether a TCP connection to the peer would be better than what there is.
  private var wantsStreams: Bool {
    guard !streamCandidates.isEmpty else { return false }
    return checks.phase == .checking || (checks.phase == .connected && checks.selectedRank > .stream)
  }

  private mutating func openStreams(now: Instant) {
    guard wantsStreams else { return }
    let mayBeDirect = checks.pairs.contains { $0.rank == .direct && $0.state != .failed }
    guard now >= streamsAt || !mayBeDirect else { return }
    for candidate in streamCandidates
    where !checks.pairs.contains(where: { pair in
      pair.path.transport == .tcp && pair.path.remote == candidate.transportAddress
    }) {
      let id = nextStream
      nextStream &+= 1
      streams.append(PendingStream(id: id, candidate: candidate))
      requests.append(
        .openStream(
          IceStreamRequest(id: id, host: candidate.host, port: candidate.port, security: .none, framing: .length)))
    }
    streamCandidates = []
    streamsAt = .distantFuture
  }

  // MARK: Inside

  /// Carries what the gatherer found over to the checks.
  mutating func takeGathered(now: Instant) {
    while !gatherer.events.isEmpty {
      switch gatherer.events.removeFirst() {
      case .candidate(let candidate, let base):
        if let base { checks.add(base, now: now) }
        if candidate.transportAddress?.ip.isUnspecified == false { events.append(.localCandidate(candidate)) }
      case .relayFailed(let handle, let url, let error):
        forget({ $0.handle == handle }, now: now)
        events.append(.serverFailed(url: url, error))
      case .stunFailed(let url, let error): events.append(.serverFailed(url: url, error))
      case .peerRefused(let handle, let peer): checks.refused(handle: handle, remote: peer)
      case .encapsulationChanged: break
      }
    }
    update(now: now)
  }

  /// Brings everything up to date after any change.
  mutating func update(now: Instant) {
    openStreams(now: now)
    checks.expectsMore = !gatherer.isComplete || !isRemoteComplete || streams.contains(where: \.isAskedFor)
    if checks.phase == .checking, !checks.expectsMore, !checks.pairs.isEmpty,
      checks.pairs.allSatisfy({ $0.state == .failed })
    {
      checks.check(now: now)
    }
    while !checks.events.isEmpty { take(checks.events.removeFirst(), now: now) }
    while !checks.transmissions.isEmpty {
      let transmission = checks.transmissions.removeFirst()
      send(transmission.bytes, over: transmission.path, now: now)
    }
    requests += gatherer.requests
    gatherer.requests = []
    if !saidComplete && gatherer.isComplete {
      saidComplete = true
      events.append(.gatheringComplete)
    } else if saidComplete && !gatherer.isComplete {
      saidComplete = false
    }
  }

  private mutating func take(_ event: IceCheckList.Event, now: Instant) {
    switch event {
    case .selected(let path):
      if path.isRelayed { gatherer.bindChannel(for: path, now: now) }
      releaseAt = now + Self.relayRelease
      events.append(.selected(path))
    case .pathLost:
      releaseAt = .distantFuture
      events.append(.pathLost)
      gatherer.renew(now: now)
      takeGathered(now: now)
    case .consentLost: events.append(.consentLost)
    case .failed: events.append(.failed)
    case .reflexive(let address, let path): addPeerReflexive(address, path)
    }
  }

  /// Adds an address of ours that the peer saw and no server reported (RFC 8445 section 7.2.5.3.1). It isn't sent to
  /// the peer, which knows it; ``localCandidates`` lists it.
  private mutating func addPeerReflexive(_ address: TransportAddress, _ path: IcePath) {
    guard gatherer.candidates.count < 64, !gatherer.candidates.contains(where: { $0.transportAddress == address })
    else {
      return
    }
    gatherer.candidates.append(
      IceCandidate(
        foundation: gatherer.foundation("p", path.local.ip, path.remote.ip), component: 1, transport: path.transport,
        priority: IceCandidate.priority(kind: .peerReflexive, transport: path.transport), host: .ip(address.ip),
        port: address.port, kind: .peerReflexive, tcpType: path.transport == .tcp ? .active : nil,
        relatedAddress: path.local))
  }
}
