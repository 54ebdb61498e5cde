import Basics
import Media
public import Observation
import RTC
public import Signaling

/// A meeting as this client takes part in it.
///
/// Everything here belongs to the main actor and can be observed by a user interface; media itself never touches it.
/// After ``join()`` returned, ``state`` is `connected`, which always means that audio and video can flow. A lost
/// connection is brought back without the app's help (``MeetingEvent/reconnecting(_:)``, ``MeetingEvent/reconnected``).
///
/// ```swift
/// let meeting = try await Meeting.join("http://localhost:8080/hello", name: "Ann")
/// try await meeting.local.publish(LocalVideoTrack(TestPictureSource()))
/// for await event in meeting.events { print(event) }
/// ```
@MainActor @Observable public final class Meeting {
  /// The state of a meeting.
  ///
  /// ```swift
  /// switch meeting.state {
  /// case .idle, .connecting: print("One moment …")
  /// case .waiting: print("Waiting to be let in.")
  /// case .connected: print("You can be seen and heard.")
  /// case .reconnecting: print("The connection is being brought back.")
  /// case .ended: print("The meeting is over.")
  /// }
  /// ```
  public enum State: String, Hashable, Sendable {
    /// Before ``Meeting/join()``.
    case idle
    /// Joining; media does not flow yet.
    case connecting
    /// Waiting to be let in, or for a host; ``Meeting/waitingReason`` says which. Nothing of the meeting is known yet.
    case waiting
    /// Joined, and media flows.
    case connected
    /// The signalling or the media connection was lost and is being brought back.
    case reconnecting
    /// Over for this client.
    case ended
  }

  /// The state of the meeting.
  public internal(set) var state = State.idle

  /// The reason for waiting while ``state`` is `waiting`; nil otherwise.
  public internal(set) var waitingReason: WaitingReason?

  /// The participants who wait to be let in, in the order they came. Always empty for others than hosts.
  public var lobby: [WaitingParticipant] { lobbyState.waiting }

  /// Whether a host has locked the meeting. Known to hosts only; false for everybody else.
  public var isLocked: Bool { lobbyState.isLocked }
  var lobbyState = Lobby()

  public let local: LocalParticipant

  /// The others, in the order they joined.
  public var participants: [RemoteParticipant] { roster.participants }
  var roster: Roster

  /// The participants who speak now, loudest first.
  public var speakers: [any Participant] { speakerState.all }
  var speakerState = Speakers()

  /// The chat so far, in order: the newest ``maximumChatMessages``.
  public var chat: [ChatMessage] { chatMessages.all }
  var chatMessages = ChatMessages(limit: Meeting.maximumChatMessages)

  /// The meeting's id, name, address, title and end; nil before joining.
  public internal(set) var info: MeetingInfo?

  /// The polls, in the order they were made.
  public var polls: [Poll] { pollState.all }
  var pollState = Polls()

  /// A host's muting that covers later tracks too; nil without one.
  public var muteForAll: MuteForAll? { moderation.muteForAll }
  var moderation: Moderation

  /// Why it ended, once ``state`` is `ended`.
  public internal(set) var endReason: EndReason?

  /// The last error that ended the meeting or could not be mended, in words.
  public internal(set) var lastError: JoinError?

  /// The end-to-end encryption, as far as this client has verified it. Each change is also an event,
  /// ``MeetingEvent/encryptionChanged(_:)``.
  public internal(set) var encryption = MeetingEncryption()

  /// The identities of others, those of this meeting included; nil when ``JoinOptions/knownIdentities`` is.
  public internal(set) var knownIdentities: KnownIdentities?

  /// When the phases of joining were over.
  public internal(set) var times = JoinTimes()

  /// How the meeting was joined.
  ///
  /// ```swift
  /// let relayed = meeting.options.usesOnlyRelays
  /// ```
  @ObservationIgnored public let options: JoinOptions

  /// With the newest token.
  @ObservationIgnored var location: MeetingLocation
  @ObservationIgnored var signaling: SignalingSession?
  /// Nil for a meeting that is joined without encryption.
  @ObservationIgnored let secret: MeetingSecret?
  @ObservationIgnored var connection: MediaConnection?
  @ObservationIgnored var joinedOnce = false

  // The parts: values without I/O, each in a file of its own in `Parts`. The extensions of the meeting sequence them.
  @ObservationIgnored var slots = Slots()
  @ObservationIgnored var views = ViewReports()
  @ObservationIgnored var connectionState = ConnectionParts()
  @ObservationIgnored var serverProblems = ServerProblems()
  @ObservationIgnored var negotiation = Negotiation()
  @ObservationIgnored var requests = PendingRequests()
  /// Chat messages and signals without the server's answer.
  @ObservationIgnored var queue = SendQueue()
  @ObservationIgnored var feed = EventFeed<MeetingEvent>(limit: Meeting.maximumWaitingEvents)

