import Basics
import FoundationEssentials
import Meetings
import Signaling

/// The logic of one running meeting. It does no I/O and reads no clock.
///
/// ```swift
/// let machine = RoomMachine(record, setup: setup, now: now)
/// let effects = machine.apply(.message(message, id: 7, size: 80, from: participant, over: channel), now: now)
/// ```
///
/// A command comes with the time and returns its effects in order. Calls with an answer, such as
/// ``beginJoin(_:quota:)``, come after ``begin(_:)``, and ``drainEffects()`` follows them. At ``deadline`` the machine
/// wants a ``RoomCommand/timeout``.
///
/// Each part has a type of its own, and the extensions connect them:
/// - participants: ``Roster``; join requests that wait: ``Lobby``; slots: ``SlotTable``
/// - hosts' decisions: ``Moderation``; polls: ``PollTable``
/// - the chat: ``ChatHistory``, ``ChatDelivery``
/// - the part that survives the process: ``RoomJournal``
final class RoomMachine {
  /// The constants of a room.
  struct Setup {
    let identity: MeetingRoom.Identity
    /// The meeting's URL as participants see it.
    let url: String
    let limits: MeetingRoom.Limits
    /// The most bytes of a chat file; nil where no files are taken.
    let fileLimit: Int?
    let hasJournal: Bool
    /// Makes a random id of so many characters.
    var makeID: (Int) -> String = { RandomID.text(characters: $0) }
  }

  let setup: Setup
  let output = RoomOutput()
  /// The time of the command under way.
  var now: RoomTime
  /// Why no audited action can be carried out just now; nil when it can.
  var auditBacklog: LimitReached?

  /// The meeting as it is now: a change of it arrives with ``RoomCommand/changeMeeting(_:)``.
  var meeting: MeetingRecord
  var lifeCycle = LifeCycle()
  var pending = PendingOperations()
  var roster = Roster()
  var lobby = Lobby()
  var moderation = Moderation()
  var hands = RaisedHands()
  var polls = PollTable()
  var pollChanges = CoalescedChanges<Int>(pause: .milliseconds(300))
  var chat: ChatHistory
  var chatDelivery = ChatDelivery()
  /// When the oldest chat message is to be forgotten.
  var chatPruning: Date?
  /// When a member's token is due.
  var tokenDue: Date?
  var codecs = CodecChanges()
  /// Publications that change faster than the others hear of.
  var publicationChanges = CoalescedChanges<String>(pause: .milliseconds(500))
  var quality: [String: ConnectionQuality] = [:]
  var qualityChanges = CoalescedChanges<String>(pause: .milliseconds(500))
  var journal = RoomJournal()
  /// How much of what participants send is passed on now.
  var budget: MessageBudget
  /// Keys of an encrypted meeting on their way between participants.
  var keyRelay: KeyRelay

  /// Whether the room has begun and ended.
  struct LifeCycle {
    /// Whether the meeting's start was reported.
    var hasStarted = false
    /// Whether the media plane's events are read.
    var isListening = false
    var isClosed = false
    /// Whether the meeting's end is watched.
    var watchesEnd = false
    /// Whether a join has decided the meeting's mode that isn't written down yet.
    var isModeOpen = false
  }

  /// An empty room for a meeting.
  init(_ record: MeetingRecord, setup: Setup, now: RoomTime) {
    self.setup = setup
    self.now = now
    meeting = record
    chat = ChatHistory(after: Int(now.date.timeIntervalSince1970 * 1_000), policy: record.chat)
    budget = MessageBudget(setup.limits.rates, now: now.instant)
    keyRelay = KeyRelay(now: now.instant)
  }

  var isClosed: Bool { lifeCycle.isClosed }

  /// The meeting as clients see it.
  var info: MeetingInfo {
    MeetingInfo(
      id: setup.identity.id.rawValue, name: setup.identity.room.display, url: setup.url, subject: meeting.subject,
      expires: meeting.expires, announces: meeting.lobby.announces, chat: chatRules,
      e2ee: isEncrypted ? true : nil)
  }

  // MARK: Commands

  /// Sets the time of the calls that follow.
  func begin(_ now: RoomTime) { self.now = now }

  /// The effects since the last call, in order.
  func drainEffects() -> [RoomEffect] { output.drain() }

