internal import Basics

/// Compares the rosters that others send keys to with one's own. They differ for a moment whenever somebody comes or
/// goes, and for longer where messages are lost: so a difference counts only when the other has confirmed it.
///
/// A ratchet step says that somebody has joined, and no envelope comes with it. So one without a join that this client
/// knows of counts as another roster too, until the sender has answered.
struct RosterComparison {
  private struct Version {
    let hash: [UInt8]
    var replacedAt: Instant?
  }

  /// A roster that somebody has sent a key to.
  private struct Claim {
    /// Empty for the one behind a ratchet step, which isn't known.
    let hash: [UInt8]
    let at: Instant
  }

  private struct Difference {
    /// Rosters that this client has not had, the oldest first.
    var claims: [Claim]
    var wasAsked = false
    var nextRequest: Instant
    /// When keys came after the first request; two are enough.
    var answers: [Instant] = []
    /// Whether frames came since the last request.
    var isUsed = false
  }

  /// Most rosters of one participant that are remembered until this client has had them.
  private static let maximumClaims = 32

  private let tolerance: TimeSpan
  private let joinTolerance: TimeSpan
  private var versions: [Version] = []
  private var differences: [ParticipantID: Difference] = [:]

  private var joins = 0
  private var lastJoin: Instant?
  /// The joins that the keys of each sender are about, as far as this client knows.
  private var knownJoins: [ParticipantID: Int] = [:]

  init(tolerance: TimeSpan, joinTolerance: TimeSpan) {
    self.tolerance = tolerance
    self.joinTolerance = joinTolerance
  }

  var deadline: Instant? { differences.values.map { min(alarmTime($0), $0.nextRequest) }.min() }

  private var pause: TimeSpan { TimeSpan(nanoseconds: tolerance.nanoseconds / 4) }

  /// Two answers whose rosters this client has not had by now; one alone may be about a moment that it missed.
  private func alarmTime(_ difference: Difference) -> Instant {
    guard difference.answers.count == 2, let first = difference.claims.first else { return .distantFuture }
    return max(first.at + tolerance, difference.answers[1] + pause)
  }

  /// This client's roster is now another.
  mutating func update(_ hash: [UInt8], now: Instant) {
    guard versions.last?.hash != hash else { return }
    if !versions.isEmpty { versions[versions.count - 1].replacedAt = now }
    // A key may be sent again long after it was made, but not with an old roster.
    versions.removeAll { $0.replacedAt.map { now - $0 > tolerance * 3 } ?? false }
    versions.append(Version(hash: hash))
    for (id, difference) in differences {
      guard let index = difference.claims.lastIndex(where: { $0.hash == hash }) else { continue }
      differences[id] = differenceAnew(Array(difference.claims[(index + 1)...]))
    }
  }

  /// Somebody has sent a key, and the hash of whom they send it to.
  mutating func receive(_ hash: [UInt8], from id: ParticipantID, now: Instant) {
    guard !versions.contains(where: { $0.hash == hash }) else {
      differences[id] = nil
      knownJoins[id] = joins
      return
    }
    guard var difference = differences[id] else {
      differences[id] = differenceAnew([Claim(hash: hash, at: now)])
      return
    }
    if difference.claims.count == Self.maximumClaims { difference.claims.remove(at: 1) }
    difference.claims.append(Claim(hash: hash, at: now))
    if difference.wasAsked, difference.answers.count < 2,
      difference.answers.last.map({ now - $0 >= TimeSpan(nanoseconds: pause.nanoseconds / 2) }) ?? true
    {
      difference.answers.append(now)
    }
    differences[id] = difference
  }

  /// This client has heard of somebody who joined: ratchet steps that came ahead of it were about them.
  mutating func noteJoin(now: Instant) {
    joins += 1
    lastJoin = now
    for (id, difference) in differences where difference.claims.allSatisfy(\.hash.isEmpty) {
      differences[id] = nil
      knownJoins[id] = joins
    }
  }

  /// Somebody's ratchet step has come into use. Steps for several joins follow each other closely.
  mutating func noteRatchet(from id: ParticipantID, now: Instant) {
    defer { knownJoins[id] = joins }
    if joins > knownJoins[id] ?? 0 || lastJoin.map({ now - $0 <= joinTolerance }) ?? false { return }
    if differences[id] == nil { differences[id] = differenceAnew([Claim(hash: [], at: now)]) }
  }

  /// Somebody's frame has opened: their key is in use.
  mutating func noteFrame(from id: ParticipantID) {
    if !differences.isEmpty { differences[id]?.isUsed = true }
  }

  /// Signalling goes on after it was lost, and with it the answers.
  mutating func resume(_ now: Instant) {
    for (id, difference) in differences {
      differences[id] = differenceAnew(difference.claims.suffix(1).map { Claim(hash: $0.hash, at: now) })
    }
  }

  mutating func remove(_ id: ParticipantID) {
    differences[id] = nil
    knownJoins[id] = nil
  }

  private func differenceAnew(_ claims: [Claim]) -> Difference? {
    guard let first = claims.first else { return nil }
    return Difference(
      claims: claims, nextRequest: first.at + TimeSpan(nanoseconds: tolerance.nanoseconds / 2))
  }

  /// Takes those who are to be asked for their key again, and those whose rosters have differed for too long; each
  /// once.
  mutating func handleTimeout(
    now: Instant, ask: (ParticipantID) -> Void, alarm: (ParticipantID) -> Void
  ) {
    for id in differences.keys.sorted() {
      guard var difference = differences[id], let first = difference.claims.first else { continue }
      // No answer for so long, and the key in use: the answers are kept back. One that is not in use harms nobody.
      let isKeptBack =
        now >= difference.nextRequest && difference.isUsed && now - first.at >= tolerance * 4
      if now >= alarmTime(difference) || isKeptBack {
        differences[id] = nil
        alarm(id)
      } else if now >= difference.nextRequest {
        if difference.isUsed || now - first.at <= tolerance { ask(id) }
        difference.wasAsked = true
        difference.isUsed = false
        difference.nextRequest = now + pause
        differences[id] = difference
      }
    }
  }
}