  /// Whether something waits for its turn.
  @ObservationIgnored var awaitsTurn = false
  /// The ids that this client had in the meeting, the present one included: each full rejoin gives it another.
  @ObservationIgnored var ownIDs: Set<String> = []
  /// The work of ``join()``.
  @ObservationIgnored var joining: Task<Result<Void, JoinError>, Never>?
  /// Ends the joining that takes too long.
  @ObservationIgnored var joinDeadline: Task<Void, Never>?
  /// Ends the meeting when a lost connection is not back in time; nil while nothing is lost.
  @ObservationIgnored var reconnectTimeout: Task<Void, Never>?
  /// The tasks that end with this meeting.
  @ObservationIgnored let tasks = TaskList()
  /// The goodbye under way, which every caller of ``leave()`` waits for.
  @ObservationIgnored var leaving: Task<Void, Never>?
  /// Whether the server has answered the goodbye of ``leave()``, known when that returns.
  @ObservationIgnored package internal(set) var isGoodbyeHeard = false
  /// Calls that wait for media to flow, or to end.
  @ObservationIgnored let mediaWaiters = WaiterList()
  /// Calls that wait for room in a data channel's buffer.
  @ObservationIgnored let dataWaiters = WaiterList()
  /// Whether changed views are reported in a moment.
  @ObservationIgnored var viewsWait = false
  @ObservationIgnored var soundSink: (any AudioSink)?

  init(_ location: MeetingLocation, name: String?, options: JoinOptions) {
    self.location = location
    self.options = options
    var fallback: String?
    var linkSecret = options.linkSecret
    if case .address(let address, _) = location {
      fallback = address.displayName
      linkSecret = linkSecret ?? address.linkSecret
    }
    secret = linkSecret.map { MeetingSecret($0, identity: options.identity) }
    let local = LocalParticipant(name: name ?? options.name ?? fallback ?? "Guest")
    self.local = local
    roster = Roster(local)
    moderation = Moderation(local)
    local.meeting = self
    knownIdentities = options.knownIdentities
    if secret != nil { encryption = MeetingEncryption(.waiting) }
  }

  /// Letting go of a meeting leaves it, too.
  isolated deinit {
    guard state != .ended else { return }
    let channel = signaling?.channel
    channel?.send(.leave)
    channel?.close()
    giveBack()
    feed.finish()
  }

  /// Most events that wait for a reader: further ones push out the oldest.
  public static let maximumWaitingEvents = 4_096

  /// Most messages in ``chat``: further ones push out the oldest.
  public static let maximumChatMessages = 2_000

  /// Somebody by id, oneself included.
  ///
  /// ```swift
  /// if let author = meeting.participant(message.from) { print(author.name) }
  /// ```
  public func participant(_ id: String) -> (any Participant)? { roster.participant(id) }

  /// The meeting's events, in order. The first call gives everything from the beginning; each further one gives a
  /// stream of its own, of later events. Streams end after ``MeetingEvent/ended(_:message:)``.
  ///
  /// At most ``maximumWaitingEvents`` wait for a reader that is slow or not there; the newest are kept.
  public var events: AsyncStream<MeetingEvent> {
    feed.makeStream(isOver: state == .ended) { [weak self] id in
      Task { @MainActor in self?.feed.removeReader(id) }
    }
  }

  func emit(_ event: MeetingEvent) { feed.emit(event) }

  /// Sends a message when there is a socket; lost ones are repeated after a resume.
  func send(_ message: ClientMessage) {
    // The first message on a socket must be the one that asks to be let in; earlier changes are in it, or follow the
    // welcome.
    guard let signaling, signaling.hasAsked else { return }
    signaling.channel.send(message)
  }
}

/// The session in a meeting that `welcome` gave, and the socket that holds it.
@MainActor final class SignalingSession {
  var channel: SignalingChannel
  let document: DiscoverDocument
  var resumeToken = Secret("")
  var resumeWindow = TimeSpan.seconds(30)
  /// Whether the message that asks to be let in was sent.
  var hasAsked = false
  /// Whether the server has let this client in.
  var isWelcome = false
  /// Whether the server had this client wait first.
  var hasWaited = false

  init(channel: SignalingChannel, document: DiscoverDocument) {
    self.channel = channel
    self.document = document
  }
}
