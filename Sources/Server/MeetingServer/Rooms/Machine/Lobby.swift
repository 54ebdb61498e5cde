import Basics
import FoundationEssentials
import Signaling

/// The participants who wait to be let in, those who were let in and are on their way, and the meeting's lock.
///
/// Participants in the lobby aren't members: no message of the room is meant for them, they have no resume token, and
/// the media plane doesn't know them.
struct Lobby {
  /// A participant who waits.
  struct Waiter {
    let request: JoinRequest
    var reason: WaitingReason
    /// When they are sent away.
    let end: Instant

    var id: String { request.session.participant }

    /// The message for the waiting client. Rounds up, so that nobody gets 0 seconds.
    func message(now: Instant) -> ServerMessage {
      .waiting(reason: reason, seconds: max(1, Int((end - now + .milliseconds(999)).nanoseconds / 1_000_000_000)))
    }

    /// The participant as events name them.
    var person: RoomEvent.Person {
      .init(id: id, name: request.name, role: request.admission.grant.role.rawValue)
    }
  }

  /// The most bytes of all offers in the lobby: 200 of usual length. Nobody has authorised them yet.
  static let maximumOfferBytes = 8 << 20
  /// The pause before hosts get the next list, when many come and go at once.
  private static let hostPause = TimeSpan.milliseconds(250)

  /// Whether only hosts get in.
  var isLocked = false
  /// In the order in which they came.
  private(set) var waiters: [Waiter] = []
  /// When the meeting opens for participants who wait for its time; nil while nobody does.
  var opening: Date?
  /// Participants who were let in and whose media is being negotiated.
  private var entering: Set<String> = []
  /// Those of ``entering`` whose socket is gone.
  private var departed: Set<String> = []
  private var hostRate = TokenBucket(perSecond: 4, burst: 20)
  private var hostDeadline: Instant?

  var isEmpty: Bool { waiters.isEmpty && entering.isEmpty }

  /// The lobby as hosts get it.
  var info: LobbyInfo {
    LobbyInfo(
      waiting: waiters.filter { $0.reason == .lobby }.map { .init(id: $0.id, name: $0.request.name) }, locked: isLocked)
  }

  /// Whether another join request fits into the lobby.
  func hasRoom(for request: JoinRequest) -> Bool {
    waiters.count < LobbyInfo.maximumWaiting
      && offerBytes + request.join.offer.utf8.count <= Self.maximumOfferBytes
  }

  private var offerBytes: Int { waiters.reduce(0) { $0 + $1.request.join.offer.utf8.count } }

  func waiter(_ id: String) -> Waiter? { waiters.first { $0.id == id } }

  /// The participants that a host's decision is about.
  func waiters(in selection: WaitingSelection) -> [Waiter] {
    waiters.filter { $0.reason == .lobby && selection.contains($0.id) }
  }

  mutating func add(_ waiter: Waiter) { waiters.append(waiter) }

  /// Removes a participant; nil when they don't wait.
  mutating func remove(_ id: String) -> Waiter? {
    waiters.firstIndex { $0.id == id }.map { waiters.remove(at: $0) }
  }

  mutating func removeAll() -> [Waiter] {
    defer { waiters = [] }
    return waiters
  }

  /// Gives a participant another reason to wait.
  mutating func requeue(_ id: String, for reason: WaitingReason = .lobby) -> Waiter? {
    guard let index = waiters.firstIndex(where: { $0.id == id }) else { return nil }
    waiters[index].reason = reason
    return waiters[index]
  }

  // MARK: On the way in

  /// A participant who waited was let in.
  mutating func enter(_ id: String) { entering.insert(id) }

  func isEntering(_ id: String) -> Bool { entering.contains(id) }

  /// The socket of a participant on the way in is gone.
  mutating func depart(_ id: String) { departed.insert(id) }

  /// A participant has joined, or was refused after all. True when their socket is gone.
  mutating func arrive(_ id: String) -> Bool {
    entering.remove(id)
    return departed.remove(id) != nil
  }

  // MARK: Time

  /// Whether hosts get the list now; otherwise they get it at ``deadline``. Each change sends the whole list to every
  /// host, so many changes at once are combined.
  mutating func mayNotifyHosts(now: Instant) -> Bool {
    if hostRate.consume(now: now) { return true }
    if hostDeadline == nil { hostDeadline = now + Self.hostPause }
    return false
  }

  /// Whether a list for hosts is overdue.
  mutating func owesHosts(now: Instant) -> Bool {
    guard let hostDeadline, hostDeadline <= now else { return false }
    self.hostDeadline = nil
    return true
  }

  /// Removes participants whose time in the lobby is over.
  mutating func removeExpired(now: Instant) -> [Waiter] {
    let expired = waiters.filter { $0.end <= now }
    waiters.removeAll { $0.end <= now }
    return expired
  }

  /// When somebody's time in the lobby is over, or a list for hosts is due.
  var deadline: Instant? {
    let end = waiters.lazy.map(\.end).min()
    guard let end, let hostDeadline else { return end ?? hostDeadline }
    return min(end, hostDeadline)
  }
}
