public import Basics

extension IceAgent {
  /// The agent's state, as the W3C's `RTCIceTransportState`.
  public var state: IceTransportState {
    switch checks.phase {
    case .idle: .new
    case .over: .failed
    case .checking: checks.selectedPath != nil ? .connected : checks.wasSelected ? .disconnected : .checking
    case .connected:
      checks.isDoubtful || checks.selectedPath == nil
        ? .disconnected : checks.expectsMore || checks.hasOpenChecks ? .connected : .completed
    }
  }

  /// The pair of candidates behind ``selectedPath``; nil while there is none.
  /// `told` are the candidates in the peer's description.
  func selectedCandidatePair(told: [IceCandidate]) -> IceCandidatePair? {
    guard let path = selectedPath else { return nil }
    let relay = gatherer.relay(of: path).map { gatherer.servers[gatherer.relays[$0].server].url }
    return IceCandidatePair(
      local: localCandidate(of: path), remote: remoteCandidate(of: path, told: told), relayProtocol: relay?.transport,
      relayURL: relay?.text, currentRoundTripTime: checks.roundTrips.current,
      totalRoundTripTime: checks.roundTrips.total, responsesReceived: checks.roundTrips.count)
  }

  private func localCandidate(of path: IcePath) -> IceCandidate {
    // A relayed path leaves from the relayed address, whatever the peer sees.
    let address = path.isRelayed ? path.local : checks.selectedMapped ?? path.local
    let known = localCandidates.filter {
      $0.transportAddress == address && $0.transport == path.transport && ($0.kind == .relayed) == path.isRelayed
    }
    // A server may have reported an address after the peer's answer did.
    if let best = known.first(where: { $0.kind != .peerReflexive }) ?? known.first { return best }
    var candidate = IceCandidate.host(path.local, transport: path.transport, tcpType: .active)
    if path.isRelayed { candidate.kind = .relayed }
    return candidate
  }

  private func remoteCandidate(of path: IcePath, told: [IceCandidate]) -> IceCandidate {
    func isIt(_ candidate: IceCandidate) -> Bool {
      candidate.transportAddress == path.remote && candidate.transport == path.transport
    }
    return checks.remotes.first(where: isIt) ?? told.first(where: isIt)
      ?? IceCandidate(
        foundation: "", component: 1, transport: path.transport,
        priority: IceCandidate.priority(kind: .peerReflexive, transport: path.transport), host: .ip(path.remote.ip),
        port: path.remote.port, kind: .peerReflexive, tcpType: path.transport == .tcp ? .passive : nil,
        relatedAddress: nil)
  }
}

extension IceCheckList {
  /// Whether a pair is left whose check may change which one is selected.
  var hasOpenChecks: Bool {
    pairs.contains {
      isOfInterest($0) && ($0.state == .frozen || $0.state == .waiting || $0.state == .inProgress)
    }
  }
}

extension PeerConnection {
  /// The state of ICE. On the server, which is ICE-lite, a path that a client nominated counts as `connected`.
  public var iceState: IceTransportState {
    if isClosed { return .closed }
    if let agent { return agent.state }
    guard remote != nil else { return .new }
    return selectedPath != nil ? .connected : isConsentLost ? .disconnected : .checking
  }

  public var dtlsState: DTLSTransportState {
    if isClosed { return .closed }
    return switch dtls?.state {
    case nil, .idle?: .new
    case .handshaking?: .connecting
    case .connected?: .connected
    case .closed?: .closed
    case .failed?: .failed
    }
  }

  /// The pair of candidates that media goes over, on the client; nil without a selected path, and on the server.
  public var selectedCandidatePair: IceCandidatePair? { agent?.selectedCandidatePair(told: remoteCandidates) }

  /// That pair's ``IceCandidatePair/currentRoundTripTime`` by itself, which costs nothing to ask for with every packet.
  public var currentRoundTripTime: TimeSpan? { agent?.selectedPath == nil ? nil : agent?.checks.roundTrips.current }
}
