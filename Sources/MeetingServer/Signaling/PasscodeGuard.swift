import Basics
import Meetings
import Signaling
import Synchronization

/// Asks for the passcode of a meeting that has one, and slows down who guesses.
///
/// Passcodes are hashed one after the other, whichever door they come by, so that guessing and setting them cost one core and the memory of
/// one hash at most, and counting is exact. Right ones do not count: a whole class may come from one address.
actor PasscodeGuard {
  /// How many wrong passcodes may come for one meeting, and in which time.
  struct Limits: Sendable {
    /// From one address, or the /64 of IPv6 that one connection has.
    var wrong = 10
    /// From one site: a /48 of IPv6, as one customer gets it, or a /24 of IPv4.
    var wrongInSite = 40
    /// From one provider: a /32 of IPv6, as a network gets it from its registry, or a /16 of IPv4. So nobody locks the others out who has all of one.
    var wrongInProvider = 100
    /// From all addresses together: who has many of them guesses no faster than this.
    var wrongInMeeting = 300
    var window = TimeSpan.seconds(600)
    /// How many may wait for their turn.
    var queue = 64
  }

  /// What does the slow work.
  struct Hashing: Sendable {
    var matches: @Sendable (PasscodeHash, Secret<String>) -> Bool = { $0.matches($1) }
    var make: @Sendable (Secret<String>) -> Result<PasscodeHash, PasscodeError> = { passcode in
      Result { () throws(PasscodeError) in try PasscodeHash(passcode) }
    }
  }

  /// Where wrong passcodes for one meeting come from, from the narrowest to all.
  private struct Key: Hashable {
    enum Width: CaseIterable { case address, site, provider, meeting }

    var meeting: MeetingID
    var width: Width
    /// The first address of the network.
    var network: IPAddress?

    init(_ meeting: MeetingID, _ width: Width, _ address: IPAddress) {
      self.meeting = meeting
      self.width = width
      network =
        switch width {
        case .address: address.network
        case .site: address.first(ofBits: address.isIPv4 ? 24 : 48)
        case .provider: address.first(ofBits: address.isIPv4 ? 16 : 32)
        case .meeting: nil
        }
    }
  }

  private struct Count {
    var wrong: Int
    var since: Instant
  }

  private nonisolated let limits: Limits
  private nonisolated let hashing: Hashing
  private nonisolated let now: @Sendable () -> Instant
  private nonisolated let waiting = Atomic(0)
  private var counts: [Key: Count] = [:]

  init(
    limits: Limits = Limits(), hashing: Hashing = Hashing(), now: @escaping @Sendable () -> Instant = { Monotonic.now }
  ) {
    self.limits = limits
    self.hashing = hashing
    self.now = now
  }

  private static let busy = "Too many passcodes are being checked just now (passcodeQueue). Try again in a moment."

  /// Why somebody may not go on; nil when they may. Hosts need no passcode: their token says more.
  nonisolated func refusal(
    of passcode: String?, for admission: Admission, from address: IPAddress
  ) async -> (code: SignalingErrorCode, text: String)? {
    guard let hash = admission.meeting.passcode, !admission.grant.isHost else { return nil }
    guard let passcode, !passcode.isEmpty else {
      return (.passcodeRequired, "The meeting has a passcode. Ask whoever invited you for it.")
    }
    guard takeTurn() else { return (.tooFast, Self.busy) }
    defer { waiting.subtract(1, ordering: .relaxed) }
    return await check(Secret(passcode), hash, admission.meeting.id, address)
  }

  /// The hash of a new passcode.
  nonisolated func hash(_ passcode: String) async throws(Refusal) -> PasscodeHash {
    guard takeTurn() else { throw Refusal(429, "tooFast", Self.busy, limit: .passcodeQueue) }
    defer { waiting.subtract(1, ordering: .relaxed) }
    switch await make(Secret(passcode)) {
    case .success(let hash): return hash
    case .failure(.length): throw Refusal(422, "badPasscode", PasscodeError.length.description)
    case .failure(.failed): throw Refusal(500, "internal", PasscodeError.failed.description)
    }
  }

  /// Whether there is room among those who wait; who takes it gives it back.
  private nonisolated func takeTurn() -> Bool {
    if waiting.add(1, ordering: .relaxed).newValue <= limits.queue { return true }
    waiting.subtract(1, ordering: .relaxed)
    return false
  }

  private func make(_ passcode: Secret<String>) -> Result<PasscodeHash, PasscodeError> { hashing.make(passcode) }

  private func check(
    _ passcode: Secret<String>, _ hash: PasscodeHash, _ meeting: MeetingID, _ address: IPAddress
  ) -> (code: SignalingErrorCode, text: String)? {
    let time = now()
    if counts.count > 1_000 { counts = counts.filter { time - $0.value.since < limits.window } }
    let keys = Key.Width.allCases.map { Key(meeting, $0, address) }
    for key in keys {
      if let count = counts[key], time - count.since >= limits.window { counts[key] = nil }
    }
    if let full = keys.first(where: { (counts[$0]?.wrong ?? 0) >= limit($0.width) }) {
      let whence = full.width == .meeting ? "for this meeting" : "from your network"
      let minutes = max(1, limits.window.milliseconds / 60_000)
      return (
        .passcodeBlocked,
        "Too many wrong passcodes came \(whence) (passcodeAttempts). Wait \(minutes) minutes and try again."
      )
    }
    if hashing.matches(hash, passcode) { return nil }
    for key in keys { counts[key, default: Count(wrong: 0, since: time)].wrong += 1 }
    return (.wrongPasscode, "This is not the meeting's passcode.")
  }

  private func limit(_ width: Key.Width) -> Int {
    switch width {
    case .address: limits.wrong
    case .site: limits.wrongInSite
    case .provider: limits.wrongInProvider
    case .meeting: limits.wrongInMeeting
    }
  }
}

extension IPAddress {
  /// The first address of the network of that many leading bits around it: up to 64 of IPv6, up to 32 of IPv4.
  fileprivate func first(ofBits bits: Int) -> IPAddress {
    isIPv4
      ? IPAddress(v4: v4Bits & ~(bits >= 32 ? 0 : UInt32.max >> UInt32(bits)))
      : IPAddress(high: high & ~(bits >= 64 ? 0 : UInt64.max >> UInt64(bits)), low: 0)
  }
}
