import Basics
import Crypto
import Messaging
import Signaling

@testable import MessagingClient

/// A messaging service in virtual time that does what a test wants, also what no honest one does.
class FakeService {
  struct Identity {
    let regId: RegID
    let user: String
    var keys: PublicKeys?
    var endpoints: [EndpointID: String] = [:]
    var events: [MessagingEvent] = []
    var vault: (record: SealedVault, token: String)?
    var vaultVersion = 0
  }

  struct ChatState {
    var info: ChatInfo
    var participants: [ChatParticipant]
    var firstMessage: [RegID: MessageNumber]
    var keys: [RegID: Sealed]
    /// The envelopes that identities made for themselves.
    var ownKeys: [RegID: Sealed] = [:]
    var messages: [StoredMessage] = []
  }

  static let domain = DomainID("6d0a7ac0-6f5e-4d6f-9a51-0f6a1f7f6f01")
  static let maximumEndpoints = 3

  var hasKeyManagement = false
  var now = Instant.zero
  var identities: [String: Identity] = [:]
  var chats: [ChatID: ChatState] = [:]
  private(set) var endpoints: [TestEndpoint] = []
  var tokens: (String) -> MessagingFailure? = { _ in nil }
  /// Other keys that look-ups give.
  var lookupKeys: [RegID: PublicKeys] = [:]
  /// The treatment of a message on its way to an endpoint.
  var deliver: (ServiceMessage, TestEndpoint) -> [ServiceMessage] = { message, _ in [message] }
  /// Requests that are carried out, and whose answers are lost with the connection.
  var losesAnswer: (MessagingRequest) -> Bool = { _ in false }
  /// Whether endpoints are registered and do not hear of it.
  var losesWelcome = false
  private(set) var requests: [(user: String, request: MessagingRequest)] = []
  private var queue: [(message: ServiceMessage, endpoint: TestEndpoint, link: Int)] = []
  private var counter: UInt64 = 100
  private var prepared: [String: String] = [:]
  /// The endpoints that make the vault of a user again.
  private var makers: [String: EndpointID] = [:]

  var time: MessageTime { MessageTime(milliseconds: now.nanoseconds / 1_000_000) }

  func add(_ endpoint: TestEndpoint) { endpoints.append(endpoint) }

  private func next() -> UInt64 {
    counter += 1
    return counter
  }

  /// Carries everything out that is under way.
  func run() {
    var isBusy = true
    while isBusy {
      isBusy = false
      for endpoint in endpoints where endpoint.pump() { isBusy = true }
      guard !queue.isEmpty else { continue }
      isBusy = true
      let (message, endpoint, link) = queue.removeFirst()
      for message in deliver(message, endpoint) where endpoint.link == link {
        endpoint.machine.receive(message, now: now, time: endpoint.time)
      }
      if case .refused = message, endpoint.link == link { endpoint.lose() }
    }
  }

  /// Lets time pass, with the timers that end in it.
  func advance(_ span: TimeSpan) {
    let end = now + span
    while true {
      run()
      let deadlines = endpoints.compactMap(\.machine.deadline).filter { $0 <= end }
      guard let first = deadlines.min() else { break }
      now = max(now, first)
      for endpoint in endpoints where endpoint.machine.deadline.map({ $0 <= now }) == true {
        endpoint.machine.handleTimeout(now: now, time: endpoint.time)
      }
    }
    now = end
    run()
  }

  func send(_ message: ServiceMessage, to endpoint: TestEndpoint) {
    guard let link = endpoint.link else { return }
    queue.append((message, endpoint, link))
  }

  // MARK: Messages of endpoints

  func receive(_ message: EndpointMessage, from endpoint: TestEndpoint) {
    switch message {
    case .hello(let hello): register(hello, endpoint)
    case .resume(let resume): self.resume(resume, endpoint)
    case .request(let id, let request):
      guard let user = endpoint.user else { return }
      requests.append((user, request))
      let answer = carryOut(request, user, endpoint)
      guard !losesAnswer(request) else { return endpoint.lose() }
      switch answer {
      case .success(let answer): send(.answer(id: id, answer), to: endpoint)
      case .failure(let failure): send(.failed(id: id, failure), to: endpoint)
      }
      if case .setupRetry = request, let hello = endpoint.hello { register(hello, endpoint) }
    case .acknowledge(let number): endpoint.acknowledged = max(endpoint.acknowledged, number)
    case .ping: send(.pong, to: endpoint)
    }
  }

  private func register(_ hello: EndpointMessage.Hello, _ endpoint: TestEndpoint) {
    if let failure = tokens(hello.token) { return send(.refused(failure), to: endpoint) }
    endpoint.hello = hello
    let isNew = identities[hello.userId] == nil
    if isNew { identities[hello.userId] = Identity(regId: RegID(next()), user: hello.userId) }
    endpoint.user = hello.userId
    if let old = identities[hello.userId]?.endpoints.first(where: { $0.value == hello.replaces })?.key {
      identities[hello.userId]?.endpoints[old] = nil
    }
    guard let identity = identities[hello.userId], identity.endpoints.count < Self.maximumEndpoints else {
      return send(.full(endpoints: [], maximumPersistent: 3, maximumEphemeral: 7), to: endpoint)
    }
    let known = identity.endpoints.first { $0.value == hello.secret }?.key
    let id = known ?? EndpointID("endpoint\(next())")
    let secret = hello.secret ?? "secret-\(id)"
    identities[hello.userId]?.endpoints[id] = secret
    endpoint.id = id
    endpoint.acknowledged = EventNumber(UInt64(identity.events.count))
    guard !losesWelcome else { return endpoint.lose() }
    welcome(endpoint, secret: secret, isNew: isNew)
  }

