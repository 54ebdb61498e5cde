internal import Basics

// MARK: - Answers to our checks

extension IceCheckList {
  mutating func receiveResponse(
    _ message: borrowing STUNMessage, path: IcePath, now: Instant
  ) -> IceIgnoredReason? {
    // The answer must come back over the very path of the check (RFC 8445 section 7.2.5.2.1).
    let pair = pairs.firstIndex { $0.transaction == message.transactionID && $0.path == path }
    let consent = path == selectedPath ? consentChecks.firstIndex { $0.id == message.transactionID } : nil
    guard let remoteKey, pair != nil || consent != nil else { return .notForUs }
    guard message.hasIntegrity else { return .missingIntegrity }
    guard message.fingerprint != .invalid else { return .wrongFingerprint }
    guard message.isAuthentic(remoteKey) else { return .wrongIntegrity }

    let consentSent = consent.map { consentChecks.remove(at: $0).sentAt }
    if let pair { pairs[pair].transaction = nil }
    if message.messageClass == .errorResponse {
      receiveError(message.errorCode, pair: pair, isConsent: consent != nil, now: now)
      return nil
    }
    guard message.unknownRequiredCount == 0, let mapped = message.xorMappedAddress else {
      if let pair { pairs[pair].state = .failed }
      return nil
    }
    if mapped != mappedAddress {
      mappedAddress = mapped
      if mapped != path.local { events.append(.reflexive(mapped, path: path)) }
    }
    if let pair {
      pairs[pair].mapped = mapped
      // Of a check that was sent twice nobody knows which one is answered.
      if pairs[pair].transmissions == 1 { pairs[pair].roundTrips.add(now - pairs[pair].sentAt) }
      succeeded(pair, now: now)
    } else {
      selectedMapped = mapped
      if let consentSent { roundTrips.add(now - consentSent) }
      consentUntil = now + Self.consentTimeout
      nextConsentAt = now + varied(Self.consentInterval)
      nominations = nil
      isDoubtful = false
    }
    return nil
  }

  private mutating func succeeded(_ index: Int, now: Instant) {
    pairs[index].state = .succeeded
    for other in pairs.indices where pairs[other].foundation == pairs[index].foundation && pairs[other].state == .frozen
    {
      pairs[other].state = .waiting
    }
    switch phase {
    case .checking:
      if !isControlling {
        if pairs[index].isNominatedByPeer { select(index, now: now) }
      } else if pairs[index].rank == .direct {
        select(index, now: now)
      } else {
        settle(now: now)
      }
    case .connected:
      if isControlling && (isDoubtful || pairs[index].rank < selectedRank) { select(index, now: now) }
    case .idle, .over: break
    }
  }

  private mutating func receiveError(_ code: Int?, pair: Int?, isConsent: Bool, now: Instant) {
    if code == 487 {
      isControlling.toggle()
      if let pair, phase == .checking { start(pair, now: now) }
      if isConsent { nextConsentAt = now }
    } else if let pair {
      pairs[pair].state = .failed
      if phase == .checking { check(now: now) }
    }
  }
}

// MARK: - The peer's checks

extension IceCheckList {
  mutating func receiveRequest(
    _ message: borrowing STUNMessage, path: IcePath, now: Instant
  ) -> IceIgnoredReason? {
    if phase == .over { return .consentLost }
    guard let verifier, verifier.isAddressed(by: message) else { return .wrongUsername }
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
    let base = bases.first { $0.handle == path.handle && $0.address == path.local }
    guard let index = add(path, base: base, remotePriority: message.priority ?? 1, remoteFoundation: "", now: now)
    else {
      return nil
    }
    if message.nominates && !isControlling { pairs[index].isNominatedByPeer = true }
    switch pairs[index].state {
    case .frozen, .waiting: start(index, now: now)
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
