package import Basics
package import Messaging

/// The setup of an endpoint as a value: calls of the app, messages of the service and the time come in; effects and the
/// next deadline come out.
///
/// A token may come before ``start(credentials:regId:keys:now:)`` and waits for it. After success the machine keeps the
/// connection up and the token fresh.
package struct SetupMachine: Sendable {
  /// How long the vault may take after a passcode was given.
  static let syncTimeout = TimeSpan.seconds(90)
  static let tokenPause = TimeSpan.seconds(10)
  /// Between questions whether another endpoint has made the vault again.
  static let vaultPause = TimeSpan.seconds(2)

  /// A step for the owner of the machine.
  package enum Effect: Sendable, Hashable {
    case connect
    case disconnect
    case hello(EndpointMessage.Hello)
    case resume(EndpointCredentials)
    /// Requests whose outcome comes back by ``authTokenAnswered(_:now:)`` and ``retryAnswered(_:now:)``.
    case sendToken(AuthToken)
    case sendRetry
    /// Opens the vault; ``vaultOpened(now:)`` or ``vaultFailed(_:now:)`` follows.
    case openVault(passcode: Passcode)
    /// Makes keys and a vault, in place of an existing one if `replaces`.
    case makeVault(passcode: Passcode, replaces: Bool)
    /// Asks whether another endpoint has made the vault; ``vaultIs(_:)`` or ``vaultIsReserved(now:)`` follows.
    case askForVault
    /// Publishes the identity's keys; ``keysPublished(now:)`` follows.
    case publishKeys
    case saveCredentials(EndpointCredentials)
    case changed(SetupStatus)
    case syncFailed(SyncError)
    /// Something that the app cannot answer: no retry without a change.
    case failed(MessagingFailure)
    /// The service knows other keys of this identity than this endpoint has.
    case ownKeysDiffer
    /// The vault's record is gone or older than it was.
    case vaultRolledBack
    /// Removes all that is stored here.
    case wipe
    /// This endpoint was removed by another. It is wiped and stopped.
    case deregistered
  }

  /// The identity's keys, as far as they are on this endpoint.
  package struct LocalKeys: Sendable, Hashable {
    /// The published form of the keys that are here; nil when there are none.
    package var published: PublicKeys?
    /// The highest version of the vault that was seen here; 0 for none.
    package var vaultVersion = 0

    package init(published: PublicKeys? = nil, vaultVersion: Int = 0) {
      self.published = published
      self.vaultVersion = vaultVersion
    }
  }

  enum Link: Equatable, Sendable {
    case idle, connecting, greeting, up
    case waiting(until: Instant)
  }

  let domain: DomainID
  package var description: EndpointDescription
  package internal(set) var status = SetupStatus()
  /// The identity's keys; the owner keeps them current.
  package var keys = LocalKeys()
  package internal(set) var isStarted = false
  var credentials: EndpointCredentials?
  var token: AuthToken?
  var link = Link.idle
  var hasKeyManagement = true
  var syncDeadline: Instant?
  /// When a token that the service could not take is sent again.
  var tokenRetry: Instant?
  /// When the vault, which another endpoint is making again, is asked for.
  var vaultRetry: Instant?
  /// When keys that the service could not take are published again.
  var publishRetry: Instant?
  /// Whether only a new token, or a start, makes another attempt.
  var isBlocked = false
  var backoff = Backoff()
  var random: UInt64
  private var effects: [Effect] = []
  private var announced = SetupStatus()

  /// - Parameter seed: Spreads the pauses between attempts.
  package init(domain: DomainID, description: EndpointDescription = EndpointDescription(), seed: UInt64) {
    self.domain = domain
    self.description = description
    random = seed | 1
  }

  // MARK: The app

  /// Starts the service. An endpoint that was registered before, as `regId`, comes back without a token.
  package mutating func start(
    credentials: EndpointCredentials?, regId: RegID? = nil, keys: LocalKeys, now: Instant
  ) {
    guard !isStarted else { return }
    isStarted = true
    isBlocked = false
    self.credentials = credentials
    self.keys = keys
    if credentials != nil {
      // An endpoint that was set up works without a connection, too.
      status.state = keys.published == nil ? .ongoing : .success
      if keys.published != nil { status.profileKeys = .synced }
      status.regId = regId
    }
    connectIfWanted(now: now)
    announce()
  }

  /// Stops the service; what is stored stays.
  package mutating func stop() {
    guard isStarted else { return }
    isStarted = false
    closeLink()
    syncDeadline = nil
    publishRetry = nil
    if status.state == .syncStarted { status.state = .syncRequired }
    announce()
  }

  /// A token of the identity provider. Before the start, or while there is no connection, the newest one waits.
  package mutating func give(_ token: AuthToken, now: Instant) {
    self.token = token
    isBlocked = false
    guard isStarted else { return }
    switch link {
    case .up where status.regId != nil: effects.append(.sendToken(token))
    case .up, .greeting, .connecting: break
    case .idle, .waiting:
      backoff.reset()
      link = .idle
      connectIfWanted(now: now)
    }
    announce()
  }

  /// The passcode of the vault. Ignored unless ``SetupState/syncRequired``, and while another endpoint makes the vault.
  package mutating func give(passcode: Passcode, _ action: SyncAction, now: Instant) {
    guard status.state == .syncRequired, status.syncPasscode != .none, link == .up else { return }
    status.state = .syncStarted
    syncDeadline = now + Self.syncTimeout
    switch (action, status.syncPasscode) {
    case (.existing, _): effects.append(.openVault(passcode: passcode))
    case (.new, .existing): effects.append(.makeVault(passcode: passcode, replaces: true))
    case (.new, .new), (.new, .none): effects.append(.makeVault(passcode: passcode, replaces: false))
    }
    announce()
  }

  /// The app has freed an endpoint, or confirms a switch. Ignored in other states.
  package mutating func retry() {
    guard status.state == .full || status.state == .deviceSwitchRequired, link == .up else { return }
    status.state = .ongoing
    effects.append(.sendRetry)
    announce()
  }

  /// Without key management: the app has stored or imported the identity's keys, which are in ``keys``.
  package mutating func profileKeysSynced() {
    guard status.profileKeys == .notSynced, keys.published != nil else { return }
    status.profileKeys = .synced
    if status.state == .ongoing, link == .up { publish() }
    announce()
  }

  /// Wipes everything and goes on as a new installation, as far as it was started.
  package mutating func reset(now: Instant) {
    forget()
    effects.append(.wipe)
    announce()
  }

  /// The app has come to the foreground, or the network is back.
  package mutating func retryNow(now: Instant) {
    guard case .waiting = link else { return }
    backoff.reset()
    link = .idle
    connectIfWanted(now: now)
  }

  /// Whether the service has answered the present connection, so that it takes requests.
  package var isOpen: Bool { link == .up }

  /// Whether there is a connection whose messages count: not one that is being closed.
  var isLinked: Bool { link == .up || link == .greeting }

  // MARK: Effects and time

  package mutating func pollEffect() -> Effect? { effects.isEmpty ? nil : effects.removeFirst() }

  /// When ``handleTimeout(now:)`` is to be called next.
  package var deadline: Instant? {
    var deadline = [syncDeadline, tokenRetry, vaultRetry, publishRetry].compactMap { $0 }.min()
    if case .waiting(let until) = link { deadline = min(deadline ?? until, until) }
    return deadline
  }

  package mutating func handleTimeout(now: Instant) {
    if let end = syncDeadline, now >= end { vaultFailed(.timeout, now: now) }
    if let at = tokenRetry, now >= at {
      tokenRetry = nil
      if link == .up, status.regId != nil, let token { emit(.sendToken(token)) }
    }
    if let at = vaultRetry, now >= at {
      // Until the answer comes.
      vaultRetry = now + Self.syncTimeout
      emit(.askForVault)
    }
    if let at = publishRetry, now >= at {
      publishRetry = nil
      if link == .up { publish() }
    }
    if case .waiting(let until) = link, now >= until {
      link = .idle
      connectIfWanted(now: now)
    }
    announce()
  }

  mutating func emit(_ effect: Effect) { effects.append(effect) }

  /// Reports the status if it has changed.
  mutating func announce() {
    status.isConnected = link == .up && status.regId != nil
    guard status != announced else { return }
    announced = status
    effects.append(.changed(status))
  }

  mutating func connectIfWanted(now: Instant) {
    guard isStarted, !isBlocked, link == .idle, credentials != nil || token != nil else { return }
    link = .connecting
    effects.append(.connect)
  }

  mutating func closeLink() {
    tokenRetry = nil
    vaultRetry = nil
    if link == .connecting || link == .greeting || link == .up { effects.append(.disconnect) }
    link = .idle
  }

  /// Everything of this endpoint as before its first start.
  mutating func forget() {
    closeLink()
    credentials = nil
    token = nil
    keys = LocalKeys()
    syncDeadline = nil
    publishRetry = nil
    isBlocked = false
    backoff.reset()
    status = SetupStatus()
  }

  mutating func publish() {
    status.progress = .completing
    emit(.publishKeys)
  }
}

/// A passcode, which prints as `<redacted>`.
package typealias Passcode = Secret<String>
