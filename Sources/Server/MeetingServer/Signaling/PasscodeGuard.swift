import Basics
import Meetings
import Signaling
import Synchronization

/// Asks for the passcode of a meeting that has one, and slows down guessing.
///
/// Passcodes from every endpoint are hashed one after the other. So guessing and setting them cost at most one core and
/// the memory of one hash, and counting is exact. Networks take turns: a flood from one network delays only that
/// network (``FairQueue``). Right passcodes aren't counted, since a whole class may come from one address.
actor PasscodeGuard {
  /// How many wrong passcodes may come for one meeting, and in which time.
  struct Limits: Sendable {
    /// From one address, or the /64 of IPv6 that one connection has.
    var wrong = 10
    /// From one site: a /48 of IPv6, as one customer gets it, or a /24 of IPv4.
    var wrongInSite = 40
    /// From one provider: a /32 of IPv6, as a network gets it from its registry, or a /16 of IPv4. So nobody locks the
    /// others out who has all of one.
    var wrongInProvider = 100
    /// From all addresses together: who has many of them guesses no faster than this.
    var wrongInMeeting = 300
    var window = TimeSpan.seconds(600)
    /// How many may wait for their turn; each network has a share.
    var queue = 64
  }

  /// The slow hash functions.
  struct Hashing: Sendable {
    var matches: @Sendable (PasscodeHash, Secret<String>) -> Bool = { $0.matches($1) }
    var make: @Sendable (Secret<String>) -> Result<PasscodeHash, PasscodeError> = { passcode in
      Result { () throws(PasscodeError) in try PasscodeHash(passcode) }
    }
  }

  /// The origin of wrong passcodes for one meeting: a network of each width, or everywhere (nil).
  private struct Key: Hashable {
    var meeting: MeetingID
    var network: Network?
  }

  /// Networks that wait for a hash.
  private struct HashingQueue {
    var isTaken = false
    var waiting: FairQueue<CheckedContinuation<Bool, Never>>
  }

  /// The most counts that are remembered: more than one core can hash passcodes for within a window.
  private static let maximumKeys = 100_000

  private nonisolated let limits: Limits
  private nonisolated let hashing: Hashing
  private nonisolated let now: @Sendable () -> Instant
  private nonisolated let queue: Mutex<HashingQueue>
  private var counts: WindowedCounters<Key>

  init(
    limits: Limits = Limits(), hashing: Hashing = Hashing(),
    now: @escaping @Sendable () -> Instant = { MonotonicClock.now }
  ) {
    self.limits = limits
    self.hashing = hashing
    self.now = now
    counts = WindowedCounters(window: limits.window, capacity: Self.maximumKeys)
    queue = Mutex(HashingQueue(waiting: FairQueue(capacity: limits.queue)))
  }

  private static let busy =
    "Too many passcodes are being checked just now, of all or of your network (passcodeQueue). Try again in a moment."

  /// The refusal of a join because of its passcode; nil when it may go on. Hosts need no passcode: their token
  /// suffices.
  nonisolated func refusal(
    of passcode: String?, for admission: Admission, from address: IPAddress
  ) async -> SignalingRefusal? {
    guard let hash = admission.meeting.passcode, !admission.grant.isHost else { return nil }
    guard let passcode, !passcode.isEmpty else {
      return .init(.passcodeRequired, "The meeting has a passcode. Ask whoever invited you for it.")
    }
    guard await takeTurn(address) else { return .init(.tooFast, Self.busy) }
    defer { endTurn() }
    return await check(Secret(passcode), hash, admission.meeting.id, address)
  }

  /// The hash of a new passcode, which somebody at `address` sets.
  nonisolated func hash(_ passcode: String, from address: IPAddress) async throws(Refusal) -> PasscodeHash {
    guard await takeTurn(address) else { throw Refusal(429, "tooFast", Self.busy, limit: .passcodeQueue) }
    defer { endTurn() }
    switch await make(Secret(passcode)) {
    case .success(let hash): return hash
    case .failure(.length): throw Refusal(422, "badPasscode", PasscodeError.length.description)
    case .failure(.failed): throw Refusal(500, "internal", PasscodeError.failed.description)
    }
  }

  /// How many wait for their turn.
  nonisolated var waiting: Int { queue.withLock { $0.waiting.count } }

  /// Waits for a turn, which the caller ends; false where too many wait, of all or of the networks around `address`.
  private nonisolated func takeTurn(_ address: IPAddress) async -> Bool {
    await withCheckedContinuation { continuation in
      let outcome = queue.withLock { queue -> (resumed: CheckedContinuation<Bool, Never>, isFirst: Bool)? in
        guard queue.isTaken else {
          queue.isTaken = true
          return (continuation, true)
        }
        return switch queue.waiting.enqueue(continuation, from: address) {
        case .waits: nil
        case .displaces(let other): (other, false)
        case .refused: (continuation, false)
        }
      }
      if let outcome { outcome.resumed.resume(returning: outcome.isFirst) }
    }
  }

  private nonisolated func endTurn() {
    let next = queue.withLock { queue -> CheckedContinuation<Bool, Never>? in
      let next = queue.waiting.dequeue()
      queue.isTaken = next != nil
      return next
    }
    next?.resume(returning: true)
  }

  private func make(_ passcode: Secret<String>) -> Result<PasscodeHash, PasscodeError> { hashing.make(passcode) }

  private func check(
    _ passcode: Secret<String>, _ hash: PasscodeHash, _ meeting: MeetingID, _ address: IPAddress
  ) -> SignalingRefusal? {
    let time = now()
    let keys =
      NetworkWidth.allCases.map { Key(meeting: meeting, network: Network(of: address, $0)) } + [Key(meeting: meeting)]
    if let full = keys.first(where: { counts.count(of: $0, at: time) >= limit($0.network?.width) }) {
      let whence = full.network == nil ? "for this meeting" : "from your network"
      let minutes = max(1, limits.window.milliseconds / 60_000)
      return .init(
        .passcodeBlocked,
        "Too many wrong passcodes came \(whence) (passcodeAttempts). Wait \(minutes) minutes and try again."
      )
    }
    if hashing.matches(hash, passcode) { return nil }
    for key in keys { counts.increment(key, now: time) }
    return .init(.wrongPasscode, "This is not the meeting's passcode.")
  }

  private func limit(_ width: NetworkWidth?) -> Int {
    switch width {
    case .host: limits.wrong
    case .site: limits.wrongInSite
    case .provider: limits.wrongInProvider
    case nil: limits.wrongInMeeting
    }
  }
}
