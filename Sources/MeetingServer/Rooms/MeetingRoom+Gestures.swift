import Meetings
import Signaling

/// Raised hands, reactions, the spotlight, polls, and the state that newcomers are told.
extension MeetingRoom {
  /// What holds in the meeting, as one participant sees it.
  func state(for viewer: RoomMember) -> RoomState {
    RoomState(
      spotlight: spotlight, muteAll: muteAll?.info,
      polls: viewer.permissions.contains(.subscribe)
        ? polls.all(for: viewer.id, moderates: viewer.permissions.contains(.moderate)) : [])
  }

  /// Somebody left: nothing of the meeting may point at it any more.
  func forget(_ member: RoomMember) {
    if spotlight == member.id { setSpotlight(nil) }
    muteAll?.forget(member.id)
    for poll in polls.forget(member.id) { tellSoon(poll) }
    keepState()
  }

  /// Has everybody show one participant large, whose tracks then come before all others; nil for nobody.
  func setSpotlight(_ id: String?) {
    keeping.absentSpotlight = nil
    guard spotlight != id else { return }
    spotlight = id
    broadcast(.room(.spotlight(id)))
    refill()
  }

  // MARK: Hands and reactions

  func gesture(_ request: RoomRequest, _ member: RoomMember) throws(RequestRefusal) {
    switch request {
    case .raiseHand(let raised, let id):
      let target = try id.map { id throws(RequestRefusal) in try present(id, for: member) } ?? member
      if target !== member {
        try ensureModerates(member)
        guard !raised else { throw .bad("Nobody can raise the hand of somebody else.") }
      }
      try ensureIsSeen(target)
      setHand(raised, target)
      if target !== member { noteRight("lowerHand", target.id, member, target.name) }
    case .lowerHands:
      try ensureModerates(member)
      for other in members.values { setHand(false, other) }
      noteRight("lowerHands", "", member)
    case .react(let reaction):
      try ensureIsSeen(member)
      broadcast(.room(.reaction(participant: member.id, reaction))) { $0.permissions.contains(.subscribe) }
    default: break
    }
  }

  private func setHand(_ raised: Bool, _ member: RoomMember) {
    guard (member.hand != nil) != raised else { return }
    if raised { handCount += 1 }
    member.hand = raised ? handCount : nil
    announce(.participantUpdated(member.info), about: member)
  }

  private func ensureIsSeen(_ member: RoomMember) throws(RequestRefusal) {
    guard !member.isHidden else { throw .notAllowed("Whoever is hidden cannot show the others anything.") }
  }

  // MARK: Polls

  func poll(_ request: RoomRequest, _ member: RoomMember) throws(RequestRefusal) {
    if case .vote = request {
      try ensureIsSeen(member)
      guard member.permissions.contains(.subscribe) else {
        throw .notAllowed(sentence(for: .subscribe, member))
      }
    } else {
      try ensureModerates(member)
    }
    do throws(PollTable.Refusal) {
      switch request {
      case .createPoll(let draft):
        let id = try polls.create(draft)
        noteRight("createPoll", "poll \(id)", member, draft.question)
        tell(id)
      case .setPoll(let id, let isOpen):
        guard try polls.set(id, isOpen: isOpen) else { return }
        noteRight(isOpen ? "openPoll" : "closePoll", "poll \(id)", member)
        tell(id)
      case .removePoll(let id):
        try polls.remove(id)
        noteRight("removePoll", "poll \(id)", member)
        broadcast(.room(.pollRemoved(id))) { $0.permissions.contains(.subscribe) }
      case .vote(let id, let options):
        try polls.vote(id, options, by: member.id)
        tellSoon(id)
      default: break
      }
    } catch {
      throw error == .closed ? .notAllowed(error.sentence) : .bad(error.sentence)
    }
  }

  /// Votes of many come at once; everybody hears of them together.
  func tellSoon(_ poll: Int) {
    untoldPolls.insert(poll)
    guard untoldPolls.count == 1 else { return }
    Task { [weak self] in
      try? await Task.sleep(for: .milliseconds(300))
      await self?.tellPolls()
    }
  }

  private func tellPolls() {
    let waiting = untoldPolls.sorted()
    untoldPolls = []
    for poll in waiting { tell(poll) }
  }

  private func tell(_ poll: Int) {
    for moderates in [false, true] {
      guard let info = polls.info(poll, moderates: moderates) else { return }
      broadcast(.room(.poll(info))) {
        $0.permissions.contains(.subscribe) && $0.permissions.contains(.moderate) == moderates
      }
    }
  }
}
