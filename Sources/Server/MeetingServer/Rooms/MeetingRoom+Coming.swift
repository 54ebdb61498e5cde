import Basics
import FoundationEssentials
import Meetings
import SFU
import Signaling

/// How somebody comes in, or takes their place back.
extension MeetingRoom {
  /// What the room takes a newcomer by.
  struct Newcomer: Sendable {
    var admission: Admission
    var name: String
    var origin: String?
    var join: ClientMessage.Join
    var channel: SignalingChannel
    /// Where they come from, if a ban goes by that.
    var address: IPAddress?
    /// The address of this machine that they have reached, where that is known.
    var reached: IPAddress?
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
    let uses = rightsUsed(by: newcomer)
    if !uses.isEmpty, let reached = events.refusalOfRights { throw .quota(reached) }
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
    let answer: OfferAnswer
    do throws(MediaWorkerError) {
      answer = try await negotiate { [media, identity] () throws(MediaWorkerError) in
        try await media.join(
          ParticipantID(rawValue: id), meeting: identity.id, offer: newcomer.join.offer, tracks: tracks.map(\.offer),
          reached: newcomer.reached)
      }
    } catch {
      throw Self.refusal(of: error)
    }
    // Before they hear anything.
    await noteRights(uses, member)
    if isClosed || isBanned(newcomer.admission.grant, from: newcomer.address) {
      for use in uses { noteUndone(use, member, "the meeting is over, or closed to them") }
      post { await $0.leave(ParticipantID(rawValue: id)) }
      throw isClosed ? .closed : .banned
    }
    member.publications = published(tracks, answer.accepted, by: member)
    member.slots.replace(with: answer.slots, rejected: answer.rejectedSlots)
    // The rules for chat may have changed while the media server answered.
    (member.role, member.permissions) = rights(of: member)
    members[id] = member
    decided.noteReturn(of: newcomer.admission.grant)
    // From here on they are counted as a member, and who comes in by their coming must not find that place taken twice.
    reserved -= 1
    holdsPlace = false
    entered(member)
    assessCodecs(for: member)
    assessCodecs(of: member)
    let changes = member.slots.fill(with: receivable(ranked(), by: member))
    member.knownRevision = meeting.revision
    member.channel?.admit(
      with: .welcome(
        .init(
          participant: id, resumeToken: member.resumeToken,
          resumeWindow: Int(limits.resumeWindow.components.seconds), meeting: info, answer: answer.sdp,
          participants: roster(for: member), slots: member.slots.info, chat: history(for: member),
          permissions: member.permissions.names, state: state(for: member),
          iceServers: doors.iceServers().serversInside(now: Int64(Date().timeIntervalSince1970)))))
    if let refused { member.channel?.refuse(.notAllowed, refused) }
    notifyRejected(tracks, answer, member.channel)
    announce(.participantJoined(member.info), about: member, except: id)
    noteJoined(member)
    returned(member)
    assign(changes, to: member)
    askForSlots(member)
    notifyCodecs()
    if !member.publications.isEmpty { refill(except: id) }
    let known = visible(quality)
    if !known.isEmpty { member.channel?.send(.quality(known)) }
    if member.permissions.contains(.moderate) { hostCame(member) }
    watchToken(of: member)
    if lobby.arrive(id) { remove(member, reason: .left) }
    return .enters
  }

  /// What somebody does by coming in that not everybody may: to be there unseen, since nobody in the meeting sees who listens, and to come in where
  /// others are kept out or wait.
  private func rightsUsed(by newcomer: Newcomer) -> [RightUse] {
    let (grant, passed) = (newcomer.admission.grant, passed(by: newcomer))
    let user = grant.user.map { "user \($0)" } ?? ""
    var uses: [RightUse] = []
    if grant.role == .hidden { uses.append(RightUse("joinHidden", newcomer.place.participant, user)) }
    if !passed.isEmpty {
      let past = "past \(passed.joined(separator: " and "))"
      uses.append(RightUse("joinAsHost", newcomer.place.participant, user.isEmpty ? past : "\(past), \(user)"))
    }
    return uses
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
    counters.resumes.add(1)
    channel.admit(
      with: .resumed(
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
    notifyCodecsAgain(member)
    member.askedFor = (0, 0)
    askForSlots(member)
    if member.connection != before { announce(.participantUpdated(member.info), about: member, except: participant) }
  }

  private static func refusal(of error: MediaWorkerError) -> Refusal {
    switch error {
    case .badOffer(let why): .badOffer(why)
    case .unknownParticipant: .unavailable("the participant vanished")
    case .duplicateParticipant: .unavailable(error.description)
    case .unavailable: .unavailable(error.description)
    }
  }
}
