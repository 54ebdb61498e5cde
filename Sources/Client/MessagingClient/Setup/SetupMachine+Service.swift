package import Basics
package import Messaging
import Signaling

extension SetupMachine {
  // MARK: The connection

  /// The WebSocket is open.
  package mutating func opened(now: Instant) {
    guard link == .connecting else { return }
    link = .greeting
    if let credentials {
      emit(.resume(credentials))
    } else if let token {
      emit(
        .hello(
          EndpointMessage.Hello(
            domain: domain, token: token.token, userId: token.userId, isPersistent: description.isPersistent,
            description: description.description, nickname: description.nickname)))
    }
  }

  /// The WebSocket is gone, or could not be opened.
  package mutating func closed(now: Instant) {
    switch link {
    case .idle, .waiting: return
    case .connecting, .greeting, .up: break
    }
    link = .idle
    tokenRetry = nil
    vaultRetry = nil
    if status.state == .syncStarted {
      syncDeadline = nil
      status.state = .syncRequired
      emit(.syncFailed(.failure))
    }
    waitToReconnect(now: now)
    announce()
  }

  private mutating func waitToReconnect(now: Instant) {
    guard isStarted, !isBlocked, credentials != nil || token != nil else { return }
    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    link = .waiting(until: now + backoff.next(random: random >> 33))
  }

  // MARK: Messages of the service

  /// The endpoint is registered, or back.
  package mutating func welcomed(_ welcome: ServiceMessage.Welcome, now: Instant) {
    guard link == .greeting || link == .up else { return }
    let isResumed = credentials != nil && welcome.secret == nil
    link = .up
    backoff.reset()
    if let secret = welcome.secret {
      let credentials = EndpointCredentials(endpoint: welcome.endpoint, secret: secret)
      self.credentials = credentials
      emit(.saveCredentials(credentials))
    }
    status.regId = welcome.regId
    status.appUserId = welcome.appUserId
    status.pin = welcome.pin
    status.endpoint = welcome.endpoint
    status.registrationToken = welcome.registrationToken
    status.authToken = .ok
    hasKeyManagement = welcome.hasKeyManagement
    if status.account == .none { status.account = welcome.isNewIdentity ? .new : .existing }
    // A token that came while the endpoint was away is newer than the one that it registered with.
    // It is kept until the service has taken it.
    if isResumed, let token { emit(.sendToken(token)) } else { token = nil }
    proceed(welcome, now: now)
    announce()
  }

  private mutating func proceed(_ welcome: ServiceMessage.Welcome, now: Instant) {
    if hasKeyManagement, keys.vaultVersion > 0, welcome.vaultReservedFor == nil,
      welcome.vault.map({ $0.state == .none || $0.version < keys.vaultVersion }) ?? true
    {
      emit(.vaultRolledBack)
    }
    if let own = keys.published {
      status.profileKeys = .synced
      if let known = welcome.keys {
        // The connection was lost before the service knew the keys of a new passcode, or it has gone back.
        guard known == own || known.generation >= own.generation else {
          if status.state == .success { emit(.ownKeysDiffer) } else { status.state = .ongoing }
          return publish()
        }
        // Publishing again would win over an endpoint that has replaced the keys with a new passcode.
        if known != own { emit(.ownKeysDiffer) }
        return succeed()
      }
      if status.state != .success { status.state = .ongoing }
      return publish()
    }
    status.profileKeys = .notSynced
    guard hasKeyManagement else {
      status.state = .ongoing
      return
    }
    status.state = .syncRequired
    guard welcome.vaultReservedFor == nil else { return waitForVault(now: now) }
    status.syncPasscode = welcome.vault?.state == VaultStatus.State.none ? .new : .existing
  }

  /// Another endpoint has forgotten the passcode and is making the vault again. The user isn't asked for anything until
  /// then.
  private mutating func waitForVault(now: Instant) {
    status.syncPasscode = .none
    vaultRetry = now + Self.vaultPause
  }

  private mutating func succeed() {
    status.state = .success
    status.progress = .none
    status.syncPasscode = .none
  }

