import Basics
import Media
import RTC
import Signaling

extension Meeting {
  // MARK: Events of the session

  func take(_ event: SessionEvent) {
    switch event {
    case .connected(let times):
      connectionState.mediaUp = true
      if self.times.connected == nil {
        self.times.pathSelected = times.pathSelected
        self.times.connected = times.connected
      }
      mediaWaiters.wake(true)
      mediaIsBack()
    case .firstPacket(let time): if times.firstPacket == nil { times.firstPacket = time }
    case .pathChanged(let path): if path != nil { mediaIsBack() }
    case .interrupted:
      guard joinedOnce, !connectionState.rejoining, !connectionState.mediaDown else { return }
      connectionState.mediaDown = true
      refreshState(.media)
      restartMedia()
    case .restored: mediaIsBack()
    case .networkChanged:
      guard joinedOnce, !connectionState.rejoining else { return }
      guard !connectionState.mediaDown else {
        // Somebody looks for a path already, but not with these addresses.
        tasks.run { [weak self] in await self?.renegotiate(restartsIce: true) }
        return
      }
      connectionState.mediaDown = true
      refreshState(.media)
      restartMedia()
    case .serverFailed(let url, let error, let isLast):
      let problem = ServerProblem(url: url, error: error, isLast: isLast)
      serverProblems.add(problem)
      emit(.problem(problem.text))
      if isLast { mediaWaiters.wake(false) }
    case .failed(let reason):
      guard joinedOnce, !connectionState.rejoining else { return }
      lastError = .mediaFailed(reason)
      connectionState.mediaDown = true
      connectionState.mediaIsOver = true
      rejoinUnlessEnded()
    case .data(let data): takeData(data)
    case .dataLost:
      emit(.problem("Data messages were lost: this client took them too slowly. Later ones arrive again."))
    case .dataWanted: dataWaiters.wake()
    case .keysWanted:
      pumpKeys()
      sendInTurn()
    }
  }

  private func mediaIsBack() {
    guard connectionState.mediaDown else { return }
    connectionState.mediaDown = false
    refreshState(nil)
  }

  /// Looks for another media path: an ICE restart, again every few seconds while media is down.
  func restartMedia() {
    tasks.run { [weak self] in
      for _ in 0..<4 {
        guard let self, self.state != .ended, !self.connectionState.rejoining else { return }
        await self.renegotiate(restartsIce: true)
        // Any packet from now on shows that the path found is a good one.
        self.connection?.post { session, _ in session.expectSignOfLife() }
        try? await Task.sleep(nanoseconds: 6_000_000_000)
        guard self.connectionState.mediaDown else { return }
      }
      guard let self, self.joinedOnce, self.connectionState.mediaDown else { return }
      self.rejoin()
    }
  }

  // MARK: The socket

  /// The socket of the session is lost: resumes the session while the server keeps it, else joins again.
  func resume(_ signaling: SignalingSession) async {
    guard joinedOnce else {
      abandonJoin()
      return
    }
    guard !connectionState.rejoining else { return }
    connectionState.signalingDown = true
    failRequests()
    loseAnswers()
    refreshState(.signaling)
    let end = MonotonicClock.now + signaling.resumeWindow
    var pause = TimeSpan.milliseconds(100)
    while MonotonicClock.now < end, self.signaling === signaling, state != .ended, !connectionState.rejoining {
      switch await tryToResume(signaling) {
      case .resumed(let participants, let slots, let chat, let state, let announcements):
        connectionState.signalingDown = false
        applyResumed(participants, slots, chat, state, announcements)
        if connectionState.mediaIsOver { return rejoin() }
        tellAgain()
        refreshState(nil)
        follow(signaling)
        return
      case .refused:
        rejoin()
        return
      case .ended(let reason, let message):
        self.end(reason, message: message)
        return
      case .unreachable: break
      }
      try? await Task.sleep(nanoseconds: UInt64(pause.nanoseconds))
      pause = min(pause * 2, .seconds(4))
    }
    guard self.signaling === signaling, state != .ended else { return }
    rejoin()
  }

  private enum Resumption {
    case resumed([ParticipantInfo], [SlotInfo], [ChatEntry], RoomState?, [ParticipantAnnouncement])
    case refused
    case ended(EndReason, String)
    case unreachable
  }

  private func tryToResume(_ signaling: SignalingSession) async -> Resumption {
    guard
      let channel = try? await SignalingChannel.open(
        signaling.document.signaling, timeout: options.steps.resuming, trustsAny: options.trustsAnyCertificate)
    else { return .unreachable }
    guard self.signaling === signaling, state != .ended else {
      channel.close()
      return .unreachable
    }
    channel.send(.resume(token: signaling.resumeToken.value))
    while let message = await channel.receive() {
      switch message {
      case .resumed(let participants, let slots, let chat, let state, let announcements):
        signaling.channel = channel
        return .resumed(participants, slots, chat, state, announcements ?? [])
      case .error(_, _, true, _):
        channel.close()
        return .refused
      case .ended(let reason, let text):
        channel.close()
        return .ended(EndReason(reason), text)
      default: break
      }
    }
    return .unreachable
  }

