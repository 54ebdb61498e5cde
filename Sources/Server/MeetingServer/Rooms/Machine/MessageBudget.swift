import Basics
import Meetings
import Signaling

/// How much of what its participants send a meeting passes on.
///
/// Whatever one participant sends goes to everybody, so it is bounded by what a reader on a modest line can take: a
/// reader who cannot is cut off. Each sender has a budget, and all of them together have one. The last quarter of that
/// is kept for hosts and for those who have sent little lately, so that a few who send all they may do not silence the
/// others.
struct MessageBudget: Sendable {
  /// Bytes a second.
  struct Rates: Sendable, Equatable {
    /// Of one participant's messages.
    var sender = 64 << 10
    /// Of all participants' messages in one meeting.
    var meeting = 256 << 10
    /// Of all participants' data messages in one meeting.
    var data = 2 << 20
  }

  /// How what is refused or goes past the budget is treated.
  enum Urgency: Sendable {
    /// It is refused when the budget does not have it.
    case usual
    /// It goes out also when the budget does not have it, which then has less for what comes later: what is muted or
    /// taken away must be.
    case owed
  }

  /// What one participant has left. It belongs to the place, so that a new socket gives no new budget.
  struct Sender: Sendable {
    fileprivate var bytes: TokenBucket?
    /// What it may have of the reserve.
    fileprivate var little: TokenBucket?
    fileprivate var littleData: TokenBucket?
    /// Until when nothing is taken: what was sent right behind something that was refused must not overtake it.
    fileprivate var closedUntil = Instant.zero
    fileprivate var closedBy = LimitReached.Limit.senderRate
    /// When it was last told that data messages are dropped.
    fileprivate var toldOfData: Instant?
  }

  /// How much may come at once, as seconds of the rate; for a meeting it has to stay below what may wait in a reader's
  /// socket (1 MiB).
  private static let seconds = (sender: 4, meeting: 3, data: 2)
  private static let maximumBurst = 768 << 10
  /// Messages of a whole meeting: a second, and at once.
  static let messages = (perSecond: 200, burst: 800)
  /// What a message has besides what its sender said: who that is, how they are called, and when.
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
    bytes = TokenBucket(perSecond: rates.meeting, burst: min(rates.meeting * Self.seconds.meeting, Self.maximumBurst), from: now)
    data = TokenBucket(perSecond: rates.data, burst: rates.data * Self.seconds.data, from: now)
    count = TokenBucket(perSecond: Self.messages.perSecond, burst: Self.messages.burst, from: now)
  }

  /// Takes a message of `size` bytes; returns the limit that is reached when it is not to be passed on.
  mutating func spend(
    _ size: Int, of sender: inout Sender, isHost: Bool, _ urgency: Urgency = .usual, now: Instant
  ) -> LimitReached? {
    let size = size + Self.overhead
    let most = min(rates.sender * Self.seconds.sender, Self.maximumBurst)
    var own = sender.bytes ?? TokenBucket(perSecond: rates.sender, burst: most, from: now)
    defer { sender.bytes = own }
    // What is owed may cost as much again as a full budget, and no more: nobody who is no attacker comes there.
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

  /// Takes a data message of `size` bytes. It is dropped when this returns something, of which the sender is told when
  /// `isNews`.
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

  /// What passing a message on costs besides its own bytes; nil for one that nobody else hears of.
  var passing: (urgency: MessageBudget.Urgency, more: Int)? {
    switch self {
    // Keys have a budget of their own, ``KeyRelay``: no chat is to delay them, nor they a chat.
    case .join, .resume, .view, .renewToken, .leave, .ping, .announce, .keyEnvelopes: nil
    case .chat, .signal, .rename: (.usual, 0)
    // Nobody may be kept from muting, and no client from telling what it sends.
    case .mute: (.owed, 0)
    case .offer(let offer): (.owed, offer.tracks.count * MessageBudget.overhead - offer.offer.utf8.count)
    case .admit, .deny, .lock: (.owed, 0)
    case .room(let request, _): request.passing
    }
  }
}

extension RoomRequest {
  fileprivate var passing: (urgency: MessageBudget.Urgency, more: Int) {
    switch self {
    case .chat, .raiseHand, .react: (.usual, 0)
    // Everybody hears of the whole poll.
    case .vote: (.usual, 2 << 10)
    case .createPoll, .setPoll, .removePoll: (.owed, 4 << 10)
    case .muteParticipant, .stopTracks, .muteAll, .liftMuteAll, .askToUnmute, .removeParticipant, .setRole,
      .setPermissions, .changePermissions, .spotlight, .lowerHands, .endMeeting:
      (.owed, 0)
    }
  }
}
