import Basics
import Meetings
import Signaling

/// Bounds how many bytes of its participants' messages a meeting passes on.
///
/// Each message goes to everybody, so the bound is the bandwidth of a reader on a modest line; a slower reader is cut
/// off. Each sender has a budget, and all of them share one. The last quarter of the shared budget is reserved for
/// hosts and for participants who have sent little lately. So a few busy senders can't silence the others.
struct MessageBudget: Sendable {
  /// In bytes a second.
  struct Rates: Sendable, Equatable {
    /// Of one participant's messages.
    var sender = 64 << 10
    /// Of all participants' messages in one meeting.
    var meeting = 256 << 10
    /// Of all participants' data messages in one meeting.
    var data = 2 << 20
  }

  /// How a message beyond the budget is treated.
  enum Urgency: Sendable {
    case usual
    /// It is passed on and charged to later messages: muting and deleting must always work.
    case owed
  }

  /// One participant's remaining budget. It belongs to the session, so a new socket gives no new budget.
  struct Sender: Sendable {
    fileprivate var bytes: TokenBucket?
    /// Its share of the reserve.
    fileprivate var little: TokenBucket?
    fileprivate var littleData: TokenBucket?
    /// Until then all messages are refused, so that none overtakes the refused one before it.
    fileprivate var closedUntil = Instant.zero
    fileprivate var closedBy = LimitReached.Limit.senderRate
    /// When it last got the notice that data messages are dropped.
    fileprivate var toldOfData: Instant?
  }

  /// The burst as seconds of the rate. For a meeting it has to stay below the send queue of a reader's socket (1 MiB).
  private static let seconds = (sender: 4, meeting: 3, data: 2)
  private static let maximumBurst = 768 << 10
  /// Messages of a whole meeting, per second and at once.
  static let messages = (perSecond: 200, burst: 800)
  /// Bytes that the server adds to a message: sender, display name and time.
  static let overhead = 300
  /// How long a sender is closed after a refusal.
  static let pause = TimeSpan.milliseconds(500)

  private let rates: Rates
  private var bytes: TokenBucket
  private var data: TokenBucket
  private var count: TokenBucket

  /// A full budget at `now`.
  init(_ rates: Rates, now: Instant) {
    self.rates = rates
    bytes = TokenBucket(
      perSecond: rates.meeting, burst: min(rates.meeting * Self.seconds.meeting, Self.maximumBurst), from: now)
    data = TokenBucket(perSecond: rates.data, burst: rates.data * Self.seconds.data, from: now)
    count = TokenBucket(perSecond: Self.messages.perSecond, burst: Self.messages.burst, from: now)
  }

  /// Charges a message of `size` bytes. Returns the limit that is reached when it must not be passed on.
  mutating func spend(
    _ size: Int, of sender: inout Sender, isHost: Bool, _ urgency: Urgency = .usual, now: Instant
  ) -> LimitReached? {
    let size = size + Self.overhead
    let most = min(rates.sender * Self.seconds.sender, Self.maximumBurst)
    var own = sender.bytes ?? TokenBucket(perSecond: rates.sender, burst: most, from: now)
    defer { sender.bytes = own }
    // Owed messages may go as far below zero as a full budget is above it. Only an attacker gets there.
    let floor = urgency == .owed ? -most : 0
    var little = sender.little ?? TokenBucket(perSecond: rates.sender / 32, burst: rates.sender / 4, from: now)
    defer { sender.little = little }
    let isFavoured = isHost || urgency == .owed || little.holds(size, now: now)
    if urgency == .usual, now < sender.closedUntil { return reached(sender.closedBy) }
    guard own.holds(size, besides: floor, now: now) else { return close(&sender, .senderRate, now) }
    let reserve = isFavoured ? 0 : 1
    let isThere =
      bytes.holds(size, besides: reserve * (bytes.burst / 4), now: now)
      && count.holds(1, besides: reserve * (count.burst / 4), now: now)
    guard isThere || urgency == .owed else { return close(&sender, .meetingRate, now) }
    own.spend(size)
    little.spend(size, notBelow: 0)
    bytes.spend(size, notBelow: -(bytes.burst / 4))
    count.spend(1, notBelow: -(count.burst / 4))
    return nil
  }

  /// Takes a join, or a lost connection, of which everybody gets `size` bytes; returns the limit that it exceeds.
  /// Each join begins with a new budget of its own, so only the meeting's counts. Its last quarter is kept for hosts
  /// here too.
  mutating func spendAnnouncement(_ size: Int, isHost: Bool, now: Instant) -> LimitReached? {
    let size = size + Self.overhead
    guard bytes.holds(size, besides: isHost ? 0 : bytes.burst / 4, now: now) else { return reached(.meetingRate) }
    bytes.spend(size)
    return nil
  }

