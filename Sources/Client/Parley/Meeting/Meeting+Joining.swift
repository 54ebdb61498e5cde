import Basics
import Media
import RTC
import Signaling

extension Meeting {
  /// Joins a meeting by its address and waits until media flows.
  ///
  /// ```swift
  /// let meeting = try await Meeting.join("http://localhost:8080/hello", name: "Ann")
  /// ```
  ///
  /// - Parameters:
  ///   - url: `http(s)://host[:port]/<room>`, with `#jwt=` where a token is needed; see ``MeetingAddress``.
  ///   - name: The display name; nil takes that of the options or the address.
  ///   - options: How to join.
  /// - Throws: ``JoinError``.
  public static func join(
    _ url: String, name: String? = nil, options: JoinOptions = JoinOptions()
  ) async throws(JoinError) -> Meeting {
    let meeting = try Meeting(url, name: name, options: options)
    try await meeting.join()
    return meeting
  }

  /// Joins, and waits until media flows. May be called once. Cancelling the task ends the joining at once.
  ///
  /// ```swift
  /// let meeting = try Meeting("http://localhost:8080/hello", name: "Ann")
  /// do { try await meeting.join() } catch { print(error) }  // a sentence for people
  /// ```
  ///
  /// - Throws: ``JoinError``; the meeting has ended then, unless the error is that of a second call (`alreadyJoined`).
  public func join() async throws(JoinError) {
    guard state != .ended else { throw .ended }
    guard state == .idle else {
      throw .refused(
        code: "alreadyJoined",
        message: "This meeting is joined already, or being joined. To take part twice, make a second Meeting.")
    }
    state = .connecting
    times.started = MonotonicClock.now
    do throws(JoinError) {
      try await enterWithDeadline()
    } catch {
      lastError = error
      noteRefusal(error)
      signaling?.channel.close()
      if error == .cancelled {
        end(.left, message: "The meeting was left before it was joined.")
      } else {
        end(.failed, message: error.description)
      }
      throw error
    }
    joinedOnce = true
    state = .connected
    emit(.joined)
    sendInTurn()
    catchUp()
  }

  /// Enters and waits for media, until the time of ``JoinOptions/timeout`` has passed, the task is cancelled, or the
  /// meeting is left.
  private func enterWithDeadline() async throws(JoinError) {
    let work = Task { () async -> Result<Void, JoinError> in
      do throws(JoinError) {
        try await self.enterPatiently()
        try await self.untilMediaFlows()
        return .success(())
      } catch { return .failure(error) }
    }
    joining = work
    defer { joining = nil }
    startJoinDeadline()
    defer { joinDeadline?.cancel() }
    let result = await withTaskCancellationHandler {
      await work.value
    } onCancel: {
      work.cancel()
    }
    if let abandoned { throw abandoned }
    try result.get()
  }

  /// Counts ``JoinOptions/timeout`` from now.
  func startJoinDeadline() {
    let timeout = options.timeout.bounded
    joinDeadline?.cancel()
    joinDeadline = Task { [weak self] in
      try? await Task.sleep(nanoseconds: UInt64(timeout.nanoseconds))
      guard !Task.isCancelled else { return }
      self?.abandon(.timedOut("The meeting could not be joined within \(timeout.milliseconds) ms."))
    }
  }

  /// Enters. A client that loses the connection while it waits knocks again, for as long as
  /// ``JoinOptions/reconnectTimeout`` says.
  private func enterPatiently() async throws(JoinError) {
    var pause = TimeSpan.milliseconds(500)
    var end: Instant?
    while true {
      let problem: JoinError
      do throws(JoinError) { return try await enter() } catch { problem = error }
      guard state == .waiting, !Task.isCancelled, !problem.isFinal, problem.code == nil else { throw problem }
      let limit = end ?? MonotonicClock.now + options.reconnectTimeout.bounded
      guard MonotonicClock.now < limit else { throw problem }
      end = limit
      try? await Task.sleep(nanoseconds: UInt64(pause.nanoseconds))
      pause = min(pause * 2, .seconds(8))
    }
  }

  private func abandon(_ error: JoinError) {
    guard !joinedOnce, state == .connecting else { return }
    lastError = error
    joining?.cancel()
  }

  private var abandoned: JoinError? { state == .ended ? .cancelled : lastError }

