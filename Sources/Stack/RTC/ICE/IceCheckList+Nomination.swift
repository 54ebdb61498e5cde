internal import Basics

/// The choice of the pair that media takes (RFC 8445 section 8).
extension IceCheckList {
  var holdUntil: Instant { firstCheckAt + Self.relayHoldback }

  /// The best pair that has answered and may be selected.
  private var bestSucceeded: Int? {
    pairs.indices.filter { pairs[$0].state == .succeeded }.min {
      (pairs[$0].rank, pairs[$1].priority) < (pairs[$1].rank, pairs[$0].priority)
    }
  }

  var awaitsBetter: Bool { isControlling && bestSucceeded != nil }

  /// Selects a pair that has answered, unless something better may still answer soon.
  mutating func settle(now: Instant) {
    guard phase == .checking, isControlling, let best = bestSucceeded else { return }
    let rank = pairs[best].rank
    let mayImprove = pairs.contains {
      $0.rank < rank && ($0.state == .frozen || $0.state == .waiting || $0.state == .inProgress)
    }
    if !mayImprove || now >= holdUntil { select(best, now: now) }
  }

  mutating func select(_ index: Int, now: Instant) {
    let pair = pairs[index]
    let checked = pairs.filter { $0.transmissions > 0 }.count
    // Counts of a pair go on when it is selected again, after an ICE restart.
    if selectedPath != pair.path { roundTrips = IceRoundTrips() }
    roundTrips.add(pair.roundTrips)
    pairs[index].roundTrips = IceRoundTrips()
    selectedMapped = pair.mapped
    wasSelected = true
    selectedPath = pair.path
    selectedRank = pair.rank
    phase = .connected
    isDoubtful = false
    consentChecks = []
    consentUntil = now + Self.consentTimeout
    events.append(.selected(pair.path))
    nominations = isControlling && pair.rank != .direct ? 0 : nil
    if isControlling && (checked > 1 || nominations != nil) {
      // Other checks may have carried the nomination too and arrive later, or this pair's did not; one more makes ours
      // the last word.
      sendConsentCheck(now: now)
    } else {
      nextConsentAt = now + varied(Self.consentInterval)
    }
  }
}
