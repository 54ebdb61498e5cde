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
  func perform(_ request: RoomRequest, id: Int?, _ member: RoomMember, _ channel: SignalingChannel) async {
    if case .chat(let wish) = request { return await perform(wish, id: id, member, channel) }
    guard member.pace.take(request, now: Monotonic.now) else { return refuseHaste(channel, id: id) }
    await carryOut(id: id, member, channel) { () throws(RequestRefusal) in
      switch request {
      case .raiseHand, .lowerHands, .react: return try gesture(request, member)
      case .createPoll, .setPoll, .removePoll, .vote: return try poll(request, member)
      case .endMeeting:
        try ensureModerates(member)
        return Deed(RightUse("endMeeting"), answersItself: true) {
          self.end(by: member, id: id, channel)
          return nil
        }
      default:
        try ensureModerates(member)
        return Deed(use(request), act: try host(request, member))
      }
    }
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

  /// A host ends the meeting. Everybody else is out at once; the host is told when it is written down what became of the meeting.
  private func end(by host: RoomMember, id: Int?, _ channel: SignalingChannel) {
    let message = "A host has ended the meeting."
    guard let id else { return end(.endedByHost, message) }
    host.channel = nil
    end(.endedByHost, message)
    Task { [events, lastNote, place = keeping.place, book = doors.running] in
      // What came last is written last.
      let isNoted = await events.isWritten(lastNote)
      let isWritten = await book?.isWritten(place, of: identity.id) ?? true && isNoted
      channel.answer(id, isWritten: isWritten)
      channel.end(.endedByHost, message)
    }
  }

  /// How to do what a host asks for.
  private func host(_ request: RoomRequest, _ member: RoomMember) throws(RequestRefusal) -> Deed.Act {
    switch request {
    case .muteParticipant(let id, let sources):
      let target = try target(id, of: member)
      return {
        var muted = Set(sources)
        if muted.remove(.screen) != nil {
          self.stop([.screen, .screenAudio], of: target.id)
          muted.remove(.screenAudio)
        }
        self.forceMute(participant: target.id, sources: muted)
        return nil
      }
    case .stopTracks(let id, let sources):
      let target = try target(id, of: member)
      return {
        self.stop(Set(sources), of: target.id)
        return nil
      }
    case .muteAll(let sources, let except, let exceptTracks, let includingLater, let includingSelf, let mayUnmute):
      return {
        var spared = Set(except).union(self.members.values.filter { self.rank($0) > self.rank(member) }.map(\.id))
        if !includingSelf { spared.insert(member.id) }
        self.muteAll(
          sources: Set(sources), except: spared, exceptTracks: Set(exceptTracks), includingLater: includingLater,
          mayUnmute: mayUnmute)
        return nil
      }
    case .liftMuteAll:
      return {
        self.liftMuteAll()
        return nil
      }
    case .askToUnmute(let id, let sources):
      let target = try target(id, of: member)
      let possible = sources.filter { target.permissions.contains(Self.permission(for: $0)) }
      guard !possible.isEmpty else {
        throw .notAllowed("\(target.name) may not send that in this meeting. Give the permission first.")
      }
      return {
        self.muteAll?.except.insert(id)
        target.channel?.send(.room(.unmuteRequested(sources: possible, by: member.isHidden ? nil : member.id)))
        return nil
      }
    case .removeParticipant(let id, let ban):
      let target = try target(id, of: member)
      guard target !== member else { throw .bad("You cannot remove yourself. Leave instead.") }
      return {
        let message = "A host has removed you from the meeting."
        if ban { return self.ban(id, message: message) }
        self.removeParticipant(id, message: message)
        return nil
      }
    case .setRole(let id, let name):
      let target = try target(id, of: member)
      guard let role = Role(name: name) else { throw .bad("There is no role of that name.") }
      guard role != .hidden, role != .recorder else { throw .notAllowed("Only a join token gives this role.") }
      guard role != .organizer || member.role == .organizer else {
        throw .notAllowed("Only an organizer can make others organizers.")
      }
      // What the rules for the chat keep from everybody is not given by it.
      try ensure(member, mayGive: meeting.chat.permissions(role.permissions), to: target)
      return {
        self.setRole(role, of: id)
        return nil
      }
    case .setPermissions(let id, let names):
      let target = try target(id, of: member)
      guard let permissions = Permissions(names: names) else { throw .bad("There is no permission of that name.") }
      try ensure(member, mayGive: permissions, to: target)
      return {
        self.setPermissions(permissions, of: id)
        return nil
      }
    case .changePermissions(let id, let adding, let removing):
      let target = try target(id, of: member)
      guard let added = Permissions(names: adding), let removed = Permissions(names: removing) else {
        throw .bad("There is no permission of that name.")
      }
      guard added.isDisjoint(with: removed) else { throw .bad("A permission is both given and taken.") }
      try ensure(member, mayGive: added, to: target)
      return {
        // The permissions at this time: another host may have changed them while the audit entry was written.
        self.setPermissions(target.permissions.union(added).subtracting(removed), of: id)
        return nil
      }
    case .spotlight(let id):
      if let id { _ = try present(id, for: member) }
      return {
        self.setSpotlight(id)
        return nil
      }
    default: return { nil }
    }
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
  private func use(_ request: RoomRequest) -> RightUse {
    func name(_ id: String) -> String { members[id]?.name ?? "" }
    func list(_ sources: [TrackSource]) -> String { sources.map(\.rawValue).joined(separator: " ") }
    switch request {
    case .muteParticipant(let id, let sources): return RightUse("muteParticipant", id, "\(name(id)): \(list(sources))")
    case .stopTracks(let id, let sources): return RightUse("stopTracks", id, "\(name(id)): \(list(sources))")
    case .muteAll(let sources, let except, let exceptTracks, let includingLater, let includingSelf, let mayUnmute):
      let spared = except + exceptTracks.map { "\($0.participant)/\($0.source.rawValue)" }
      let parts = [
        list(sources), includingLater || !mayUnmute ? "later joiners too" : "",
        includingSelf ? "who asks too" : "",
        mayUnmute ? "" : "nobody may unmute themselves",
        spared.isEmpty ? "" : "except \(spared.count): \(spared.joined(separator: " "))",
      ]
      return RightUse("muteAll", "", parts.filter { !$0.isEmpty }.joined(separator: ", "))
    case .liftMuteAll: return RightUse("liftMuteAll")
    case .askToUnmute(let id, let sources): return RightUse("askToUnmute", id, "\(name(id)): \(list(sources))")
    case .removeParticipant(let id, let ban): return RightUse(ban ? "ban" : "removeParticipant", id, name(id))
    case .setRole(let id, let role):
      return RightUse("setRole", id, "\(name(id)): \(role), was \(members[id]?.role.rawValue ?? "")")
    case .setPermissions(let id, let names):
      let before = members[id]?.permissions.names ?? []
      let (now, then) = (names.joined(separator: " "), before.joined(separator: " "))
      return RightUse(
        "setPermissions", id, "\(name(id)): \(now.isEmpty ? "none" : now), was \(then.isEmpty ? "none" : then)")
    case .changePermissions(let id, let adding, let removing):
      let changes = (adding.map { "+\($0)" } + removing.map { "-\($0)" }).joined(separator: " ")
      let then = (members[id]?.permissions.names ?? []).joined(separator: " ")
      return RightUse("changePermissions", id, "\(name(id)): \(changes), was \(then.isEmpty ? "none" : then)")
    case .spotlight(let id): return RightUse("spotlight", id ?? "", id.map(name) ?? "nobody")
    default: return RightUse("other")
    }
  }
}