  /// One attempt: discover, connect, offer, and take the welcome. Afterwards media is being set up.
  func enter() async throws(JoinError) {
    let (answer, token) = try await location.document(
      timeout: min(options.timeout.bounded, options.steps.joining), trustsAny: options.trustsAnyCertificate)
    var document = answer
    if let signaling = options.signaling { document.signaling = signaling }
    try ensureGoingOn()
    try checkEncryption(document.e2ee)
    try checkRelays(document)
    if !joinedOnce { times.discovered = MonotonicClock.now }
    async let channel = openChannel(options.signaling ?? answer.signaling)
    let connection: MediaConnection
    do throws(JoinError) { connection = try await openConnection(document) } catch {
      if case .success(let unused) = await channel { unused.close() }
      throw error
    }
    let opened: SignalingChannel
    do throws(JoinError) {
      opened = try (await channel).get()
      try ensureGoingOn()
    } catch {
      connection.close()
      throw error
    }
    if !joinedOnce { times.socketOpened = MonotonicClock.now }
    let signaling = SignalingSession(channel: opened, document: document)
    self.signaling = signaling
    self.connection = connection
    connectionState.mediaUp = false
    // Those of a former connection had other credentials.
    serverProblems = ServerProblems()
    if let soundSink { playSound(to: soundSink) }
    do throws(JoinError) {
      let (offer, tracks) = try await firstOffer(connection)
      opened.send(
        .join(
          .init(
            token: token.value, room: document.meeting, name: local.wantedName ?? local.name, offer: offer,
            tracks: tracks,
            client: options.client, passcode: options.passcode?.value, e2ee: isEncrypted ? true : nil)))
      signaling.hasAsked = true
      try await takeWelcome(signaling, connection)
      signaling.isWelcome = true
      // Nobody heard what was sent before.
      if signaling.hasWaited { tellAgain() }
      await offerNext()
    } catch {
      opened.close()
      connection.close()
      if self.signaling === signaling { self.signaling = nil }
      throw error
    }
    follow(signaling)
  }

  private nonisolated func openChannel(_ url: String) async -> Result<SignalingChannel, JoinError> {
    do throws(JoinError) {
      return .success(
        try await SignalingChannel.open(
          url, timeout: options.steps.joining, trustsAny: options.trustsAnyCertificate))
    } catch { return .failure(error) }
  }

  private func openConnection(_ document: DiscoverDocument) async throws(JoinError) -> MediaConnection {
    var configuration = SessionConfiguration()
    configuration.codecs = options.codecs
    configuration.receivedVideoCodecs = options.receivedVideoCodecs
    configuration.usesOnlyRelays = options.usesOnlyRelays
    let slots = max(min(options.initialSlots, options.maximumSlots ?? .max), 0)
    configuration.audioSlots = slots
    configuration.videoSlots = slots
    configuration.iceServers = iceServers(document)
    configuration.keys = secret?.makeRing()
    let connection = try await MediaConnection.open(configuration)
    let events = connection.events
    tasks.run { [weak self, weak connection] in
      for await event in events {
        guard let self, let connection, self.connection === connection else { continue }
        self.take(event)
      }
    }
    return connection
  }

  private func iceServers(_ document: DiscoverDocument) -> [IceServer] {
    options.iceServers + (options.usesOnlyOwnIceServers ? [] : document.iceServers.map(IceServer.init))
  }

  /// Reads up to the welcome and applies it.
  private func takeWelcome(_ signaling: SignalingSession, _ connection: MediaConnection) async throws(JoinError) {
    while let message = await signaling.channel.receive() {
      try ensureGoingOn()
      switch message {
      case .welcome(let welcome):
        endWaiting()
        if !joinedOnce { times.welcomed = MonotonicClock.now }
        signaling.resumeToken = Secret(welcome.resumeToken)
        signaling.resumeWindow = .seconds(Int64(clamping: welcome.resumeWindow))
        if let servers = welcome.iceServers?.map(IceServer.init), !options.usesOnlyOwnIceServers {
          connection.post { session, _ in session.setCredentials(of: servers) }
        }
        // Before media can flow.
        try beginEncryption(welcome)
        if let problem = await setAnswer(welcome.answer, connection) { throw .mediaFailed(problem) }
        try ensureGoingOn()
        apply(welcome)
        return
      case .waiting(let reason, _):
        signaling.hasWaited = true
        beginWaiting(for: reason)
      case .error(let code, let text, true, _): throw JoinError(code: code.rawValue, message: text)
      case .ended(let reason, let text): throw .refused(code: reason.rawValue, message: text)
      default: break
      }
    }
    try ensureGoingOn()
    if let failure = signaling.channel.failure { throw failure }
    throw .unreachable("The server closed the connection before the meeting was joined.")
  }

  /// Applies the state of a welcome.
  func apply(_ welcome: ServerMessage.Welcome) {
    local.id = welcome.participant
    ownIDs.insert(welcome.participant)
    apply(welcome.meeting)
    if let own = welcome.participants.first(where: { $0.id == local.id }) {
      emit(room: moderation.applyPermissions(ParticipantRole(rawValue: own.role), welcome.permissions))
    }
    applyState(welcome.participants, welcome.slots, welcome.chat, welcome.state, isWelcome: true)
    pumpKeys()
  }

  func ensureGoingOn() throws(JoinError) {
    if state == .ended { throw .cancelled }
    if !joinedOnce, let lastError { throw lastError }
    if Task.isCancelled { throw .cancelled }
  }

  /// Media that must go through a TURN server cannot go anywhere without one: that need not be waited for.
  private func checkRelays(_ document: DiscoverDocument) throws(JoinError) {
    guard options.usesOnlyRelays else { return }
    let urls = iceServers(document).flatMap(\.urls)
    guard !urls.contains(where: ServerProblem.isRelay) else { return }
    throw .mediaFailed("Media is to go through a TURN server only, and this meeting's server names none.")
  }
}

extension IceServer {
  /// A server as the meeting's server names it.
  fileprivate init(_ server: DiscoverDocument.IceServer) {
    self.init(urls: server.urls, username: server.username, credential: server.credential.map { Secret($0) })
  }
}
