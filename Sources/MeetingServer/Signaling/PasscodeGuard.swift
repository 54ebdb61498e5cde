import Basics
import Meetings
import Signaling
import Synchronization

/// Asks for the passcode of a meeting that has one, and slows down who guesses.
///
/// Passcodes are checked one after the other, so that guessing costs one core at most, and counting is exact. Right ones do not count: a
/// whole class may come from one address.
actor PasscodeGuard {
  /// How many wrong passcodes an address may send for one meeting, and in which time.
  struct Limits: Sendable {
    var wrong = 10
    var window = TimeSpan.seconds(600)
    /// How many may wait for their turn.
    var queue = 64
  }

  private struct Key: Hashable {
    var meeting: MeetingID
    var address: IPAddress
  }

  private struct Count {
    var wrong: Int
    var since: Instant
  }

  private nonisolated let limits: Limits
  private nonisolated let now: @Sendable () -> Instant
  private nonisolated let waiting = Atomic(0)
  private var counts: [Key: Count] = [:]

  init(limits: Limits = Limits(), now: @escaping @Sendable () -> Instant = { Monotonic.now }) {
    self.limits = limits
    self.now = now
  }

  /// Why somebody may not go on; nil when they may. Hosts need no passcode: their token says more.
  nonisolated func refusal(
    of passcode: String?, for admission: Admission, from address: IPAddress
  ) async -> (code: SignalingErrorCode, text: String)? {
    guard let hash = admission.meeting.passcode, !admission.grant.isHost else { return nil }
    guard let passcode, !passcode.isEmpty else {
      return (.passcodeRequired, "The meeting has a passcode. Ask whoever invited you for it.")
    }
    guard waiting.add(1, ordering: .relaxed).newValue <= limits.queue else {
      waiting.subtract(1, ordering: .relaxed)
      return (.tooFast, "Too many passcodes are being checked just now. Try again in a moment.")
    }
    defer { waiting.subtract(1, ordering: .relaxed) }
    return await check(Secret(passcode), hash, Key(meeting: admission.meeting.id, address: Self.group(address)))
  }

  private func check(
    _ passcode: Secret<String>, _ hash: PasscodeHash, _ key: Key
  ) -> (code: SignalingErrorCode, text: String)? {
    let time = now()
    if counts.count > 1_000 { counts = counts.filter { time - $0.value.since < limits.window } }
    if let count = counts[key], time - count.since >= limits.window { counts[key] = nil }
    guard counts[key].map({ $0.wrong < limits.wrong }) ?? true else {
      return (
        .passcodeBlocked,
        "Too many wrong passcodes came from your network. Wait \(max(1, limits.window.milliseconds / 60_000)) minutes and try again."
      )
    }
    if hash.matches(passcode) { return nil }
    counts[key, default: Count(wrong: 0, since: time)].wrong += 1
    return (.wrongPasscode, "This is not the meeting's passcode.")
  }

  /// One customer of a provider has a whole /64 of IPv6 addresses.
  private static func group(_ address: IPAddress) -> IPAddress {
    address.isIPv4 ? address : IPAddress(high: address.high, low: 0)
  }
}
