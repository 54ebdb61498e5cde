import Basics
import Crypto
import Encryption
import Messaging

/// The messenger as a value: calls of the app, messages of the service and the time come in; effects and the next
/// deadline come out. No I/O, so that tests run it in virtual time against a service of their own.
struct MessengerMachine: Sendable {
  enum Effect: Sendable {
    case connect
    case disconnect
    case send(EndpointMessage)
    /// Derives a passcode's credentials off the machine's thread; ``derived(_:job:now:time:)`` follows.
    case derive(job: Int, VaultPasscode, VaultParameters)
    case store([StoreChange])
    case wipe
    case notify(MessengerEvent)
    case reply(CommandID, Result<MessengerReply, MessengerError>)
  }

  /// Names a call of the app that waits for its reply.
  typealias CommandID = Int
  typealias Answer = Result<MessagingAnswer, MessengerError>
  typealias Continuation = @Sendable (inout MessengerMachine, Answer) -> Void
  typealias Derivation = @Sendable (inout MessengerMachine, Result<VaultCredentials, VaultError>) -> Void

  /// In chats whose newest message is older, nobody waits to see who types.
  static let typingPause = TimeSpan.seconds(300)
  static let retryPause = TimeSpan.seconds(3)
  static let pingInterval = TimeSpan.seconds(45)
  /// A service may claim any generation of keys and any number of a message; the next one has to exist.
  static let maximumGeneration = MessagingLimits.keyGenerations
  static let maximumMessage = MessageNumber(1 << 62)
  /// Messages that were not sent and that the app has not discarded.
  static let maximumFailed = 50

  let domain: DomainID
  let acceptsChangedKeys: Bool
  var setup: SetupMachine
  var identity: LocalIdentity
  var chats: [ChatID: ChatRecord] = [:]
  var outbox: [QueuedMessage] = []
  var calls: [CallID: CallRecord] = [:]

  // The present input's time, and the time of day.
  private(set) var now = Instant.zero
  private(set) var time = MessageTime(milliseconds: 0)
  /// The service's time of day, which times of messages are in.
  var serviceClock = ServiceClock()
  var serviceTime: MessageTime { serviceClock.time(at: now) ?? time }

  private var effects: [Effect] = []
  private var pending: [Int: Continuation] = [:]
  private var nextRequest = 1
  private var derivations: [Int: Derivation] = [:]
  private var nextDerivation = 1
  private var pingAt: Instant?
  private var pacing = FramePacing()
  /// When what the service refused for the moment is tried again.
  var retryAt: Instant?
  /// Whether the service has said when that is: then nobody makes it earlier.
  private var isRetryTimed = false
  /// The generation of the keys that the service has for this identity.
  var publishedGeneration = 0
  /// Whether the list of chats is being fetched.
  var isSyncing = false
  /// Whether history of a chat is being fetched: one chat after the other.
  var isFetchingHistory = false

  init(
    domain: DomainID, description: EndpointDescription, acceptsChangedKeys: Bool = false, instance: UInt64
  ) {
    self.domain = domain
    self.acceptsChangedKeys = acceptsChangedKeys
    setup = SetupMachine(domain: domain, description: description, seed: instance)
    identity = LocalIdentity(instance: instance)
  }

  /// Whether requests for chats can be sent.
  var isReady: Bool { setup.status.isConnected && setup.status.state == .success }

  /// The registration number of this identity; 0 before there is one.
  var own: RegID { identity.regId ?? RegID(0) }

  // MARK: Inputs

  mutating func at(_ now: Instant, _ time: MessageTime) {
    self.now = now
    self.time = time
  }

  mutating func start(now: Instant, time: MessageTime) {
    at(now, time)
    setup.start(credentials: identity.credentials, regId: identity.regId, keys: localKeys, now: now)
    pumpSetup()
  }

  mutating func stop(now: Instant, time: MessageTime) {
    at(now, time)
    setup.stop()
    failPending()
    pumpSetup()
  }

  mutating func reset(now: Instant, time: MessageTime) {
    at(now, time)
    let secret = identity.credentials?.secret ?? identity.helloSecret ?? identity.replacedSecret
    let isOnline = setup.status.isConnected
    // Not behind frames that wait for their turn: the connection ends now.
    if isOnline, let endpoint = identity.credentials?.endpoint {
      emit(.send(.request(id: nextRequest, .endpointDeregister(endpointId: endpoint))))
      nextRequest += 1
    }
    setup.reset(now: now)
    failPending()
    pumpSetup()
    // The service may not have heard it. The next registration of this identity takes the old one's place.
    identity.replacedSecret = secret
    if !isOnline, secret != nil { saveIdentity() }
  }

  mutating func retryNow(now: Instant, time: MessageTime) {
    at(now, time)
    setup.retryNow(now: now)
    if retryAt != nil, !isRetryTimed { resumePausedWork() }
    pumpSetup()
  }

  mutating func give(_ token: AuthToken, now: Instant, time: MessageTime) {
    at(now, time)
    setup.give(token, now: now)
    pumpSetup()
  }

