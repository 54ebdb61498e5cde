import Signaling

/// Who waits to be let into a room, and whether it is locked. Belongs to the room's actor; nothing of the room is in it.
struct Lobby {
  /// Somebody who waits.
  struct Waiter {
    let newcomer: MeetingRoom.Newcomer
    var reason: WaitingReason
    /// Until when.
    let end: ContinuousClock.Instant
    /// The task that sends them away then.
    let timer: Task<Void, Never>

    var id: String { newcomer.place.participant }
    var channel: SignalingChannel { newcomer.channel }

    /// What the waiting client is told.
    func message(at now: ContinuousClock.Instant = .now) -> ServerMessage {
      // Rounded up: who has less than a second left is told one.
      .waiting(reason: reason, seconds: max(1, Int((end - now + .milliseconds(999)).components.seconds)))
    }
  }

  /// Whether nobody but hosts gets in.
  var isLocked = false
  /// In the order they came.
  private(set) var waiters: [Waiter] = []
  /// Who was let in and whose media is being negotiated.
  private var entering: Set<String> = []
  /// Those of ``entering`` who went away meanwhile.
  private var departed: Set<String> = []

  /// Whether nobody waits or is on the way in.
  var isEmpty: Bool { waiters.isEmpty && entering.isEmpty }

  /// What hosts are told.
  var info: LobbyInfo {
    LobbyInfo(
      waiting: waiters.filter { $0.reason == .lobby }.map { .init(id: $0.id, name: $0.newcomer.name) }, locked: isLocked
    )
  }

  /// Bytes of offers that are kept for those who wait, together: 200 of usual length. Nobody has looked at them yet.
  static let maximumOfferBytes = 8 << 20

  /// Bytes of the offers of those who wait.
  var offerBytes: Int { waiters.reduce(0) { $0 + $1.newcomer.join.offer.utf8.count } }

  mutating func add(_ waiter: Waiter) { waiters.append(waiter) }

  /// Takes somebody out of those who wait; nil when they do not.
  mutating func take(_ id: String) -> Waiter? {
    guard let index = waiters.firstIndex(where: { $0.id == id }) else { return nil }
    let waiter = waiters.remove(at: index)
    waiter.timer.cancel()
    return waiter
  }

  /// Takes out everybody.
  mutating func takeAll() -> [Waiter] {
    defer { waiters = [] }
    for waiter in waiters { waiter.timer.cancel() }
    return waiters
  }

  /// Who waited for a host now waits to be let in.
  mutating func queue(_ id: String, for reason: WaitingReason = .lobby) -> Waiter? {
    guard let index = waiters.firstIndex(where: { $0.id == id }) else { return nil }
    waiters[index].reason = reason
    return waiters[index]
  }

  // MARK: On the way in

  /// Somebody who waited was let in.
  mutating func enter(_ id: String) { entering.insert(id) }

  /// Whether somebody is on the way in.
  func isEntering(_ id: String) -> Bool { entering.contains(id) }

  /// The socket of somebody on the way in is gone.
  mutating func depart(_ id: String) { departed.insert(id) }

  /// Somebody is in, or could not be taken in. True when they went away meanwhile.
  mutating func arrive(_ id: String) -> Bool {
    entering.remove(id)
    return departed.remove(id) != nil
  }
}