  /// Repeats what was said while the socket was down. The offer comes first: its tracks must be known before they are
  /// muted.
  func tellAgain() {
    repeatOffer()
    for publication in local.publications {
      if let mid = publication.mid { send(.mute(mid: mid.rawValue, muted: publication.isMuted)) }
    }
    if let name = local.wantedName { send(.rename(name: name)) }
    sendInTurn()
  }

  /// Takes over what a server says that has taken this client back, and says again what it may not have heard: what
  /// was sent last over a socket that is lost has arrived or not.
  func applyResumed(
    _ participants: [ParticipantInfo], _ slots: [SlotInfo], _ chat: [ChatEntry], _ state: RoomState?,
    _ announcements: [ParticipantAnnouncement]
  ) {
    withKeys { $0.resume(announcements, roster: participants.map(\.id), now: $1) }
    applyState(participants, slots, chat, state, isWelcome: false)
    tellViewsAgain()
  }

  private func abandonJoin() {
    if lastError == nil {
      lastError =
        signaling?.channel.failure
        ?? .unreachable("The server closed the connection while the meeting was being joined.")
    }
    mediaWaiters.wake(false)
  }

  // MARK: Rejoining

  /// The media connection is over. A server that shuts down or removes somebody says so on the socket before it closes
  /// media, and media may overtake that: once it has answered a ping, whatever it said before has arrived.
  private func rejoinUnlessEnded() {
    let lost = connection
    tasks.run { [weak self] in
      do throws(JoinError) {
        try await self?.request { .ping(time: Double($0)) }
      } catch {
        // Without the socket nobody knows: its remaining messages are read first, and the rejoin follows the resume.
        guard case .timedOut = error else { return }
      }
      guard let self, !Task.isCancelled, self.connection === lost, !self.connectionState.signalingDown else { return }
      self.rejoin()
    }
  }

  /// The session is lost: joins again with the same tracks, until that succeeds or the reconnect timeout ends.
  func rejoin() {
    guard joinedOnce, state != .ended, !connectionState.rejoining else { return }
    connectionState.rejoining = true
    refreshState(.rejoin)
    tasks.run { [weak self] in await self?.joinAnew() }
  }

  private func joinAnew() async {
    var pause = TimeSpan.milliseconds(500)
    while state != .ended {
      dropConnection()
      do throws(JoinError) {
        try await enter()
        try await untilMediaFlows()
        connectionState = ConnectionParts(mediaUp: true)
        sendInTurn()
        refreshState(nil)
        catchUp()
        return
      } catch {
        guard state != .ended else { return }
        endWaiting()
        lastError = error
        noteRefusal(error)
        if error.isFinal {
          self.end(error.code == "meetingExpired" ? .expired : .failed, message: error.description)
          return
        }
      }
      try? await Task.sleep(nanoseconds: UInt64(pause.nanoseconds))
      pause = min(pause * 2, .seconds(8))
    }
  }

  func dropConnection() {
    failRequests()
    loseAnswers()
    signaling?.channel.send(.leave)
    signaling?.channel.close()
    signaling = nil
    dropSubscriptions()
    takeLobby(LobbyInfo())
    for publication in local.publications {
      publication.mid = nil
      publication.addedTo = nil
      publication.publisher.attach(nil)
    }
    connection?.close()
    connection = nil
    failNegotiation()
  }

  // MARK: State

  /// Sets ``state`` by what is down, and reports it: `step` names what is being done about it.
  func refreshState(_ step: ReconnectStep?) {
    guard joinedOnce, state != .ended else { return }
    if connectionState.isFine {
      reconnectTimeout?.cancel()
      reconnectTimeout = nil
      lastError = nil
      guard state == .reconnecting else { return }
      state = .connected
      emit(.reconnected)
    } else {
      if reconnectTimeout == nil { reconnectTimeout = endAfterReconnectTimeout() }
      state = .reconnecting
      if let step { emit(.reconnecting(step)) }
    }
  }

  /// Counts ``JoinOptions/reconnectTimeout`` from the loss, whatever is tried during it.
  private func endAfterReconnectTimeout() -> Task<Void, Never> {
    let span = options.reconnectTimeout.bounded
    return Task { [weak self] in
      try? await Task.sleep(nanoseconds: UInt64(span.nanoseconds))
      guard !Task.isCancelled, let self, self.state != .ended else { return }
      let error = self.lastError ?? .unreachable("The server cannot be reached.")
      self.lastError = error
      self.end(.connectionLost, message: "The connection was lost and could not be brought back: \(error)")
    }
  }
}
