public import Basics

// MARK: - The server's side

extension PeerConnection {
  /// Reads a client's offer, the first or a later one, and makes the answer. New tracks and slots, stopped sections and
  /// ICE restarts all come this way; afterwards ``media`` holds what is agreed.
  /// - Returns: The answer's text.
  /// - Throws: ``PeerConnectionError``; then nothing has changed.
  public func setRemoteOffer(_ offer: String, now: Instant) throws(PeerConnectionError) -> String {
    guard !isClosed else { throw .closed }
    guard role == .server else { throw .wrongRole(expected: .server) }
    let accepted: AcceptedOffer
    do throws(SDPError) {
      accepted = try negotiation.accept(SessionDescription(parsing: offer), using: &random)
    } catch { throw .description(error) }

    if let transport = accepted.transport {
      try makeAssociation(.server, transport)
      if lite == nil {
        lite = IceLiteAgent(local: local, remote: transport.ice, now: now)
      } else if accepted.restartsIce {
        local = IceCredentials.random(using: &random)
        lite?.restart(remote: transport.ice, newLocal: local, now: now)
      }
      remote = transport
      // A server waits for checks and looks at none of them; these it has not even read.
      unusedCandidates.count(.unreadable, transport.unreadableCandidates)
      unusedCandidates.count(.tooMany, transport.surplusCandidates)
    }
    negotiation = accepted.negotiation
    media = accepted.media
    rejected = accepted.rejected
    setDataChannels(accepted.dataChannels, now: now)
    takeIceEvents()
    return accepted.makeAnswer(
      local: parameters(local, setup: .passive, candidates: serverCandidates, isIceLite: true)
    ).text
  }
}

// MARK: - The client's side

extension PeerConnection {
  /// Adds a track that this side sends; it is part of the next offer. See
  /// ``OfferBuilder/addTrack(_:codecs:streamID:rids:using:)``.
  public func addTrack(
    _ kind: MediaKind, codecs: [Codec]? = nil, streamID: String? = nil, rids: [RID] = []
  ) -> MID {
    offers.addTrack(kind, codecs: codecs, streamID: streamID, rids: rids, using: &random)
  }

  /// Adds a receive slot; it is part of the next offer.
  public func addSlot(_ kind: MediaKind, codecs: [Codec]? = nil) -> MID {
    offers.addSlot(kind, codecs: codecs)
  }

  /// Adds the section of data channels, of which there is one at most; it is part of the next offer. See
  /// ``openDataChannel(_:now:)``.
  @discardableResult
  public func addDataChannels() -> MID { offers.addDataChannels() }

  /// Stops a track or slot with the next offer.
  public func stop(_ mid: MID) throws(PeerConnectionError) {
    do throws(SDPError) { try offers.stop(mid) } catch { throw .description(error) }
  }

  /// Makes an offer of all tracks and slots.
  /// - Parameter restartsIce: Whether to offer new ICE credentials, after ``PeerConnectionEvent/iceConsentLost`` or a
  ///   change of network.
  public func createOffer(restartsIce: Bool = false) throws(PeerConnectionError) -> String {
    guard !isClosed else { throw .closed }
    guard role == .client else { throw .wrongRole(expected: .client) }
    let credentials = restartsIce ? IceCredentials.random(using: &random) : offered ?? local
    offered = credentials
    return offers.offer(
      local: parameters(
        credentials, setup: .actpass, candidates: localCandidates.filter { $0.kind != .peerReflexive },
        isComplete: isGatheringComplete)
    ).text
  }

  /// Reads the answer to the last offer and starts, or restarts, ICE towards the candidates in it.
  public func setAnswer(_ answer: String, now: Instant) throws(PeerConnectionError) {
    guard !isClosed else { throw .closed }
    guard role == .client else { throw .wrongRole(expected: .client) }
    var offers = self.offers
    let accepted: AcceptedAnswer
    do throws(SDPError) {
      accepted = try offers.apply(SessionDescription(parsing: answer))
    } catch { throw .description(error) }

    let transport = accepted.transport
    try makeAssociation(transport.setup == .passive ? .client : .server, transport)
    let credentials = offered ?? local
    if remote == nil {
      agent?.setRemote(transport.ice, now: now)
      takeCandidates(of: transport, now: now)
    } else if credentials != local || transport.ice != remote?.ice {
      // A server that has new credentials without having been asked answers no check under the old ones any more.
      agent?.restart(local: credentials, remote: transport.ice, now: now)
      takeCandidates(of: transport, now: now)
    }
    self.offers = offers
    local = credentials
    offered = nil
    remote = transport
    media = accepted.media
    setDataChannels(accepted.dataChannels, now: now)
    takeIceEvents()
  }

  /// The peer's candidates from the last answer.
  public var remoteCandidates: [IceCandidate] { remote?.candidates ?? [] }

  private func takeCandidates(of transport: TransportParameters, now: Instant) {
    agent?.isRemoteComplete = transport.hasEndOfCandidates
    agent?.countIgnored(transport)
    for candidate in transport.candidates { agent?.addRemoteCandidate(candidate, now: now) }
    agent?.update(now: now)
  }
}

// MARK: - Both

extension PeerConnection {
  private func parameters(
    _ ice: IceCredentials, setup: SetupRole, candidates: [IceCandidate] = [], isComplete: Bool = true,
    isIceLite: Bool = false
  ) -> TransportParameters {
    let fingerprint = configuration.dtls.certificate.fingerprint
    return TransportParameters(
      ice: ice,
      fingerprints: [
        FingerprintAttribute(algorithm: fingerprint.algorithm.rawValue, digest: fingerprint.bytes)
      ], setup: setup, candidates: candidates, hasEndOfCandidates: isComplete, isIceLite: isIceLite)
  }

  private func makeAssociation(_ role: DTLSRole, _ transport: TransportParameters) throws(PeerConnectionError) {
    guard dtls == nil else { return }
    let fingerprints = transport.fingerprints.compactMap { attribute in
      Fingerprint.Algorithm(rawValue: attribute.algorithm).flatMap {
        Fingerprint(algorithm: $0, bytes: attribute.digest)
      }
    }
    do throws(DTLSSetupError) {
      dtls = try DTLSTransport(
        context: configuration.dtls, role: role, remoteFingerprints: fingerprints, mtu: configuration.mtu,
        timing: configuration.dtlsTiming)
    } catch { throw .dtls(error) }
  }
}
