import Meetings
import Signaling

extension RoomRequest {
  /// Whether it takes the permission `moderate`, whatever it is about.
  var isModeration: Bool {
    switch self {
    case .raiseHand, .react, .vote, .chat: false
    case .lowerHands, .createPoll, .setPoll, .removePoll, .muteParticipant, .stopTracks, .muteAll, .liftMuteAll,
      .askToUnmute, .removeParticipant, .setRole, .setPermissions, .changePermissions, .spotlight, .endMeeting:
      true
    }
  }
}

/// Authorisation: the one place that decides who may request what, its audit entry and its change.
extension RoomMachine {
  /// Whether a request may be carried out now. It changes nothing.
  func authorise(
    _ request: MemberRequest, by member: RoomMember
  ) throws(SignalingRefusal) -> AuthorisedRequest {
    switch request {
    case .room(let request): return try authorise(request, by: member)
    case .lock(let isLocked):
      try ensureModerates(member)
      return .init(
        action: lobby.isLocked == isLocked ? nil : AuditedAction(isLocked ? "lock" : "unlock"),
        change: .lock(isLocked))
    }
  }

  private func authorise(
    _ request: RoomRequest, by member: RoomMember
  ) throws(SignalingRefusal) -> AuthorisedRequest {
    if request.isModeration { try ensureModerates(member) }
    switch request {
    case .raiseHand(let raised, let id): return try authoriseHand(raised, id, by: member)
    case .react(let reaction):
      try ensureIsSeen(member)
      return .init(change: .react(reaction))
    case .vote(let poll, let options):
      try ensureIsSeen(member)
      guard member.permissions.contains(.subscribe) else { throw .notAllowed(sentence(for: .subscribe, member)) }
      try Self.poll { () throws(PollTable.Refusal) in try polls.check(poll, options) }
      return .init(change: .vote(poll: poll, options: options))
    case .chat(let request): return try authorise(request, by: member)
    case .lowerHands: return .init(action: AuditedAction("lowerHands"), change: .lowerHands)
    case .createPoll(let draft):
      var polls = polls
      let id = try Self.poll { () throws(PollTable.Refusal) in try polls.create(draft, isSealed: isEncrypted) }
      return .init(
        action: AuditedAction("createPoll", "poll \(id)", isEncrypted ? "" : draft.question),
        change: .setPolls(polls, changed: id))
    case .setPoll(let id, let isOpen):
      var polls = polls
      let isNew = try Self.poll { () throws(PollTable.Refusal) in
        try polls.set(id, isOpen: isOpen) { roster[$0] != nil }
      }
      guard isNew else { return .init(change: .nothing) }
      return .init(
        action: AuditedAction(isOpen ? "openPoll" : "closePoll", "poll \(id)"), change: .setPolls(polls, changed: id))
    case .removePoll(let id):
      var polls = polls
      try Self.poll { () throws(PollTable.Refusal) in try polls.remove(id) }
      return .init(action: AuditedAction("removePoll", "poll \(id)"), change: .removePoll(polls, removed: id))
    case .muteParticipant(let id, let sources):
      let target = try target(id, of: member)
      var muted = Set(sources)
      // A share isn't muted but ended.
      let stopped: Set<TrackSource> = muted.remove(.screen) == nil ? [] : [.screen, .screenAudio]
      return .init(
        action: AuditedAction("muteParticipant", id, "\(target.name): \(Self.list(sources))"),
        change: .mute(target, muted: muted.subtracting(stopped), stopped: stopped))
    case .stopTracks(let id, let sources):
      let target = try target(id, of: member)
      return .init(
        action: AuditedAction("stopTracks", id, "\(target.name): \(Self.list(sources))"),
        change: .mute(target, muted: [], stopped: Set(sources)))
    case .muteAll(let sources, let except, let exceptTracks, let includingLater, let includingSelf, let mayUnmute):
      var spared = Set(except).union(roster.members.filter { rank($0) > rank(member) }.map(\.id))
      if !includingSelf { spared.insert(member.id) }
      let order = MuteAll(
        sources: Set(sources), except: spared, exceptTracks: Set(exceptTracks), mayUnmute: mayUnmute)
      let named = except + exceptTracks.map { "\($0.participant)/\($0.source.rawValue)" }
      let parts = [
        Self.list(sources), includingLater || !mayUnmute ? "later joiners too" : "",
        includingSelf ? "who asks too" : "",
        mayUnmute ? "" : "nobody may unmute themselves",
        named.isEmpty ? "" : "except \(named.count): \(named.joined(separator: " "))",
      ]
      return .init(
        action: AuditedAction("muteAll", "", parts.filter { !$0.isEmpty }.joined(separator: ", ")),
        change: .muteAll(order, includingLater: includingLater))
    case .liftMuteAll: return .init(action: AuditedAction("liftMuteAll"), change: .liftMuteAll)
    case .askToUnmute(let id, let sources):
      let target = try target(id, of: member)
      let possible = sources.filter { target.permissions.contains(Self.permission(for: $0)) }
      guard !possible.isEmpty else {
        throw .notAllowed("\(target.name) may not send that in this meeting. Give the permission first.")
      }
      return .init(
        action: AuditedAction("askToUnmute", id, "\(target.name): \(Self.list(sources))"),
        change: .askToUnmute(target, possible))
    case .removeParticipant(let id, let ban):
      let target = ban ? try userTarget(id, of: member) : try target(id, of: member)
      guard target !== member else { throw .bad("You cannot remove yourself. Leave instead.") }
      guard !ban || !otherSessions(of: target).contains(where: { $0 === member }) else {
        throw .bad("You cannot ban yourself. Remove the other session without a ban.")
      }
      return .init(
        action: AuditedAction(ban ? "ban" : "removeParticipant", id, target.name), change: .remove(target, ban: ban))
    case .setRole(let id, let name): return try authoriseRole(name, id, by: member)
    case .setPermissions(let id, let names):
      let target = try userTarget(id, of: member)
      guard let permissions = Permissions(names: names) else { throw .bad("There is no permission of that name.") }
      try ensure(member, mayGive: permissions, to: target)
      let before = target.permissions.names.joined(separator: " ")
      let after = names.joined(separator: " ")
      return .init(
        action: AuditedAction(
          "setPermissions", id,
          "\(target.name): \(after.isEmpty ? "none" : after), was \(before.isEmpty ? "none" : before)"),
        change: .setPermissions(permissions, target))
    case .changePermissions(let id, let adding, let removing):
      let target = try userTarget(id, of: member)
      guard let added = Permissions(names: adding), let removed = Permissions(names: removing) else {
        throw .bad("There is no permission of that name.")
      }
      guard added.isDisjoint(with: removed) else { throw .bad("A permission is both given and taken.") }
      try ensure(member, mayGive: added, to: target)
      let names = (adding.map { "+\($0)" } + removing.map { "-\($0)" }).joined(separator: " ")
      let before = target.permissions.names.joined(separator: " ")
      return .init(
        action: AuditedAction(
          "changePermissions", id, "\(target.name): \(names), was \(before.isEmpty ? "none" : before)"),
        // The permissions of this step: another host may have changed them while the audit entry was written.
        change: .setPermissions(target.permissions.union(added).subtracting(removed), target))
    case .spotlight(let id):
      let target = try id.map { id throws(SignalingRefusal) in try present(id, for: member) }
      return .init(
        action: AuditedAction("spotlight", id ?? "", target?.name ?? "nobody"), change: .spotlight(id))
    case .endMeeting: return .init(action: AuditedAction("endMeeting"), change: .endMeeting)
    }
  }

