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
    /// What becomes of places whose tokens end.
    var tokens = TokenRules()
  }

  /// What the room takes a newcomer by.
  struct Newcomer: Sendable {
    var admission: Admission
    var name: String
    var origin: String?
    var join: ClientMessage.Join
    var channel: SignalingChannel
    /// Where they come from, if a ban goes by that.
    var address: IPAddress?
    /// The passcode that they have shown to know; nil when the meeting had none.
    var passcode: PasscodeHash?
    /// Who the newcomer will be.
    var place = Place()
    /// Whether they waited and were let in: their place is reserved.
    var isAdmitted = false
    /// Whether it was a host who let them in, by hand.
    var isChosen = false
  }

  /// A place in a room: the participant's id, and the secret that gives the place back.
  struct Place: Sendable {
    let participant = "p_" + RandomID.text(characters: 12)
    let resumeToken = RandomID.text(characters: 40)
  }

  /// Why a room does not take somebody.
  enum Refusal: Error, Sendable, Equatable {
    /// The room has just ended; a new one is to be made.
    case closed
    case full
    /// The tenant has what it may have: which limit, as a sentence.
    case quota(LimitReached)
    case expired
    /// The token ended while its holder waited, and nobody is here without one.
    case tokenExpired
    case badOffer(String)
    case unavailable(String)
    case resumeExpired
    case wrongOrigin
    case locked
    /// The meeting has got another passcode since they came.
    case passcode
    /// What opened the door a moment ago does so no more.
    case refused(JoinRefusal)
    case lobbyFull
    /// The meeting is scheduled and begins later: when, on the clocks of which zone.
    case notStarted(CivilTime, zone: String)
    case cancelled
    /// A host removed whoever this is from the meeting for good.
    case banned
    /// The place ended by somebody's decision: for what reason, and in words.
    case over(EndReason, String)
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
  private var nextOrder = 0
  var speechCount = 0
  var chat: ChatHistory
  /// Waits for the end of the oldest message.
  var pruning: Task<Void, Never>?
  /// What the files of this room are kept under: the meeting may run again while the files of the last time are removed.
  var filesKey: MeetingID
  var keeping = RoomKeeping()
  var quality: [String: ConnectionQuality] = [:]
  var isClosed = false
  var isListening = false
  var endTask: Task<Void, Never>?
  /// What wakes the room when a member's token is due, and when.
  var tokenTimer: (task: Task<Void, Never>, time: Date)?
  /// The task that lets those in who wait for the meeting's time, and when it does.
  var opening: (time: Date, task: Task<Void, Never>)?
  private let onLeft: @Sendable (String) -> Void
  let onLobby: @Sendable (MeetingRoom, LobbyEvent) -> Void
  let onEnded: @Sendable (MeetingRoom) -> Void
  let doors: RoomDoors
  /// Who may not come back, as ``JoinGrant/banNotes(in:)`` names them.
  var bans: Set<TokenID> = []
  var decided = DecisionBook()
  /// Where in ``events`` the last thing stands that happened here.
  var lastNote: UInt64 = 0
  var muteAll: MuteAll?
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
    self.counters = counters
    self.log = log
    self.doors = doors
    self.events = events
    self.onLeft = onLeft
    self.onLobby = onLobby
    self.onEnded = onEnded
  }

  // MARK: Coming

  /// Takes somebody in: reserves the place, negotiates the media, then tells everybody. Or has them wait, and returns.
  /// `quota` is why their tenant may have nobody more; who waits is not told.
  @discardableResult func join(_ newcomer: Newcomer, quota: LimitReached? = nil) async throws(Refusal) -> Entry {
    let id = newcomer.place.participant
    var holdsPlace = newcomer.isAdmitted
    defer {
      if holdsPlace { reserved -= 1 }
      _ = lobby.arrive(id)
    }
    try await restore()
    if isClosed { throw .closed }
    // It may have been changed from outside of this process.
    take(newcomer.admission.meeting)
    if meeting.isExpired(at: Date()) { throw .expired }
    if endsPlace(of: newcomer.admission), newcomer.admission.grant.end <= Date() { throw .tokenExpired }
    if case .waits(let reason) = try mayEnter(newcomer) {
      try wait(newcomer, for: reason)
      return .waits(reason)
    }
    if let quota { throw .quota(quota) }
    // The one decision about room: made before anything is awaited, so two newcomers cannot both take the last place.
    if !holdsPlace {
      if isFull { throw .full }
      reserved += 1
      holdsPlace = true
    }
    start()
    let member = RoomMember(
      id: id, resumeToken: newcomer.place.resumeToken, admission: newcomer.admission, origin: newcomer.origin,
      order: nextOrder, name: newcomer.name, channel: newcomer.channel)
    member.address = newcomer.address
    nextOrder += 1
    seat(member)
    let refused = refusal(of: newcomer.join.tracks, member)
    let tracks = permitted(newcomer.join.tracks, member).map { Self.mediaTrack($0) }
    let answer: MediaAnswer
    do throws(MediaPlaneError) {
      answer = try await negotiate { [media, identity] () throws(MediaPlaneError) in
        try await media.join(
          meeting: identity.id.rawValue, participant: id, offer: newcomer.join.offer, tracks: tracks)
      }
    } catch {
      throw Self.refusal(of: error)
    }
    if isClosed || isBanned(newcomer.admission.grant, from: newcomer.address) {
      post { await $0.leave(participant: id) }
      throw isClosed ? .closed : .banned
    }
    member.publications = published(tracks, answer.accepted, by: member)
    member.slots.replace(with: answer.slots)
    // The rules for chat may have changed while the media server answered.
    (member.role, member.permissions) = rights(of: member)
    members[id] = member
    entered(member)
    let changes = member.slots.fill(with: receivable(ranked(), by: member))
    member.knownRevision = meeting.revision
    member.channel?.send(
      .welcome(
        .init(
          participant: id, resumeToken: member.resumeToken,
          resumeWindow: Int(limits.resumeWindow.components.seconds), meeting: info, answer: answer.sdp,
          participants: roster(for: member), slots: member.slots.info, chat: history(for: member),
          permissions: member.permissions.names, state: state(for: member),
          iceServers: doors.iceServers.serversInside(now: Int64(Date().timeIntervalSince1970)))))
    if let refused { member.channel?.refuse(.notAllowed, refused) }
    announce(.participantJoined(member.info), about: member, except: id)
    noteJoined(member)
    returned(member)
    assign(changes, to: member)
    askForSlots(member)
    if !member.publications.isEmpty { refill(except: id) }
    let known = visible(quality)
    if !known.isEmpty { member.channel?.send(.quality(known)) }
    if member.permissions.contains(.moderate) { hostCame(member) }
    watchToken(of: member)
    if lobby.arrive(id) { remove(member, reason: .left) }
    return .enters
  }

  /// Whether nobody more fits in.
  var isFull: Bool { placesLeft == 0 }

  /// How many more fit in.
  var placesLeft: Int { max(0, min(meeting.capacity ?? .max, limits.participants) - members.count - reserved) }

  /// Puts a new socket in the place of a lost (or half-open) one.
  func resume(participant: String, channel: SignalingChannel, origin: String?) throws(Refusal) {
    guard !isClosed, let member = members[participant] else { throw .resumeExpired }
    guard origin == member.origin || origin == nil else { throw .wrongOrigin }
    member.channel?.end(.replaced, "Another connection took over this place in the meeting.")
    let before = member.connection
    member.channel = channel
    if member.hasMedia { cancelExpiry(of: member) }
    channel.send(
      .resumed(
        participants: roster(for: member), slots: member.slots.info, chat: history(for: member),
        state: state(for: member)))
    tellMeeting(member)
    tellPermissions(member)
    tellToken(member)
    let known = visible(quality)
    if !known.isEmpty { channel.send(.quality(known)) }
    if member.permissions.contains(.moderate) { channel.send(.lobby(lobby.info)) }
    for publication in member.publications { tellDemand(of: publication, member) }
    // Also that nothing is paused: what was may have come back while there was no socket.
    tellPaused(member)
    member.askedFor = (0, 0)
    askForSlots(member)
    if member.connection != before { announce(.participantUpdated(member.info), about: member, except: participant) }
  }

  // MARK: Staying

  /// Deals with a message of a participant. The sender is the session's participant, whatever the message says.
  func handle(_ message: ClientMessage, from participant: String, channel: SignalingChannel) async {
    guard let member = members[participant], member.channel?.id == channel.id else {
      return handleOutside(message, from: participant, channel)
    }
    switch message {
    case .join, .resume: channel.refuse(.notAllowed, "This connection is in a meeting already.")
    case .offer(let offer): await renegotiate(offer, member, channel)
    case .mute(let mid, let muted, let id): setMuted(muted, mid: mid, id: id, member, channel)
    case .view(let views): if allows(.subscribe, member, channel) { show(views, member) }
    case .rename(let name): if isInPace(member, channel) { rename(name, member, channel) }
    case .chat(let text, let to, let id): say(text, to: to, id: id, member, channel)
    case .admit(let who, let id): if isInPace(member, channel, id: id) { await admit(who, id: id, member, channel) }
    case .deny(let who, let id): if isInPace(member, channel, id: id) { await deny(who, id: id, member, channel) }
    case .lock(let isLocked, let id):
      if isInPace(member, channel, id: id) { await lock(isLocked, id: id, member, channel) }
    case .signal(let signal, let to, let id): pass(signal, to: to, id: id, member, channel)
    case .room(let request, let id): await perform(request, id: id, member, channel)
    // Proved first, and then done by `renew`.
    case .renewToken: break
    case .leave:
      remove(member, reason: .left)
      channel.close()
    case .ping(let time): channel.send(.pong(time: time))
    }
  }

  private func renegotiate(_ offer: ClientMessage.Offer, _ member: RoomMember, _ channel: SignalingChannel) async {
    if let why = SignalingService.problem(with: offer.tracks) {
      channel.refuse(.badOffer, why, id: offer.id)
      return
    }
    if let why = refusal(of: offer.tracks, member) {
      channel.refuse(.notAllowed, why, id: offer.id)
      return
    }
    // A track keeps its publication as long as its m-section carries the same source.
    let tracks = permitted(offer.tracks, member).map { track in
      let known = member.publications.first { $0.mid == track.mid && $0.info.source == track.source }
      return Self.mediaTrack(track, publication: known?.info.id)
    }
    let participant = member.id
    let answer: MediaAnswer
    do throws(MediaPlaneError) {
      answer = try await negotiate { [media] () throws(MediaPlaneError) in
        try await media.offer(participant: participant, offer: offer.offer, tracks: tracks)
      }
    } catch {
      switch error {
      case .badOffer(let why): channel.refuse(.badOffer, why, id: offer.id)
      case .unknownParticipant, .unavailable:
        channel.refuse(.internalError, "The server cannot take the offer just now.", id: offer.id)
      }
      return
    }
    guard members[participant] === member else { return }
    let before = member.publications
    member.publications = published(tracks, answer.accepted, by: member)
    member.slots.replace(with: answer.slots)
    let changes = member.slots.fill(with: receivable(ranked(), by: member))
    member.channel?.send(
      .answer(
        id: offer.id, answer: answer.sdp, slots: member.slots.info, publications: member.publications.map(\.info)))
    assign(changes, to: member)
    for old in before where !member.publications.contains(where: { $0.info.id == old.info.id }) {
      broadcast(.unpublished(participant: participant, publication: old.info.id))
    }
    for new in member.publications {
      let old = before.first { $0.info.id == new.info.id }
      if old == nil {
        broadcast(.published(participant: participant, publication: new.info))
      } else if old?.info != new.info {
        broadcast(.publicationUpdated(participant: participant, publication: new.info))
      }
    }
    notePublications(of: member, before: before)
    askForSlots(member)
    if before.map(\.info.id) != member.publications.map(\.info.id) { refill(except: participant) }
  }

  private func setMuted(
    _ muted: Bool, mid: String, id: Int?, _ member: RoomMember, _ channel: SignalingChannel
  ) {
    guard let index = member.publications.firstIndex(where: { $0.mid == mid }) else {
      channel.refuse(.badMessage, "There is no track in m-section \(mid.prefix(16)).", id: id)
      return
    }
    if member.publications[index].info.muted == muted {
      if let id { channel.send(.room(.done(id: id))) }
      return
    }
    if !muted, !mayUnmute(member.publications[index].info.source, member) {
      channel.refuse(
        .notAllowed, "A host has muted everybody. Raise your hand, and wait to be asked to unmute.", id: id)
      member.publications[index].info.mutedByHost = true
      channel.send(.publicationUpdated(participant: member.id, publication: member.publications[index].info))
      return
    }
    member.publications[index].info.muted = muted
    member.publications[index].info.mutedByHost = nil
    let publication = member.publications[index].info
    let participant = member.id
    post { await $0.setMuted(muted, publication: publication.id, of: participant) }
    broadcast(.publicationUpdated(participant: participant, publication: publication))
    if let id { channel.send(.room(.done(id: id))) }
  }

  /// Slots are the receiver's own, so what it says of others has no effect.
  private func show(_ views: [SlotView], _ member: RoomMember) {
    let id = member.id
    post { await $0.setViews(views, of: id) }
  }

  private func rename(_ text: String, _ member: RoomMember, _ channel: SignalingChannel) {
    guard member.admission.grant.name == nil else {
      channel.refuse(.notAllowed, "The join token sets the name; it cannot be changed.")
      return
    }
    guard let name = DisplayName.clean(text) else {
      channel.refuse(.badName, "The name has no visible character.")
      return
    }
    guard name != member.name else { return }
    member.name = name
    announce(.participantUpdated(member.info), about: member)
  }

  private func say(_ text: String, to: String?, id: Int?, _ member: RoomMember, _ channel: SignalingChannel) {
    guard allows(.chat, member, channel, id: id) else { return }
    if let problem = Self.problem(withText: text) { return channel.refuse(.badMessage, problem, id: id) }
    if let refusal = refusal(toWriteTo: to, member) { return channel.refuse(refusal.code, refusal.sentence, id: id) }
    endTyping(member)
    pass(
      ChatEntry(id: chat.nextID(), from: member.id, name: member.name, text: text, time: Date(), to: to), id: id,
      channel)
  }

  /// Tells one participant of something that was refused, if there is a socket to tell it over.
  func refuse(_ code: SignalingErrorCode, _ message: String, to participant: String) {
    members[participant]?.channel?.refuse(code, message)
  }

  // MARK: Going

  /// A socket is gone: the place is held for the resume window.
  func detach(participant: String, channel: SignalingChannel) {
    guard let member = members[participant], member.channel?.id == channel.id else {
      return forget(participant, channel)
    }
    let before = member.connection
    member.channel = nil
    startExpiry(of: member)
    if member.connection != before { announce(.participantUpdated(member.info), about: member) }
  }

  /// Ends the meeting for everybody.
  func end(_ reason: EndReason, _ message: String) {
    guard !isClosed else { return }
    for member in members.values { member.channel?.end(reason, message) }
    for waiter in lobby.takeAll() {
      waiter.channel.end(reason, message)
      noteGone(waiter)
    }
    for member in members.values {
      cancelExpiry(of: member)
      doors.expelled(.init(resumeToken: member.resumeToken, reason: reason, message: message))
      onLeft(member.resumeToken)
      let id = member.id
      post { await $0.leave(participant: id) }
      noteLeft(member, reason: reason.rawValue)
    }
    members = [:]
    // What a killed server has left had begun, and ends here when nobody has come back yet; when the server only goes, it waits on.
    if keeping.isRestored, !keeping.wasEntered, reason != .shutdown { hasStarted = true }
    noteEnded(reason: reason.rawValue)
    finish(isLeaving: reason == .shutdown)
  }

  /// Closes the room when nobody is in it, on the way in or waiting; true when it is closed.
  func closeIfEmpty() -> Bool {
    if isClosed { return true }
    guard members.isEmpty, reserved == 0, lobby.isEmpty else { return false }
    noteEnded(reason: "empty")
    finish(isLeaving: true)
    return true
  }

  /// Waits until the media plane has done all that was asked of it.
  func settle() async { await queue.run {} }

  /// How many are in the room.
  var count: Int { members.count }

  func remove(_ member: RoomMember, reason: LeaveReason) {
    guard members[member.id] === member else { return }
    members[member.id] = nil
    quality[member.id] = nil
    cancelExpiry(of: member)
    onLeft(member.resumeToken)
    let id = member.id
    post { await $0.leave(participant: id) }
    noteLeft(member, reason: reason.rawValue)
    if !member.isHidden { broadcast(.participantLeft(id: id, reason: reason)) }
    forget(member)
    if !member.publications.isEmpty { refill() }
  }

  func startExpiry(of member: RoomMember) {
    guard member.expiry == nil else { return }
    let id = member.id
    let window = limits.resumeWindow
    member.expiry = Task { [weak self] in
      guard (try? await Task.sleep(for: window)) != nil else { return }
      await self?.windowPassed(for: id)
    }
  }

  func cancelExpiry(of member: RoomMember) {
    member.expiry?.cancel()
    member.expiry = nil
  }

  private func windowPassed(for id: String) {
    guard let member = members[id], member.connection == .reconnecting, !Task.isCancelled else { return }
    member.channel?.fail(.resumeExpired, "The connection was lost for too long. Join again.")
    remove(member, reason: .timeout)
  }

  // MARK: Small things

  var info: MeetingInfo {
    MeetingInfo(
      id: identity.id.rawValue, name: identity.room.display, url: url, subject: meeting.subject,
      expires: meeting.expires, announces: meeting.lobby.announces, chat: chatRules)
  }

  func broadcast(_ message: ServerMessage, except: String? = nil, where isMeant: (RoomMember) -> Bool = { _ in true }) {
    guard let text = try? SignalingEncoder().encode(message) else { return }
    for member in members.values where member.id != except && isMeant(member) { member.channel?.send(text: text) }
  }

  private static func mediaTrack(_ track: TrackDescription, publication: String? = nil) -> MediaTrack {
    MediaTrack(
      mid: track.mid, publication: publication ?? "t_" + RandomID.text(characters: 12), source: track.source,
      muted: track.muted, name: track.name.flatMap { DisplayName.clean($0) })
  }

  static func publication(_ track: MediaTrack) -> RoomMember.Publication {
    RoomMember.Publication(
      mid: track.mid,
      info: PublicationInfo(
        id: track.publication, kind: track.source.kind, source: track.source, muted: track.muted, name: track.name,
        created: Date()))
  }

  private static func refusal(of error: MediaPlaneError) -> Refusal {
    switch error {
    case .badOffer(let why): .badOffer(why)
    case .unknownParticipant: .unavailable("the participant vanished")
    case .unavailable(let why): .unavailable(why)
    }
  }
}