  /// Applies a command, and returns its effects in order.
  func apply(_ command: RoomCommand, now: RoomTime) -> [RoomEffect] {
    begin(now)
    switch command {
    case .message(let message, let id, let size, let participant, let channel):
      receive(message, id: id, size: size, from: participant, client(channel))
    case .detach(let participant, let channel): detach(participant: participant, client(channel))
    case .media(let event): handle(event)
    case .offerAnswered(let token, let result): offerAnswered(token, result)
    case .audited(let token): resumeRequest(token)
    case .slotsRefused(let mids, let receiver): refuseSlots(mids, of: receiver)
    case .journalWritten(let write, let isWritten): deliverChat(through: write, isWritten: isWritten)
    case .tokenRefreshed(let fresh, let participant, let grant): deliver(fresh, to: participant, insteadOf: grant)
    case .renewToken(let admission, let participant, let id, let channel):
      renewToken(admission, of: participant, id: id, client(channel))
    case .revokeToken(let token, let tenant): revokeToken(token, of: tenant)
    case .retireKey(let key, let tenant): retireKey(key, of: tenant)
    case .changeMeeting(let record): changeMeeting(record)
    case .end(let reason, let message): end(reason, message)
    case .refuse(let refusal, let participant): roster[participant]?.channel?.refuse(refusal)
    case .timeout: handleTimeout()
    }
    return drainEffects()
  }

  // MARK: Time

  /// How long it is from the time of the last command until the next ``RoomCommand/timeout``; nil when nothing is due.
  var deadline: TimeSpan? {
    guard !isClosed else { return nil }
    let instants = [
      roster.deadline == .distantFuture ? nil : roster.deadline, lobby.deadline, pollChanges.deadline,
      qualityChanges.deadline, publicationChanges.deadline, codecs.deadline, keyRelay.deadline,
    ]
    let dates = [lifeCycle.watchesEnd ? meeting.expires : nil, chatPruning, tokenDue, lobby.opening]
    // The machine's clock may be set, so a date is compared every hour.
    let spans = dates.compactMap(\.self).map { date in
      TimeSpan(nanoseconds: Int64(min(max(0, date.timeIntervalSince(now.date)), 3_600) * 1e9))
    }
    return (instants.compactMap(\.self).map { max(.zero, $0 - now.instant) } + spans).min()
  }

  private func handleTimeout() {
    guard !isClosed else { return }
    if roster.deadline <= now.instant {
      for member in roster.members { handleDeadline(of: member) }
      roster.reschedule()
    }
    removeExpiredWaiters()
    if lobby.owesHosts(now: now.instant) { notifyHosts() }
    if let opening = lobby.opening, opening <= now.date {
      lobby.opening = nil
      reconsiderWaiters()
    }
    if let changed = pollChanges.drain(now: now.instant) { for poll in changed.sorted() { notifyPoll(poll) } }
    if let changed = qualityChanges.drain(now: now.instant) { notifyQuality(of: changed) }
    if let changed = publicationChanges.drain(now: now.instant) { notifyPublications(changed) }
    sendWaitingEnvelopes()
    if let deadline = codecs.deadline, deadline <= now.instant { requestCodecsAgain() }
    if let chatPruning, chatPruning <= now.date {
      self.chatPruning = nil
      prune()
      schedulePruning()
    }
    if let tokenDue, tokenDue <= now.date { tokensAreDue() }
    if lifeCycle.watchesEnd, meeting.isExpired(at: now.date) { end(.expired, "The meeting's time is over.") }
  }

  private func handleDeadline(of member: RoomMember) {
    if member.chatting.typing != nil, member.chatting.typingEnd <= now.instant { endTyping(member) }
    dropHeldFiles(of: member)
    if let expiry = member.expiry, expiry <= now.instant { sessionExpired(member) }
  }

  // MARK: Effects

  /// A socket as the machine sees it.
  func client(_ channel: SignalingChannel) -> RoomChannel { RoomChannel(channel: channel, output: output) }

  func broadcast(_ message: ServerMessage, except: String? = nil, where isMeant: (RoomMember) -> Bool = { _ in true }) {
    let channels = roster.members.compactMap { member in
      member.id != except && isMeant(member) ? member.channel?.channel : nil
    }
    if !channels.isEmpty { output.append(.broadcast(message, to: channels)) }
  }

  func media(_ operation: RoomMediaOperation) { output.append(.media(operation)) }
  func count(_ counter: RoomCounter) { output.append(.count(counter)) }

  func log(_ level: Log.Level, _ event: String, _ fields: KeyValuePairs<String, any Sendable>) {
    output.append(.log(level, event, fields))
  }

  /// Reports something that happened in the meeting just now.
  func report(_ event: RoomEvent.Kind) { output.append(.event(RoomEvent(event, in: meeting, at: now.date))) }
}
