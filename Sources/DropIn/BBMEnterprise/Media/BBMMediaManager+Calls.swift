// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

public import Foundation
import Messaging
import MessagingClient

extension BBMMediaManager {
  /// Calls an identity: all its endpoints ring once they have accepted it. The callback gets
  /// ``kMediaErrorNoError``, or why there is no call.
  public func callRegId(_ regId: NSNumber!, mediaMode: MediaMode, callback: (@MainActor (BBMMediaError) -> Void)!) {
    guard isStarted else { return callback?(kMediaErrorNotReady) ?? () }
    guard active == nil, !isPlacingCall else { return callback?(kMediaErrorCallInProgress) ?? () }
    place(regId, mediaMode == kVideo ? .video : .voice, metadata: nil) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let call):
        let info = BBMCall(call.id, peer: call.peer, incoming: false)
        active = ActiveCall(info, wantsVideo: call.medium == .video)
        callback?(kMediaErrorNoError)
        notify { $0.outgoingCallInitiated(info) }
      case .failure(let error): callback?(error)
      }
    }
  }

  /// Starts ringing: the caller hears that, and the ringtone is played here.
  public func acceptCall() {
    guard let active, active.info.incoming, !active.isAnswered else { return }
    tones.play(incomingRingtone, repeats: true, devices)
    step(active.id) { try await $0.ring($1) }
  }

  /// Takes the call that rings.
  public func answer() {
    guard let active, active.info.incoming, !active.isAnswered else { return }
    active.isAnswered = true
    tones.stop()
    answer(active.id) { [weak self] in self?.fail(active, $0) }
  }

  /// Declines the call that rings, or ends the one that there is.
  public func decline() {
    guard let active else { return }
    guard active.info.incoming, !active.isAnswered else { return hangup() }
    step(active.id) { try await $0.decline($1, isBusy: false) }
    finish(active, .declined)
  }

  /// Ends the call, or gives it up before it is answered, also before the server has taken it.
  public func hangup() {
    guard let active else {
      for each in placing where each.medium != .data { each.isCancelled = true }
      return
    }
    if active.info.incoming, !active.isAnswered { return decline() }
    step(active.id) { try await $0.hangUp($1) }
    finish(active, .hungUp)
  }

  /// Whether the other side hears nothing of this one.
  public func setMutingEnabled(_ enabled: Bool) {
    guard let active else { return }
    active.info.muted = enabled
    active.tracks?.setMuted(enabled)
  }

  /// Keeps the switch; the system chooses the output.
  public func setSpeakerPhoneEnabled(_ enabled: Bool) { isOnSpeakerPhone = enabled }

  // MARK: Signalling

  /// Whether a voice or video call is being placed.
  private var isPlacingCall: Bool { placing.contains { $0.medium != .data && !$0.isCancelled } }

  /// Asks the server for a call. A call that was cancelled before the answer is hung up.
  func place(
    _ regId: NSNumber?, _ medium: CallMedium, metadata: String?,
    then done: @escaping @MainActor (Result<Call, BBMMediaError>) -> Void
  ) {
    guard let signaling = service?.signaling else { return done(.failure(kMediaErrorNotReady)) }
    guard let number = FieldValue.integer(regId), number != 0 else { return done(.failure(kMediaErrorInvalidPeer)) }
    if medium == .data, !hasRoom(for: RegID(number)) { return done(.failure(kMediaErrorRefused)) }
    let placement = Placement(medium, to: RegID(number))
    placing.append(placement)
    Task {
      var result: Result<Call, BBMMediaError>
      do throws(MessengerError) {
        result = .success(try await signaling.call(RegID(number), medium, metadata: metadata))
      } catch { result = .failure(Self.mediaError(error)) }
      placing.removeAll { $0 === placement }
      if placement.isCancelled {
        if case .success(let call) = result { Task { try? await signaling.hangUp(call.id) } }
        result = .failure(kMediaErrorCancelled)
      }
      done(result)
      if case .success(let call) = result { for event in early.removeValue(forKey: call.id) ?? [] { receive(event) } }
      if placing.isEmpty { early = [:] }
    }
  }

  /// Sends a step of a call. The outcome comes as an event.
  func step(_ id: CallID, _ body: @escaping @Sendable (any CallSignaling, CallID) async throws -> Void) {
    guard let signaling = service?.signaling else { return }
    Task { try? await body(signaling, id) }
  }

  /// Takes a call. If that fails and no event says why, the call is hung up, since the server may have taken the
  /// answer.
  func answer(_ id: CallID, failed: @escaping @MainActor (BBMMediaError) -> Void) {
    guard let signaling = service?.signaling else { return failed(kMediaErrorNotReady) }
    Task {
      do throws(MessengerError) { try await signaling.answer(id) } catch {
        // The call is over or was answered elsewhere, which comes as an event.
        if case .refused(let failure) = error, failure.code == .notFound || failure.code == .notAllowed { return }
        step(id) { try await $0.hangUp($1) }
        failed(Self.mediaError(error))
      }
    }
  }

  static func mediaError(_ error: MessengerError) -> BBMMediaError {
    switch error {
    case .notReady, .notForThisDomain: kMediaErrorNotReady
    case .disconnected: kMediaFailureNetwork
    case .keysMissing: kMediaFailureKeyError
    case .notFound: kMediaErrorInvalidPeer
    case .tooLarge: kMediaErrorTooLarge
    case .refused(let failure):
      failure.code == .notFound || failure.code == .badRequest ? kMediaErrorInvalidPeer : kMediaErrorRefused
    case .badData, .alreadyExists, .passcode, .fileFailed, .cancelled, .failed: kMediaErrorRefused
    }
  }

  // MARK: Events of the service

  func receive(_ event: CallEvent) {
    switch event {
    case .offered(let call): offered(call)
    case .changed(let call):
      guard isKnown(call.id, event) else { return }
      if let active, active.id == call.id, call.state == .ringing, !active.info.incoming {
        tones.play(outgoingRingtone, repeats: true, devices)
        notify { $0.outgoingCallRinging(active.info) }
      }
    case .connect(let call, let meeting):
      guard isKnown(call.id, event) else { return }
      if let active, active.id == call.id { connect(active, meeting) }
      if let data = connections[call.id] { connect(data, meeting) }
    case .ended(let call):
      guard isKnown(call.id, event) else { return }
      if let active, active.id == call.id { finish(active, call.end ?? .hungUp) }
      if let data = connections[call.id] { finish(data, call.end ?? .hungUp) }
    case .update, .refused: break
    }
  }

  /// Whether the call is one of those here. Events that come before the server's answer wait for it.
  private func isKnown(_ id: CallID, _ event: CallEvent) -> Bool {
    if active?.id == id || connections[id] != nil { return true }
    if !placing.isEmpty { early[id, default: []].append(event) }
    return false
  }

  private func offered(_ call: Call) {
    guard isStarted else { return }
    guard call.medium != .data else { return offeredData(call) }
    guard active == nil, !isPlacingCall else { return step(call.id) { try await $0.decline($1, isBusy: true) } }
    let info = BBMCall(call.id, peer: call.peer, incoming: true)
    active = ActiveCall(info, wantsVideo: false)
    notify { $0.incomingCallDidArrive(info) }
  }

  /// The call was answered: joins its meeting.
  private func connect(_ call: ActiveCall, _ access: CallMeeting) {
    guard call.session == nil else { return }
    call.isAnswered = true
    tones.stop()
    let session = makeSession(access)
    call.session = session
    call.tracks = CallMediaTracks(session.meeting, devices, stage)
    session.start(
      CallSession.Handlers(
        connected: { [weak self] in self?.connected(call) },
        failed: { [weak self] in
          self?.step(call.id) { try await $0.hangUp($1) }
          self?.fail(call, $0)
        },
        subscribed: { call.tracks?.show($0) },
        unsubscribed: { call.tracks?.hide($0) },
        keysChanged: { call.tracks?.showWaiting() },
        qualityChanged: { call.info.quality = $0 }))
  }

  func makeSession(_ access: CallMeeting) -> CallSession {
    CallSession(
      access, name: service?.model()?.localUser?.regId?.stringValue ?? "", server: service?.server ?? .current)
  }

  private func connected(_ call: ActiveCall) {
    guard call === active else { return }
    call.info.connectedTime = Date().timeIntervalSince1970
    call.tracks?.startAudio(isMuted: call.info.muted)
    notify { $0.callConnected(call.info) }
    updateCamera()
    if call.wantsVideo { setCamera(of: call, isOn: true) }
  }

  // MARK: The end

  /// A call is over as the service says.
  func finish(_ call: ActiveCall, _ end: CallEnd) {
    let isConnected = call.info.connectedTime > 0
    switch end {
    case .answeredElsewhere: call.info.logType = kCallLogCompletedElsewhere
    case .declinedElsewhere: call.info.logType = kCallLogDeclinedElsewhere
    case .declined:
      call.info.declined = true
      call.info.logType = kCallLogDeclined
    case .busy: call.info.logType = kCallLogBusy
    case .hungUp where isConnected || call.isAnswered: call.info.logType = kCallLogEnded
    case .hungUp where call.info.incoming, .unanswered where call.info.incoming:
      call.info.missed = true
      call.info.logType = kCallLogMissed
    case .hungUp: call.info.logType = kCallLogCancelled
    case .unanswered: call.info.logType = kCallLogUnavailable
    case .lost:
      return fail(call, isConnected ? kMediaFailureDisconnected : kMediaFailureNetwork)
    }
    close(call)
  }

  /// A call ends by an error.
  func fail(_ call: ActiveCall, _ error: BBMMediaError) {
    guard call === active else { return }
    call.info.failed = true
    call.info.failureReason = error
    call.info.logType = call.info.connectedTime > 0 ? kCallLogDisconnected : kCallLogConnectionError
    close(call)
  }

  private func close(_ call: ActiveCall) {
    guard call === active else { return }
    active = nil
    call.tracks?.end()
    call.session?.leave()
    updateCamera()
    tones.play(callEndTone, repeats: false, devices)
    if call.info.failed { notify { $0.callDidFail(call.info) } }
    notify { $0.callEnded(call.info) }
  }

  /// The service stops, so that everything is over.
  func serviceStopped() {
    for id in [active?.id].compactMap(\.self) + connections.keys { step(id) { try await $0.hangUp($1) } }
    if let active { fail(active, kMediaFailureDisconnected) }
    for data in connections.values { fail(data, kMediaFailureDisconnected) }
    for each in placing { each.isCancelled = true }
    early = [:]
  }
}