  private func authoriseHand(
    _ raised: Bool, _ id: String?, by member: RoomMember
  ) throws(SignalingRefusal) -> AuthorisedRequest {
    let target = try id.map { id throws(SignalingRefusal) in try present(id, for: member) } ?? member
    if target !== member {
      try ensureModerates(member)
      guard !raised else { throw .bad("Nobody can raise the hand of somebody else.") }
    }
    try ensureIsSeen(target)
    return .init(
      action: target === member ? nil : AuditedAction("lowerHand", target.id, target.name),
      change: .setHand(raised, target))
  }

  private func authoriseRole(
    _ name: String, _ id: String, by member: RoomMember
  ) throws(SignalingRefusal) -> AuthorisedRequest {
    let target = try userTarget(id, of: member)
    guard let role = Role(name: name) else { throw .bad("There is no role of that name.") }
    guard role != .hidden, role != .recorder else { throw .notAllowed("Only a join token gives this role.") }
    guard role != .organizer || member.role == .organizer else {
      throw .notAllowed("Only an organizer can make others organizers.")
    }
    // The role doesn't give what the rules for the chat keep from everybody.
    try ensure(member, mayGive: meeting.chat.permissions(role.permissions), to: target)
    return .init(
      action: AuditedAction("setRole", id, "\(target.name): \(name), was \(target.role.rawValue)"),
      change: .setRole(role, target))
  }