  private func resume(_ resume: EndpointMessage.Resume, _ endpoint: TestEndpoint) {
    guard let user = endpoint.user, identities[user]?.endpoints[resume.endpoint] == resume.secret else {
      return send(.refused(MessagingFailure(.endpointDeregistered, "")), to: endpoint)
    }
    endpoint.acknowledged = resume.acknowledged
    welcome(endpoint, secret: nil, isNew: false)
    for (index, event) in (identities[user]?.events ?? []).enumerated()
    where UInt64(index) >= resume.acknowledged.value {
      send(.event(number: EventNumber(UInt64(index) + 1), time: time, event), to: endpoint)
    }
  }

  private func welcome(_ endpoint: TestEndpoint, secret: String?, isNew: Bool) {
    guard let user = endpoint.user, let identity = identities[user], let id = endpoint.id else { return }
    endpoint.isWelcome = true
    send(
      .welcome(
        ServiceMessage.Welcome(
          regId: identity.regId, appUserId: user, pin: "0123abcd", endpoint: id, secret: secret,
          registrationToken: "token", isNewIdentity: isNew, keys: identity.keys, hasKeyManagement: hasKeyManagement,
          vault: hasKeyManagement && !isReserved(user, for: id) ? vaultStatus(identity) : nil,
          vaultReservedFor: isReserved(user, for: id) ? 120 : nil, tokenExpires: MessageTime(milliseconds: .max),
          lastEvent: EventNumber(UInt64(identity.events.count)), time: time)), to: endpoint)
  }

  /// An event for the mailbox of an identity.
  func deliver(_ event: MessagingEvent, to id: RegID) {
    guard let user = identities.values.first(where: { $0.regId == id })?.user else { return }
    identities[user]?.events.append(event)
    let number = EventNumber(UInt64(identities[user]?.events.count ?? 0))
    for endpoint in endpoints where endpoint.user == user && endpoint.isWelcome {
      send(.event(number: number, time: time, event), to: endpoint)
    }
  }

  func pass(_ event: PassingEvent, to id: RegID, except: EndpointID? = nil) {
    guard let user = identities.values.first(where: { $0.regId == id })?.user else { return }
    for endpoint in endpoints where endpoint.user == user && endpoint.id != except {
      send(.passing(event), to: endpoint)
    }
  }

  func deregister(_ id: EndpointID) {
    for user in identities.keys { identities[user]?.endpoints[id] = nil }
    makers = makers.filter { $0.value != id }
    for endpoint in endpoints where endpoint.id == id { send(.endpointDeregistered, to: endpoint) }
  }

  // MARK: Vault

  func vaultStatus(_ identity: Identity) -> VaultStatus {
    VaultStatus(
      state: identity.vault == nil ? .none : .ready, owner: "owner-\(identity.regId)", version: identity.vaultVersion,
      derivation: identity.vault?.record.derivation)
  }

  private func isReserved(_ user: String, for endpoint: EndpointID?) -> Bool {
    makers[user].map { $0 != endpoint } ?? false
  }

  private func answerHalf(_ token: String) -> String {
    Base64URL.encode((try? Digest.sha256(Array("pepper\(token)".utf8))) ?? [])
  }

  func carryOut(_ request: VaultRequest, _ user: String, _ endpoint: TestEndpoint) -> Result<
    MessagingAnswer, MessagingFailure
  > {
    guard let identity = identities[user] else { return .failure(MessagingFailure(.notFound, "")) }
    guard !isReserved(user, for: endpoint.id) else {
      return .failure(MessagingFailure(.vaultReserved, "", retryAfter: 120))
    }
    switch request {
    case .status: return .success(.vault(answer: .status(status: vaultStatus(identity))))
    case .prepare(let request):
      guard identity.vault == nil || identity.vault?.token == request.proof?.token else {
        return .failure(MessagingFailure(.proofRequired, ""))
      }
      prepared[user] = request.token
      return .success(
        .vault(
          answer: .prepared(
            preparation: VaultPreparation(
              id: "prepared", answer: answerHalf(request.token), version: identity.vaultVersion + 1))))
    case .open(let proof):
      guard let vault = identity.vault, vault.token == proof.token else {
        return .failure(MessagingFailure(.wrongPasscode, ""))
      }
      return .success(
        .vault(answer: .opened(opening: VaultOpening(record: vault.record, answer: answerHalf(vault.token)))))
    case .store(let request):
      guard let token = prepared[user], token == request.token else {
        return .failure(MessagingFailure(.versionConflict, ""))
      }
      identities[user]?.vault = (request.record, token)
      identities[user]?.vaultVersion = request.record.version
      makers[user] = nil
      return .success(.vault(answer: .stored(version: request.record.version)))
    case .forget:
      identities[user]?.vault = nil
      makers[user] = endpoint.id
      for other in identity.endpoints.keys where other != endpoint.id { deregister(other) }
      return identities[user].map { .success(.vault(answer: .status(status: vaultStatus($0)))) }
        ?? .failure(MessagingFailure(.notFound, ""))
    }
  }
}
