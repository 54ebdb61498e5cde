internal import Basics

/// Compares the rosters that others send keys to with one's own. They differ for a moment whenever somebody comes or
/// goes.
struct RosterComparison {
  private struct Version {
    let hash: [UInt8]
    var replacedAt: Instant?
  }

  private let tolerance: TimeSpan
  private var versions: [Version] = []
  private var unmatched: [ParticipantID: Difference] = [:]

  private struct Difference {
    var hash: [UInt8]
    let since: Instant
    var wasAsked = false
  }

  init(tolerance: TimeSpan) { self.tolerance = tolerance }

  var deadline: Instant? { unmatched.values.map(due).min() }

  /// Halfway to the alarm the other is asked once more, since they may have sent the key in the middle of a change.
  private func due(_ difference: Difference) -> Instant {
    difference.since + (difference.wasAsked ? tolerance : TimeSpan(nanoseconds: tolerance.nanoseconds / 2))
  }

  /// This client's roster is now another.
  mutating func update(_ hash: [UInt8], now: Instant) {
    guard versions.last?.hash != hash else { return }
    if !versions.isEmpty { versions[versions.count - 1].replacedAt = now }
    // A key may be sent again long after it was made, but not with an old roster.
    versions.removeAll { $0.replacedAt.map { now - $0 > tolerance * 3 } ?? false }
    versions.append(Version(hash: hash))
    unmatched = unmatched.filter { $0.value.hash != hash }
  }

  /// Somebody has sent a key, and the hash of whom they send it to.
  mutating func receive(_ hash: [UInt8], from id: ParticipantID, now: Instant) {
    if versions.contains(where: { $0.hash == hash }) {
      unmatched[id] = nil
    } else {
      unmatched[id, default: Difference(hash: hash, since: now)].hash = hash
    }
  }

  mutating func remove(_ id: ParticipantID) { unmatched[id] = nil }

  /// Takes those who are to be asked for their key again, and those whose rosters have differed for too long; each
  /// once.
  mutating func handleTimeout(
    now: Instant, ask: (ParticipantID) -> Void, alarm: (ParticipantID) -> Void
  ) {
    for id in unmatched.keys.sorted() {
      guard var difference = unmatched[id], now >= due(difference) else { continue }
      if difference.wasAsked {
        unmatched[id] = nil
        alarm(id)
      } else {
        difference.wasAsked = true
        unmatched[id] = difference
        ask(id)
      }
    }
  }
}