  private func authorise(
    _ request: ChatRequest, by member: RoomMember
  ) throws(SignalingRefusal) -> AuthorisedRequest {
    switch request {
    case .edit(let id, let text):
      var entry = try entry(id, for: member)
      guard entry.from == member.id else { throw .notAllowed("Only who wrote a message can change it.") }
      if let refusal = refusal(toWriteTo: nil, member) { throw refusal }
      guard entry.file == nil else { throw .bad("The name of a file cannot be changed.") }
      if let problem = problem(withText: text) { throw .bad(problem) }
      guard entry.text != text else { return .init(change: .nothing) }
      entry.text = text
      entry.edited = now.date.kept
      return .init(change: .editChat(entry))
    case .delete(let id):
      let entry = try entry(id, for: member)
      let isOwn = entry.from == member.id
      guard isOwn || entry.to == nil && member.permissions.contains(.moderate) else {
        throw .notAllowed("Only who wrote a message, or a host, can delete it.")
      }
      if !isOwn { try ensureModerates(member) }
      return .init(
        action: isOwn ? nil : AuditedAction("deleteChat", "message \(id) of \(entry.from)"),
        change: .deleteChat(entry, isOwn ? .author : .host))
    // Typing is neither refused nor answered; see ``setTyping(_:to:_:)``.
    case .typing: return .init(change: .nothing)
    }
  }

  // MARK: Targets of requests

  func ensureModerates(_ member: RoomMember) throws(SignalingRefusal) {
    guard member.permissions.contains(.moderate) else { throw .notAllowed(sentence(for: .moderate, member)) }
    if let auditBacklog {
      count(.limit(auditBacklog.limit))
      throw .init(.quotaReached, auditBacklog.text)
    }
  }

  /// Whether a host may moderate now, as ``ensureModerates(_:)`` says; otherwise its client gets the reason.
  func moderates(_ member: RoomMember, _ channel: RoomChannel, id: Int?) -> Bool {
    do throws(SignalingRefusal) {
      try ensureModerates(member)
      return true
    } catch {
      channel.refuse(error, id: id)
      return false
    }
  }

  private func ensureIsSeen(_ member: RoomMember) throws(SignalingRefusal) {
    guard !member.isHidden else { throw .notAllowed("Whoever is hidden cannot show the others anything.") }
  }

  /// A participant that `member` may know of.
  private func present(_ id: String, for member: RoomMember) throws(SignalingRefusal) -> RoomMember {
    guard let other = roster[id], !other.isHidden || other === member else {
      throw .bad("The participant is not in the meeting.")
    }
    return other
  }

  /// A participant that `member` may act on: not one who ranks above it.
  private func target(_ id: String, of member: RoomMember) throws(SignalingRefusal) -> RoomMember {
    let target = try present(id, for: member)
    guard rank(target) <= rank(member) else { throw .notAllowed("Only an organizer can do this to an organizer.") }
    return target
  }

  /// The same for what covers all sessions of the target's user.
  private func userTarget(_ id: String, of member: RoomMember) throws(SignalingRefusal) -> RoomMember {
    let target = try target(id, of: member)
    guard otherSessions(of: target).allSatisfy({ rank($0) <= rank(member) }) else {
      throw .notAllowed("Only an organizer can do this to an organizer, who is here with another session.")
    }
    return target
  }

  private func rank(_ member: RoomMember) -> Int {
    member.role == .organizer ? 2 : member.permissions.contains(.moderate) ? 1 : 0
  }

  private func ensure(
    _ member: RoomMember, mayGive permissions: Permissions, to target: RoomMember
  ) throws(SignalingRefusal) {
    guard permissions.subtracting(target.permissions).isSubset(of: member.permissions) else {
      throw .notAllowed("You cannot give a permission that you do not have.")
    }
  }

  private static func list(_ sources: [TrackSource]) -> String {
    sources.map(\.rawValue).joined(separator: " ")
  }

  private static func poll<Value>(
    _ body: () throws(PollTable.Refusal) -> Value
  ) throws(SignalingRefusal) -> Value {
    do throws(PollTable.Refusal) {
      return try body()
    } catch {
      throw error == .closed ? .notAllowed(error.sentence) : .bad(error.sentence)
    }
  }
}