  mutating func give(passcode: Passcode, _ action: SyncAction, now: Instant, time: MessageTime) {
    at(now, time)
    setup.give(passcode: passcode, action, now: now)
    pumpSetup()
  }

  mutating func retrySetup(now: Instant, time: MessageTime) {
    at(now, time)
    setup.retry()
    pumpSetup()
  }

  mutating func opened(now: Instant, time: MessageTime) {
    at(now, time)
    setup.opened(now: now)
    pumpSetup()
  }

  mutating func closed(now: Instant, time: MessageTime) {
    at(now, time)
    connectionIsDown()
    failPending()
    setup.closed(now: now)
    pumpSetup()
  }

  mutating func derived(
    _ result: Result<VaultCredentials, VaultError>, job: Int, now: Instant, time: MessageTime
  ) {
    at(now, time)
    derivations.removeValue(forKey: job)?(&self, result)
    pumpSetup()
  }

  var deadline: Instant? {
    [setup.deadline, pingAt, retryAt, pacing.deadline].compactMap { $0 }.min()
  }

  mutating func handleTimeout(now: Instant, time: MessageTime) {
    at(now, time)
    sendFrames()
    setup.handleTimeout(now: now)
    if let at = pingAt, now >= at {
      pingAt = now + Self.pingInterval
      send(.ping)
    }
    if let at = retryAt, now >= at { resumePausedWork() }
    pumpSetup()
  }

  private mutating func resumePausedWork() {
    retryAt = nil
    isRetryTimed = false
    for id in chats.keys { chats[id]?.isPaused = false }
    if isReady { resumeWork() }
  }

  // MARK: Effects and requests

  mutating func takeEffects() -> [Effect] {
    defer { effects = [] }
    return effects
  }

  mutating func emit(_ effect: Effect) { effects.append(effect) }

  mutating func notify(_ event: MessengerEvent) { effects.append(.notify(event)) }

  mutating func warn(_ warning: SecurityWarning) { effects.append(.notify(.warning(warning))) }

  mutating func reply(_ id: CommandID?, _ result: Result<MessengerReply, MessengerError>) {
    if let id { effects.append(.reply(id, result)) }
  }

  /// Sends a request; `then` gets its answer, or ``MessengerError/disconnected`` when the connection goes first.
  mutating func request(_ request: MessagingRequest, then: @escaping Continuation) {
    guard setup.isOpen else { return then(&self, .failure(.disconnected)) }
    let id = nextRequest
    nextRequest += 1
    pending[id] = then
    send(.request(id: id, request))
  }

  /// Sends a frame, behind those that wait for their turn.
  mutating func send(_ message: EndpointMessage) {
    pacing.enqueue(message)
    sendFrames()
  }

  private mutating func sendFrames() {
    while let frame = pacing.next(now: now) { emit(.send(frame)) }
  }

  mutating func answer(_ id: Int, _ answer: Answer) { pending.removeValue(forKey: id)?(&self, answer) }

  mutating func derive(_ passcode: VaultPasscode, _ parameters: VaultParameters, then: @escaping Derivation) {
    let job = nextDerivation
    nextDerivation += 1
    derivations[job] = then
    emit(.derive(job: job, passcode, parameters))
  }

  /// Ends what waits for answers of a connection that is gone.
  mutating func failPending() {
    let waiting = pending.sorted { $0.key < $1.key }
    pending = [:]
    isSyncing = false
    isFetchingHistory = false
    for id in chats.keys {
      chats[id]?.isSending = false
      chats[id]?.isPaused = false
      chats[id]?.isRotating = false
      chats[id]?.isFetchingKeys = false
      chats[id]?.isJoining = false
      chats[id]?.deliveredSent = MessageNumber(0)
    }
    for (_, then) in waiting { then(&self, .failure(.disconnected)) }
  }

  /// Tries again later what the service refuses for the moment.
  mutating func retryLater(_ failure: MessagingFailure? = nil) {
    let pause = failure?.retryAfter.map { TimeSpan.seconds(Int64(min(max($0, 1), 60))) } ?? Self.retryPause
    if failure?.retryAfter != nil { isRetryTimed = true }
    retryAt = min(retryAt ?? .distantFuture, now + pause)
  }

  mutating func connectionIsUp() { pingAt = now + Self.pingInterval }

  mutating func connectionIsDown() {
    pingAt = nil
    retryAt = nil
    isRetryTimed = false
    pacing.removeAll()
  }

  /// Everything as in a new installation.
  mutating func forgetAll(instance: UInt64) {
    identity = LocalIdentity(instance: instance)
    chats = [:]
    calls = [:]
    let waiting = outbox
    outbox = []
    pending = [:]
    let deriving = derivations.sorted { $0.key < $1.key }
    derivations = [:]
    // A call of the app may wait for it.
    for (_, then) in deriving { then(&self, .failure(.failed)) }
    connectionIsDown()
    for message in waiting where !message.isFailed {
      var failed = message
      failed.isFailed = true
      notify(.messageChanged(failed.message(own: own)))
    }
  }
}
