import Meetings
import Signaling

/// What participants ask for over signalling, and who may. What is done then is in the other files; here it is decided.
extension MeetingRoom {
  /// Why a request is refused.
  struct RequestRefusal: Error {
    var code: SignalingErrorCode
    var sentence: String

    static func notAllowed(_ sentence: String) -> RequestRefusal { .init(code: .notAllowed, sentence: sentence) }
    static func bad(_ sentence: String) -> RequestRefusal { .init(code: .badMessage, sentence: sentence) }
  }

  /// Carries a request out or refuses it, and says which to a client that gave it a number.
  func perform(_ request: RoomRequest, id: Int?, _ member: RoomMember, _ channel: SignalingChannel) {
    if case .chat(let wish) = request { return perform(wish, id: id, member, channel) }
    guard member.pace.take(request, now: Monotonic.now) else { return refuseHaste(channel, id: id) }
    var written: Task<Bool, Never>?
    lastRight = nil
    do throws(RequestRefusal) {
      switch request {
      case .raiseHand, .lowerHands, .react: try gesture(request, member)
      case .createPoll, .setPoll, .removePoll, .vote: try poll(request, member)
      case .endMeeting:
        try ensureModerates(member)
        noteRight("endMeeting", "", member)
        return end(by: member, id: id, channel)
      default:
        try ensureModerates(member)
        // As things are before it is done.
        let use = use(request)
        written = try host(request, member)
        noteRight(use.action, use.target, member, use.detail)
      }
    } catch {
      channel.refuse(error.code, error.sentence, id: id)
      return
    }
    answer(id, channel, after: written)
  }

  /// Whether a participant may ask for something now that is no ``RoomRequest``; it is told when it has asked too often.
  func isInPace(_ member: RoomMember, _ channel: SignalingChannel, id: Int? = nil) -> Bool {
    if member.pace.takeAny(now: Monotonic.now) { return true }
    refuseHaste(channel, id: id)
    return false
  }

  private func refuseHaste(_ channel: SignalingChannel, id: Int?) {
    channel.refuse(.tooFast, "That was asked for too often. Wait a moment.", id: id)
  }

  /// Says that what a client asked for under a number is done, as soon as that and who did it is on the disk: done is what a server that ends this
  /// moment still knows when it runs again. `ban` is what has to be written besides.
  func answer(_ id: Int?, _ channel: SignalingChannel, after ban: Task<Bool, Never>? = nil) {
    let (place, right, book) = (keepState(), lastRight, doors.running)
    guard let id else { return }
    if right == nil, book?.has(place, of: identity.id) ?? true { return channel.send(.room(.done(id: id))) }
    Task { [events, meeting = identity.id] in
      if let ban, !(await ban.value) {
        let sentence = "They are out, but the server could not write down that they may not come back."
        return channel.refuse(.internalError, sentence, id: id)
      }
      let isKept = await book?.isWritten(place, of: meeting) ?? true
      told(through: place, isWritten: isKept)
      let isNoted = if let right { await events.isWritten(right) } else { true }
      channel.answer(id, isWritten: isKept && isNoted)
    }
  }

  /// A host ends the meeting. Everybody else is out at once; the host is told when it is written down who did it, and what became of the meeting.
  private func end(by host: RoomMember, id: Int?, _ channel: SignalingChannel) {
    let message = "A host has ended the meeting."
    guard let id, let right = lastRight else { return end(.endedByHost, message) }
    host.channel = nil
    end(.endedByHost, message)
    Task { [events, lastNote, place = keeping.place, book = doors.running] in
      // What came last is written last.
      let isNoted = await events.isWritten(lastNote)
      let isWritten = await book?.isWritten(place, of: identity.id) ?? true && isNoted
      channel.answer(id, isWritten: isWritten && right != RoomEvents.nowhere)
      channel.end(.endedByHost, message)
    }
  }

  /// Does what a host asks for. Where the task that it returns has not ended, it is not written down yet.
  private func host(_ request: RoomRequest, _ member: RoomMember) throws(RequestRefusal) -> Task<Bool, Never>? {
    switch request {
    case .muteParticipant(let id, let sources):
      let target = try target(id, of: member)
      var muted = Set(sources)
      if muted.remove(.screen) != nil {
        stop([.screen, .screenAudio], of: target.id)
        muted.remove(.screenAudio)
      }
      forceMute(participant: target.id, sources: muted)
    case .muteAll(let sources, let except, let exceptTracks, let includingLater, let includingSelf, let mayUnmute):
      var spared = Set(except).union(members.values.filter { rank($0) > rank(member) }.map(\.id))
      if !includingSelf { spared.insert(member.id) }
      muteAll(
        sources: Set(sources), except: spared, exceptTracks: Set(exceptTracks), includingLater: includingLater,
        mayUnmute: mayUnmute)
    case .liftMuteAll: liftMuteAll()
    case .askToUnmute(let id, let sources):
      let target = try target(id, of: member)
      let possible = sources.filter { target.permissions.contains(Self.permission(for: $0)) }
      guard !possible.isEmpty else {
        throw .notAllowed("\(target.name) may not send that in this meeting. Give the permission first.")
      }
      muteAll?.except.insert(id)
      target.channel?.send(.room(.unmuteRequested(sources: possible, by: member.isHidden ? nil : member.id)))
    case .removeParticipant(let id, let ban):
      let target = try target(id, of: member)
      guard target !== member else { throw .bad("You cannot remove yourself. Leave instead.") }
      let message = "A host has removed you from the meeting."
      if ban { return self.ban(id, message: message) }
      removeParticipant(id, message: message)
    case .setRole(let id, let name):
      let target = try target(id, of: member)
      guard let role = Role(name: name) else { throw .bad("There is no role of that name.") }
      guard role != .hidden, role != .recorder else { throw .notAllowed("Only a join token gives this role.") }
      guard role != .organizer || member.role == .organizer else {
        throw .notAllowed("Only an organizer can make others organizers.")
      }
      try ensure(member, mayGive: role.permissions, to: target)
      setRole(role, of: id)
    case .setPermissions(let id, let names):
      let target = try target(id, of: member)
      guard let permissions = Permissions(names: names) else { throw .bad("There is no permission of that name.") }
      try ensure(member, mayGive: permissions, to: target)
      setPermissions(permissions, of: id)
    case .spotlight(let id):
      if let id { _ = try present(id, for: member) }
      setSpotlight(id)
    default: break
    }
    return nil
  }