  /// The identity has all the endpoints that it may have.
  package mutating func isFull() {
    guard link == .greeting || link == .up else { return }
    link = .up
    backoff.reset()
    status.authToken = .ok
    status.state = .full
    announce()
  }

  /// `hello` or `resume` failed; the service closes the socket.
  package mutating func refused(_ failure: MessagingFailure, now: Instant) {
    closeLink()
    switch failure.code {
    case .tokenRejected:
      token = nil
      isBlocked = true
      status.authToken = .rejected
    case .tokenNeeded:
      // Without credentials it was the token that was of no use.
      if credentials == nil { token = nil }
      isBlocked = token == nil
      status.authToken = .needed
      if !isBlocked { credentials = nil }
      connectIfWanted(now: now)
    case .endpointDeregistered: return deregistered()
    case .providerUnavailable, .serverError, .tooFast, .unavailable, .vaultReserved: waitToReconnect(now: now)
    // One that says when it is over; others, such as the length of a token, stay.
    case .limitReached where failure.retryAfter != nil: waitToReconnect(now: now)
    case .limitReached, .badRequest, .unknownDomain, .full, .notFound, .notAllowed, .alreadyExists, .wrongPasscode,
      .vaultLocked,
      .versionConflict, .proofRequired, .noVault, .vaultUnreadable, .noKeyManagement, .unknown:
      isBlocked = true
      emit(.failed(failure))
    }
    announce()
  }

  /// The identity provider's token has ended or is about to.
  package mutating func tokenIsNeeded() {
    status.authToken = .needed
    announce()
  }

  /// How the request of ``Effect/sendToken(_:)`` ended; nil for well.
  package mutating func authTokenAnswered(_ failure: MessagingFailure?, now: Instant) {
    guard let failure else {
      token = nil
      status.authToken = .ok
      // Without a token, the service has refused them.
      if status.state == .ongoing, status.profileKeys == .synced { publish() }
      return announce()
    }
    if failure.code == .tokenRejected {
      token = nil
      status.authToken = .rejected
    } else {
      tokenRetry = now + Self.tokenPause
    }
    announce()
  }

  /// How the request of ``Effect/sendRetry`` ended; nil for well, and then a welcome or `full` follows.
  package mutating func retryAnswered(_ failure: MessagingFailure?, now: Instant) {
    guard failure != nil, status.state == .ongoing, status.regId == nil else { return }
    status.state = .full
    announce()
  }

  /// Another endpoint removed this one.
  package mutating func deregistered() {
    forget()
    isStarted = false
    emit(.wipe)
    emit(.deregistered)
    announce()
  }

  // MARK: Keys

  /// The vault is open, or made, and the identity's keys are in ``keys``.
  package mutating func vaultOpened(now: Instant) {
    guard status.state == .syncStarted else { return }
    syncDeadline = nil
    status.state = .ongoing
    status.progress = .restoring
    status.profileKeys = .synced
    announce()
    publish()
    announce()
  }

  /// The vault did not open, or could not be made.
  package mutating func vaultFailed(_ error: SyncError, now: Instant) {
    guard status.state == .syncStarted else { return }
    syncDeadline = nil
    status.state = .syncRequired
    emit(.syncFailed(error))
    announce()
  }

  /// There is a vault after all, or none any more: other endpoints work at the same time.
  package mutating func vaultIs(_ passcode: SetupStatus.SyncPasscode) {
    guard status.state == .syncRequired || status.state == .syncStarted else { return }
    vaultRetry = nil
    status.syncPasscode = passcode
    announce()
  }

  /// Another endpoint has forgotten the passcode, and is still making the vault again.
  package mutating func vaultIsReserved(now: Instant) {
    guard status.state == .syncRequired || status.state == .syncStarted else { return }
    waitForVault(now: now)
    announce()
  }

  /// The service takes no other keys for now.
  package mutating func publishLater(after pause: TimeSpan, now: Instant) { publishRetry = now + pause }

  /// Others can get the identity's keys: the setup is done.
  package mutating func keysPublished(now: Instant) {
    guard status.state == .ongoing || status.state == .success, status.profileKeys == .synced else { return }
    succeed()
    announce()
  }
}
