import Signaling

/// Requests to the server, and its notices about hosts' decisions, hands, reactions and polls.
extension Meeting {
  /// How long the answer to a request is waited for.
  private static var answerPatience: UInt64 { 10_000_000_000 }

  /// Asks the server for something and waits until it is done. It is asked once: what a lost connection took along is
  /// not asked again, since nobody knows whether it was done.
  func request(_ request: RoomRequest) async throws(JoinError) {
    try await self.request { .room(request, id: $0) }
  }

  /// The same with any message that has a number.
  func request(_ message: (Int) -> ClientMessage) async throws(JoinError) {
    guard state != .ended else { throw .ended }
    guard let signaling, signaling.isWelcome, !connectionState.signalingDown else {
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
        if !signaling.channel.send(message(id)) { failRequests() }
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
    // At once, so that the server's next word on the track changes nothing.
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

  func apply(_ notice: RoomNotice) {
    switch notice {
    case .done(let id):
      if !settle(chat: id), !settle(signal: id, .success(())) { settle(request: id, .success(())) }
    case .permissions(let role, let names):
      emit(room: moderation.applyPermissions(ParticipantRole(rawValue: role), names))
    case .unmuteRequested(let sources, let by): emit(room: moderation.unmuteRequest(sources, by: by, roster))
    case .spotlight(let id): emit(room: moderation.applySpotlight(id, roster))
    case .muteAll(let order): emit(room: moderation.applyMuteForAll(order))
    case .reaction(let id, let reaction): emit(room: moderation.reaction(reaction, of: id, roster))
    case .poll(let poll): emit(room: pollState.apply(opened(poll)))
    case .pollRemoved(let id): emit(room: pollState.remove(id))
    case .state(let state): apply(state)
    case .meeting(let info): apply(info)
    case .chat(let notice): take(notice)
    }
  }

  /// Title, end and rules of the chat, which may change, also while the socket is down.
  func apply(_ changed: MeetingInfo) {
    guard info != changed else { return }
    let isNews = info != nil
    info = changed
    if isNews { emit(.room(.meetingChanged(changed))) }
  }

  /// The whole state, of a welcome or a resume.
  func apply(_ state: RoomState) {
    for event in moderation.applyAll(state, roster) { emit(room: event) }
    for event in pollState.applyAll(state.polls.map(opened)) { emit(room: event) }
  }

  func emit(room event: RoomEvent?) {
    if let event { emit(.room(event)) }
  }
}
