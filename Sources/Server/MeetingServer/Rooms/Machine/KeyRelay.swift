import Basics
import Meetings
import Signaling

/// How announcements and envelopes of an encrypted meeting are passed on, which the server can't read.
///
/// Their budget is their own. With 100 participants who all publish and leave 10 a second, each of the others sends
/// about 70 KiB a second, which a chat's budget would refuse. Envelopes to one receiver are bounded too, or some
/// participants together could fill another's socket until it is closed.
///
/// Envelopes to one receiver that come close together leave together. The first leaves at once, so that waiting costs
/// a small meeting nothing.
struct KeyRelay: Sendable {
  /// The latest announcement and the budget of one participant. They belong to the session, so that a new socket gives
  /// no new budget.
  struct ParticipantBudget: Sendable {
    /// Its latest announcement; nil before the first.
    var announcement: String?
    fileprivate var sent: TokenBucket?
    /// Its share of others' reserve.
    fileprivate var little: TokenBucket?
    fileprivate var received: TokenBucket?
  }

  /// Envelopes for one receiver.
  private struct Queue: Sendable {
    var waiting: [ReceivedEnvelope] = []
    /// When the next may leave.
    var next: Instant
  }

  /// Bytes a second, and at once.
  enum Rate {
    static let sender = (perSecond: 256 << 10, burst: 1 << 20)
    /// Below what may wait in a socket (1 MiB).
    static let receiver = (perSecond: 512 << 10, burst: 768 << 10)
    static let little = (perSecond: 8 << 10, burst: 64 << 10)
    /// Of all announcements of a meeting, which go to everybody.
    static let announcements = (perSecond: 256 << 10, burst: 768 << 10)
  }

  /// How long envelopes wait for others to the same receiver.
  static let pause = TimeSpan.milliseconds(20)
  /// Bytes of an envelope besides its text.
  private static let overhead = 64

  private var announcements: TokenBucket
  private var queues: [String: Queue] = [:]
  /// When waiting envelopes may leave; nil while none wait.
  private(set) var deadline: Instant?

  init(now: Instant) {
    announcements = TokenBucket(perSecond: Rate.announcements.perSecond, burst: Rate.announcements.burst, from: now)
  }

  // MARK: Budget

  /// Spends a message of `size` bytes of a sender; returns the limit that is reached when it isn't to be passed on.
  mutating func spend(_ size: Int, of sender: inout ParticipantBudget, now: Instant) -> LimitReached? {
    var sent = sender.sent ?? TokenBucket(perSecond: Rate.sender.perSecond, burst: Rate.sender.burst, from: now)
    defer { sender.sent = sent }
    guard sent.holds(size, now: now) else { return Self.reached }
    sent.spend(size)
    return nil
  }

  /// The same for an announcement, which goes to everybody.
  mutating func spendAnnouncement(_ size: Int, of sender: inout ParticipantBudget, now: Instant) -> LimitReached? {
    let isFavoured = Self.spendLittle(size, of: &sender, now: now)
    guard announcements.holds(size, besides: isFavoured ? 0 : announcements.burst / 4, now: now) else {
      return Self.reached
    }
    if let reached = spend(size, of: &sender, now: now) { return reached }
    announcements.spend(size)
    return nil
  }

  /// Whether an envelope is passed on to a receiver. The last quarter of what it gets is for senders who have sent
  /// little lately.
  static func delivers(
    _ envelope: AddressedEnvelope, of sender: inout ParticipantBudget, to receiver: inout ParticipantBudget,
    now: Instant
  ) -> Bool {
    let size = envelope.envelope.utf8.count + Self.overhead
    let isFavoured = spendLittle(size, of: &sender, now: now)
    var received =
      receiver.received ?? TokenBucket(perSecond: Rate.receiver.perSecond, burst: Rate.receiver.burst, from: now)
    defer { receiver.received = received }
    guard received.holds(size, besides: isFavoured ? 0 : received.burst / 4, now: now) else { return false }
    received.spend(size)
    return true
  }

  private static func spendLittle(_ size: Int, of sender: inout ParticipantBudget, now: Instant) -> Bool {
    var little = sender.little ?? TokenBucket(perSecond: Rate.little.perSecond, burst: Rate.little.burst, from: now)
    defer { sender.little = little }
    let isThere = little.holds(size, now: now)
    little.spend(size, notBelow: 0)
    return isThere
  }

  private static var reached: LimitReached {
    LimitReached(
      .keyRate,
      "You send more keys than are passed on: at most \(Rate.sender.perSecond >> 10) KiB a second (keyRate). "
        + "Wait a second, and send them again.")
  }

  // MARK: Delivery

  /// Takes envelopes for a receiver; returns those that leave now.
  mutating func add(_ envelopes: [ReceivedEnvelope], to receiver: String, now: Instant) -> [ReceivedEnvelope] {
    var queue = queues[receiver] ?? Queue(next: now)
    defer { queues[receiver] = queue }
    if queue.waiting.isEmpty, queue.next <= now {
      queue.next = now + Self.pause
      return envelopes
    }
    queue.waiting += envelopes
    deadline = min(deadline ?? queue.next, queue.next)
    return []
  }

  /// Takes out what is due, by receiver.
  mutating func drain(now: Instant) -> [(receiver: String, envelopes: [ReceivedEnvelope])] {
    guard let due = deadline, due <= now else { return [] }
    deadline = nil
    var ready: [(receiver: String, envelopes: [ReceivedEnvelope])] = []
    for receiver in queues.keys.sorted() {
      guard var queue = queues[receiver], !queue.waiting.isEmpty else { continue }
      if queue.next <= now {
        ready.append((receiver, queue.waiting))
        queue = Queue(next: now + Self.pause)
        queues[receiver] = queue
      } else {
        deadline = min(deadline ?? queue.next, queue.next)
      }
    }
    return ready
  }

  /// A receiver's socket, or the receiver itself, is gone.
  mutating func forget(_ receiver: String) { queues[receiver] = nil }
}
