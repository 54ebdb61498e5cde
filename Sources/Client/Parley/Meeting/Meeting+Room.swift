import Signaling

/// What the server says of hosts' decisions, hands, reactions and polls, and how it is asked for them.
extension Meeting {
  /// How long the answer to a request is waited for.
  private static var answerPatience: UInt64 { 10_000_000_000 }

  /// Asks the server for something and waits until it is done. It is asked once: what a lost connection took along is not asked again, since
  /// nobody knows whether it was done.
  func request(_ request: RoomRequest) async throws(JoinError) {
    try await self.request { .room(request, id: $0) }
  }

  /// The same with any message that has a number.
  func request(_ message: (Int) -> ClientMessage) async throws(JoinError) {
    guard state != .ended else { throw .ended }
    guard let place, place.isWelcome, !connectionState.signalingDown else {
      throw .unreachable("The server cannot be reached just now. Try again when the connection is back.")
    }
    let id = nextID()
    let timer = Task { [weak self] in
      try? await Task.sleep(nanoseconds: Self.answerPatience)
      self?.settle(request: id, .failure(.timedOut("The server did not answer within 10 s.")))
    }
    defer { timer.cancel() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Result<Void, JoinError>, Never>) in
        guard !Task.isCancelled else { return continuation.resume(returning: .failure(.cancelled)) }
        requests.add(id) { continuation.resume(returning: $0) }
        if !place.channel.send(message(id)) { failRequests() }
      }
    } onCancel: {
      Task { @MainActor [weak self] in self?.settle(request: id, .failure(.cancelled)) }
    }
    try result.get()
  }

  private func settle(request id: Int, _ result: Result<Void, JoinError>) {
    requests.settle(id, result)
  }

  /// The server refused a request. False when it is not one of ours.
  func takeRequestRefusal(id: Int, _ error: JoinError) -> Bool {
    guard requests.contains(id) else { return false }
    // At once, so that what the server says of the track next is no news.
    requests.unmuting(id)?.unmuteWasRefused(byHost: error.code == SignalingErrorCode.notAllowed.rawValue)
    settle(request: id, .failure(error))
    return true
  }

  /// The server has read everything up to a ping, and what it said before has arrived.
  func takePong(_ time: Double?) {
    if let id = time.flatMap({ Int(exactly: $0) }) { settle(request: id, .success(())) }
  }

  /// The socket is gone, and with it the answers to what was asked.
  func failRequests() {
    let lost: JoinError =
      state == .ended ? .ended : .unreachable("The connection was lost before the server had answered.")
    requests.failAll(lost)
  }

  // MARK: Notices

  func take(_ notice: RoomNotice) {
    switch notice {
    case .done(let id):
      if !settle(chat: id), !settle(signal: id, .success(())) { settle(request: id, .success(())) }
    case .permissions(let role, let names): takePermissions(ParticipantRole(rawValue: role), names)
    case .unmuteRequested(let sources, let by):
      emit(.room(.unmuteRequested(sources, by: by.flatMap { participant($0) })))
    case .spotlight(let id): takeSpotlight(id)
    case .muteAll(let order): takeMuteForAll(order)
    case .reaction(let id, let reaction):
      if let participant = participant(id) { emit(.room(.reaction(participant, reaction))) }
    case .poll(let poll): takePoll(poll)
    case .pollRemoved(let id): removePolls { $0.id == id }
    case .state(let state): take(state)
    case .meeting(let info): take(info)
    case .chat(let notice): take(notice)
    }
  }

  /// What the meeting is called, when it ends and what its chat takes; it may change, also while one is away.
  func take(_ changed: MeetingInfo) {
    guard info != changed else { return }
    let isNews = info != nil
    info = changed
    if isNews { emit(.room(.meetingChanged(changed))) }
  }

  /// The whole state, of a welcome or a resume.
  func take(_ state: RoomState?) {
    guard let state else { return }
    takeSpotlight(state.spotlight)
    takeMuteForAll(state.muteAll)
    let known = Set(state.polls.map(\.id))
    removePolls { !known.contains($0.id) }
    for poll in state.polls { takePoll(poll) }
  }

  /// Without `names`, the role's own permissions count.
  func takePermissions(_ role: ParticipantRole, _ names: [String]?) {
    let permissions = ParticipantPermission.of(role: role, named: names)
    guard local.role != role || local.permissions != permissions else { return }
    local.role = role
    local.permissions = permissions
    emit(.room(.permissionsChanged))
  }

  private func takeSpotlight(_ id: String?) {
    guard spotlightID != id else { return }
    spotlightID = id
    emit(.room(.spotlightChanged(spotlight)))
  }

  private func takeMuteForAll(_ order: MuteForAll?) {
    guard muteForAll != order else { return }
    muteForAll = order
    emit(.room(.muteForAllChanged(order)))
  }

  private func takePoll(_ sealed: Poll) {
    var poll = opened(sealed)
    if let index = polls.firstIndex(where: { $0.id == poll.id }) {
      poll.mine = poll.mine ?? polls[index].mine
      guard polls[index] != poll else { return }
      polls[index] = poll
    } else {
      poll.mine = poll.mine ?? []
      polls.append(poll)
    }
    emit(.room(.pollChanged(poll)))
  }

  private func removePolls(where isGone: (Poll) -> Bool) {
    let gone = polls.filter(isGone).map(\.id)
    guard !gone.isEmpty else { return }
    polls.removeAll { gone.contains($0.id) }
    for id in gone { emit(.room(.pollRemoved(id))) }
  }

  // MARK: Own tracks

  /// What the server says of an own track once and for all.
  @discardableResult func takeFacts(of info: PublicationInfo) -> LocalPublication? {
    let publication = local.publication(info.source)
    publication?.id = info.id
    publication?.created = info.created
    return publication
  }

  /// What the server says of an own track. A host's mute is taken over, and said back: it may have crossed with what was said meanwhile.
  func takeOwn(_ info: PublicationInfo) {
    guard let publication = takeFacts(of: info) else { return }
    guard info.mutedByHost == true, !publication.isMuted || !publication.isMutedByHost else { return }
    publication.setMuted(true)
    publication.isMutedByHost = true
    emit(.room(.mutedByHost(publication)))
  }

  /// The server ended an own track.
  func removeOwn(_ id: String, _ reason: UnpublishReason?) {
    guard let publication = local.publications.first(where: { $0.id == id }) else { return }
    emit(.room(.stoppedByHost(publication, reason: reason)))
    tasks.run { await publication.unpublish() }
  }

  /// After a resume: what the server has no more was ended while the socket was down.
  func takeStopped(_ infos: [ParticipantInfo]) {
    guard let own = infos.first(where: { $0.id == local.id }) else { return }
    let present = Set(own.publications.map(\.id))
    for publication in local.publications where !publication.id.isEmpty && !present.contains(publication.id) {
      removeOwn(publication.id, nil)
    }
  }
}
