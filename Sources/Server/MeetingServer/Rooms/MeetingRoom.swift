import Basics
import FoundationEssentials
import Meetings
import Signaling

/// One running meeting: who is in it, what they publish, what each receives, and the chat.
///
/// Every decision is made in one go on the actor, without waiting in between: who still fits in, which socket stands for
/// a participant, what a slot carries. What follows for the media goes through a queue in the same order.
actor MeetingRoom {
  /// How long things take, and how many there may be.
  struct Limits: Sendable {
    /// How long a place is held without a socket.
    var resumeWindow: Duration = .seconds(30)
    /// Participants at a time, where the meeting's record does not say less.
    var participants = 500
    /// Slots that clients are asked to have at most.
    var maximumSlots = (audio: 16, video: 48)
    /// How long somebody waits to be let in, where the meeting's record does not say.
    var lobbyPatience: Duration = .seconds(1_800)
    /// How long somebody counts as typing who does not say so again.
    var typingPatience = TimeSpan.seconds(6)
    /// How soon a sender may be asked for another codec again.
    var codecInterval = TimeSpan.seconds(5)
    /// What becomes of places whose tokens end.
    var tokens = TokenRules()
    /// How much of what participants send is passed on.
    var rates = MessageBudget.Rates()
  }

  /// What never changes of a meeting.
  struct Identity: Sendable {
    let id: MeetingID
    let tenant: TenantID
    let room: RoomName
  }

  nonisolated let identity: Identity
  /// The meeting as it is now: what of it is changed is changed here too (``take(_:)``).
  var meeting: MeetingRecord
  private let url: String
  let media: any MediaPlane
  let limits: Limits
  let counters: ServerCounters
  let log: Log
  let queue = MediaQueue()
  nonisolated let events: RoomEvents
  var hasStarted = false

  var members: [String: RoomMember] = [:]
  /// Places of those who are on the way in.
  var reserved = 0
  var lobby = Lobby()
  /// How often hosts are told who waits, and whether they are about to be.
  var lobbyPace = RateLimit(perSecond: 4, burst: 20, now: Monotonic.now)
  var tellsHostsSoon = false
  var nextOrder = 0
  var speechCount = 0
  var chat: ChatHistory
  /// Waits for the end of the oldest message.
  var pruning: Task<Void, Never>?
  /// What the files of this room are kept under: the meeting may run again while the files of the last time are removed.
  var filesKey: MeetingID
  var keeping = RoomKeeping()
  var quality: [String: ConnectionQuality] = [:]
  /// Whose quality has changed since everybody was told.
  var untoldQuality: Set<String> = []
  /// What changed of who can decode what, until it is told.
  var codecChanges = CodecChanges()
  /// Waits until a sender may be asked for another codec again.
  var codecTimer: Task<Void, Never>?
  var isClosed = false
  var isListening = false
  var endTask: Task<Void, Never>?
  /// What wakes the room when a member's token is due, and when.
  var tokenTimer: (task: Task<Void, Never>, time: Date)?
  /// The task that lets those in who wait for the meeting's time, and when it does.
  var opening: (time: Date, task: Task<Void, Never>)?
  let onLeft: @Sendable (String) -> Void
  let onLobby: @Sendable (MeetingRoom, LobbyEvent) -> Void
  let onEnded: @Sendable (MeetingRoom) -> Void
  let doors: RoomDoors
  /// Who may not come back, as ``JoinGrant/banNotes(in:)`` names them.
  var bans: Set<TokenID> = []
  var decided = DecisionBook()
  /// Where in ``events`` the last thing stands that happened here.
  var lastNote: UInt64 = 0
  var muteAll: MuteAll?
  /// How much of what participants send is passed on now.
  var budget: MessageBudget
  /// Whom everybody is to show large.
  var spotlight: String?
  var handCount = 0
  var polls = PollTable()
  /// Polls whose new results wait to be told.
  var untoldPolls: Set<Int> = []

  /// A room for `record`, empty. `onLeft` is told the resume token of every place that ends, `onLobby` what happens in the lobby,
  /// `onEnded` that the room is closed, whatever closed it and whoever was in it.
  init(
    record: MeetingRecord, url: String, media: any MediaPlane, limits: Limits, counters: ServerCounters, log: Log,
    doors: RoomDoors = RoomDoors(), events: RoomEvents = RoomEvents(), onLeft: @escaping @Sendable (String) -> Void,
    onLobby: @escaping @Sendable (MeetingRoom, LobbyEvent) -> Void,
    onEnded: @escaping @Sendable (MeetingRoom) -> Void = { _ in }
  ) {
    identity = Identity(id: record.id, tenant: record.tenant, room: record.room)
    meeting = record
    chat = ChatHistory(after: Int(Date().timeIntervalSince1970 * 1_000), policy: record.chat)
    filesKey = MeetingID(rawValue: "\(record.id) \(RandomID.text(characters: 8))")
    self.url = url
    self.media = media
    self.limits = limits
    budget = MessageBudget(limits.rates, now: Monotonic.now)
    self.counters = counters
    self.log = log
    self.doors = doors
    self.events = events
    self.onLeft = onLeft
    self.onLobby = onLobby
    self.onEnded = onEnded
  }

  var info: MeetingInfo {
    MeetingInfo(
      id: identity.id.rawValue, name: identity.room.display, url: url, subject: meeting.subject,
      expires: meeting.expires, announces: meeting.lobby.announces, chat: chatRules)
  }

  func broadcast(_ message: ServerMessage, except: String? = nil, where isMeant: (RoomMember) -> Bool = { _ in true }) {
    guard let text = try? SignalingEncoder().encode(message) else { return }
    for member in members.values where member.id != except && isMeant(member) { member.channel?.send(text: text) }
  }
}