  /// Takes a data message of `size` bytes. Returns the limit that is reached when the message is dropped; the sender
  /// gets a notice of it when `isNews`.
  mutating func spendData(
    _ size: Int, of sender: inout Sender, now: Instant
  ) -> (reached: LimitReached, isNews: Bool)? {
    var little = sender.littleData ?? TokenBucket(perSecond: rates.data / 32, burst: rates.data / 8, from: now)
    defer { sender.littleData = little }
    let reserve = little.holds(size, now: now) ? 0 : data.burst / 4
    guard data.holds(size, besides: reserve, now: now) else {
      let isNews = sender.toldOfData.map { now - $0 >= .seconds(1) } ?? true
      if isNews { sender.toldOfData = now }
      return (
        LimitReached(
          .meetingDataRate,
          "The participants of this meeting send more data than is passed on: at most \(rates.data >> 10) KiB a second "
            + "(meetingDataRate). A message was dropped. Send less, or more slowly."), isNews
      )
    }
    data.spend(size)
    little.spend(size, notBelow: 0)
    return nil
  }

  private func close(_ sender: inout Sender, _ limit: LimitReached.Limit, _ now: Instant) -> LimitReached {
    (sender.closedUntil, sender.closedBy) = (now + Self.pause, limit)
    return reached(limit)
  }

  private func reached(_ limit: LimitReached.Limit) -> LimitReached {
    let text =
      limit == .senderRate
      ? "You send more than is passed on: at most \(rates.sender >> 10) KiB a second of one participant (senderRate)."
      : "The participants of this meeting send more than is passed on: at most \(rates.meeting >> 10) KiB and "
        + "\(Self.messages.perSecond) messages a second (meetingRate)."
    return LimitReached(limit, "\(text) Wait a second, and send it again.")
  }
}

extension ClientMessage {
  /// Whether it is about the keys of an encrypted meeting.
  var carriesKeys: Bool {
    switch self {
    case .announce, .keyEnvelopes: true
    case .join, .resume, .offer, .mute, .view, .rename, .chat, .admit, .deny, .lock, .signal, .room, .renewToken,
      .leave, .ping:
      false
    }
  }

  /// The cost of passing a message on besides its own bytes; nil when nobody else gets it.
  var passing: PassingCost? {
    switch self {
    // Keys have a budget of their own (``KeyRelay``): they and chats don't delay each other. A renewed token is charged
    // once it is verified.
    case .join, .resume, .view, .renewToken, .leave, .ping, .announce, .keyEnvelopes: nil
    case .chat, .signal: .init()
    case .rename: .init(update: .sender)
    // A participant can always mute, and a client can always announce its tracks.
    case .mute: .init(.owed)
    case .offer(let offer):
      .init(.owed, more: offer.tracks.count * MessageBudget.overhead - offer.offer.utf8.count)
    case .admit, .deny, .lock: .init(.owed)
    case .room(let request, _): request.passing
    }
  }
}

/// The cost of passing a message on.
struct PassingCost: Sendable {
  /// The participant about whom everybody gets a `participantUpdated`, with all of its tracks and data.
  enum Update: Sendable {
    case nobody
    case sender
    case participant(String)
  }

  var urgency: MessageBudget.Urgency
  /// Bytes besides those of the message and of `update`.
  var more: Int
  var update: Update

  init(_ urgency: MessageBudget.Urgency = .usual, more: Int = 0, update: Update = .nobody) {
    (self.urgency, self.more, self.update) = (urgency, more, update)
  }
}

extension RoomRequest {
  fileprivate var passing: PassingCost {
    switch self {
    case .chat, .react: .init()
    case .raiseHand(_, let participant): .init(update: participant.map { .participant($0) } ?? .sender)
    // Everybody gets the whole poll.
    case .vote: .init(more: 2 << 10)
    case .createPoll, .setPoll, .removePoll: .init(.owed, more: 4 << 10)
    case .setRole(let participant, _), .setPermissions(let participant, _), .changePermissions(let participant, _, _):
      .init(.owed, update: .participant(participant))
    // The hands that are lowered were paid for when they were raised.
    case .muteParticipant, .stopTracks, .muteAll, .liftMuteAll, .askToUnmute, .removeParticipant, .spotlight,
      .lowerHands, .endMeeting:
      .init(.owed)
    }
  }
}
