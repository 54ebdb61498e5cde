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

  func gesture(_ request: RoomRequest, _ member: RoomMember) throws(RequestRefusal) -> Deed {
    switch request {
    case .raiseHand(let raised, let id):
      let target = try id.map { id throws(RequestRefusal) in try present(id, for: member) } ?? member
      if target !== member {
        try ensureModerates(member)
        guard !raised else { throw .bad("Nobody can raise the hand of somebody else.") }
      }
      try ensureIsSeen(target)
      return Deed(target === member ? nil : RightUse("lowerHand", target.id, target.name)) {
        self.setHand(raised, target)
        return nil
      }
    case .lowerHands:
      try ensureModerates(member)
      return Deed(RightUse("lowerHands")) {
        for other in self.members.values { self.setHand(false, other) }
        return nil
      }
    case .react(let reaction):
      try ensureIsSeen(member)
      broadcast(.room(.reaction(participant: member.id, reaction))) { $0.permissions.contains(.subscribe) }
      return Deed()
    default: return Deed()
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

  func poll(_ request: RoomRequest, _ member: RoomMember) throws(RequestRefusal) -> Deed {
    if case .vote = request {
      try ensureIsSeen(member)
      guard member.permissions.contains(.subscribe) else {
        throw .notAllowed(sentence(for: .subscribe, member))
      }
    } else {
      try ensureModerates(member)
    }
    do throws(PollTable.Refusal) {
      if case .vote(let id, let options) = request {
        try polls.vote(id, options, by: member.id)
        tellSoon(id)
        return Deed()
      }
      // What a host does is tried on a copy, and done when it is written down.
      var trial = polls
      switch request {
      case .createPoll(let draft):
        let id = try trial.create(draft)
        return Deed(RightUse("createPoll", "poll \(id)", draft.question)) { self.polls(trial, telling: id) }
      case .setPoll(let id, let isOpen):
        guard try trial.set(id, isOpen: isOpen, isThere: { members[$0] != nil }) else { return Deed() }
        return Deed(RightUse(isOpen ? "openPoll" : "closePoll", "poll \(id)")) { self.polls(trial, telling: id) }
      case .removePoll(let id):
        try trial.remove(id)
        return Deed(RightUse("removePoll", "poll \(id)")) {
          self.polls = trial
          self.broadcast(.room(.pollRemoved(id))) { $0.permissions.contains(.subscribe) }
          return nil
        }
      default: return Deed()
      }
    } catch {
      throw error == .closed ? .notAllowed(error.sentence) : .bad(error.sentence)
    }
  }

  /// The polls are these from now on, and everybody is told of one of them.
  private func polls(_ changed: PollTable, telling id: Int) -> Task<Bool, Never>? {
    polls = changed
    tell(id)
    return nil
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