  // MARK: Who may do what to whom

  func ensureModerates(_ member: RoomMember) throws(RequestRefusal) {
    guard member.permissions.contains(.moderate) else { throw .notAllowed(sentence(for: .moderate, member)) }
    if let reached = events.refusalOfRights {
      counters.limits.add(reached.limit)
      throw .init(code: .quotaReached, sentence: reached.text)
    }
  }

  /// Whether a host may use a right now, as ``ensureModerates(_:)`` says; otherwise it is told why not.
  func moderates(_ member: RoomMember, _ channel: SignalingChannel, id: Int?) -> Bool {
    do throws(RequestRefusal) {
      try ensureModerates(member)
      return true
    } catch {
      channel.refuse(error.code, error.sentence, id: id)
      return false
    }
  }

  /// Somebody who is here, as `member` may know it.
  func present(_ id: String, for member: RoomMember) throws(RequestRefusal) -> RoomMember {
    guard let other = members[id], !other.isHidden || other === member else {
      throw .bad("The participant is not in the meeting.")
    }
    return other
  }

  /// Somebody to whom `member` may do something: not to who stands above it.
  private func target(_ id: String, of member: RoomMember) throws(RequestRefusal) -> RoomMember {
    let target = try present(id, for: member)
    guard rank(target) <= rank(member) else { throw .notAllowed("Only an organizer can do this to an organizer.") }
    return target
  }

  private func rank(_ member: RoomMember) -> Int {
    member.role == .organizer ? 2 : member.permissions.contains(.moderate) ? 1 : 0
  }

  private func ensure(
    _ member: RoomMember, mayGive permissions: Permissions, to target: RoomMember
  ) throws(RequestRefusal) {
    guard permissions.subtracting(target.permissions).isSubset(of: member.permissions) else {
      throw .notAllowed("You cannot give a permission that you do not have.")
    }
  }

  /// What the audit log is to say of a host's request: who it is done to by name too, what is given and what was there before.
  private func use(_ request: RoomRequest) -> (action: String, target: String, detail: String) {
    func name(_ id: String) -> String { members[id]?.name ?? "" }
    func list(_ sources: [TrackSource]) -> String { sources.map(\.rawValue).joined(separator: " ") }
    switch request {
    case .muteParticipant(let id, let sources): return ("muteParticipant", id, "\(name(id)): \(list(sources))")
    case .muteAll(let sources, let except, let exceptTracks, let includingLater, let includingSelf, let mayUnmute):
      let spared = except + exceptTracks.map { "\($0.participant)/\($0.source.rawValue)" }
      let parts = [
        list(sources), includingLater || !mayUnmute ? "later joiners too" : "",
        includingSelf ? "who asks too" : "",
        mayUnmute ? "" : "nobody may unmute themselves",
        spared.isEmpty ? "" : "except \(spared.count): \(spared.joined(separator: " "))",
      ]
      return ("muteAll", "", parts.filter { !$0.isEmpty }.joined(separator: ", "))
    case .liftMuteAll: return ("liftMuteAll", "", "")
    case .askToUnmute(let id, let sources): return ("askToUnmute", id, "\(name(id)): \(list(sources))")
    case .removeParticipant(let id, let ban): return (ban ? "ban" : "removeParticipant", id, name(id))
    case .setRole(let id, let role):
      return ("setRole", id, "\(name(id)): \(role), was \(members[id]?.role.rawValue ?? "")")
    case .setPermissions(let id, let names):
      let before = members[id]?.permissions.names ?? []
      let (now, then) = (names.joined(separator: " "), before.joined(separator: " "))
      return ("setPermissions", id, "\(name(id)): \(now.isEmpty ? "none" : now), was \(then.isEmpty ? "none" : then)")
    case .spotlight(let id): return ("spotlight", id ?? "", id.map(name) ?? "nobody")
    default: return ("other", "", "")
    }
  }

  /// Has it written down that a host used a right.
  func noteRight(_ action: String, _ target: String, _ member: RoomMember, _ detail: String = "") {
    lastRight = note(.rightUsed(by: member.person, action: action, target: target, detail: detail))
    log.info("moderation", ["meeting": identity.id, "by": member.id, "action": action, "participant": target])
  }
}
