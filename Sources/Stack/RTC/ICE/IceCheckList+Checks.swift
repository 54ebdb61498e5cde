internal import Basics

/// Checks that are sent: their order and repetition (RFC 8445 section 7.2), and consent (RFC 7675).
extension IceCheckList {
  mutating func check(now: Instant) {
    for index in pairs.indices
    where pairs[index].state == .inProgress && now >= pairs[index].nextAt && isOfInterest(pairs[index]) {
      retransmit(index, now: now)
    }
    if now >= nextFirstCheckAt, let best = nextPair() {
      firstCheckAt = min(firstCheckAt, now)
      start(best, now: now)
      nextFirstCheckAt = now + Self.pacing
    }
    settle(now: now)
    guard phase == .checking else { return }
    let exhausted = !expectsMore && !pairs.isEmpty && pairs.allSatisfy { $0.state == .failed }
    if exhausted || now - startedAt >= Self.consentTimeout { fail() }
  }

  private mutating func fail() {
    phase = .over
    selectedPath = nil
    consentUntil = .distantFuture
    events.append(.failed)
  }

  /// The waiting pair of the highest priority, or the best frozen one whose foundation is not being checked already
  /// (RFC 8445 section 6.1.4.2). With one check list, unfreezing only orders the checks.
  private func nextPair() -> Int? {
    let interesting = pairs.indices.filter { isOfInterest(pairs[$0]) }
    let waiting = interesting.filter { pairs[$0].state == .waiting }
    if let best = waiting.max(by: { pairs[$0].priority < pairs[$1].priority }) { return best }
    let frozen = interesting.filter { pairs[$0].state == .frozen }.sorted { pairs[$0].priority > pairs[$1].priority }
    let active = pairs.filter { $0.state == .inProgress }
    return frozen.first { index in !active.contains { $0.foundation == pairs[index].foundation } } ?? frozen.first
  }

  mutating func start(_ index: Int, now: Instant) {
    let id = STUNTransactionID(using: &random)
    pairs[index].state = .inProgress
    pairs[index].transaction = id
    pairs[index].request = request(id, path: pairs[index].path, nominates: pairs[index].rank == .direct)
    pairs[index].transmissions = 0
    pairs[index].sentAt = now
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

  mutating func sendConsentCheck(now: Instant) {
    guard let path = selectedPath else { return }
    let id = STUNTransactionID(using: &random)
    // Each consent check is a transaction of its own and never sent again (RFC 7675 section 5.1).
    consentChecks.append(ConsentCheck(id: id, sentAt: now))
    if consentChecks.count > 32 { consentChecks.removeFirst() }
    transmissions.append(IceTransmission(path: path, bytes: request(id, path: path, nominates: true)))
    if let sent = nominations, sent < Self.maximumTransmissions, path.transport == .udp {
      // Until the peer is known to have heard of the nomination it may send elsewhere or not at all.
      nominations = sent + 1
      nextConsentAt = now + min(Self.initialRTO * (1 << Int64(sent)), Self.consentRetryInterval)
    } else {
      nextConsentAt = now + varied(Self.consentRetryInterval)
    }
  }

  mutating func varied(_ span: TimeSpan) -> TimeSpan {
    let thousandths = Int64(truncatingIfNeeded: 800 + random.next(upperBound: UInt64(401)))
    return TimeSpan(nanoseconds: span.nanoseconds / 1_000 &* thousandths)
  }

  func request(_ id: STUNTransactionID, path: IcePath, nominates: Bool) -> [UInt8] {
    var request = STUNMessageBuilder(.request, transactionID: id)
    request.addUsername("\(remote?.ufrag ?? ""):\(local.ufrag)")
    request.addPriority(IceCandidate.priority(kind: .peerReflexive, transport: path.transport))
    if isControlling {
      request.addRole(.controlling(tieBreaker: tieBreaker))
      if nominates { request.addUseCandidate() }
    } else {
      request.addRole(.controlled(tieBreaker: tieBreaker))
    }
    return request.finish(integrity: remoteKey)
  }
}
