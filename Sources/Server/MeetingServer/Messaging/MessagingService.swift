import Basics
import Crypto
import FoundationEssentials
import Meetings
import Messaging
import Signaling
import Synchronization
import Transport

/// Serves the sockets of endpoints: the first message decides which endpoint a socket stands for; the hub sequences the
/// rest.
struct MessagingService: Sendable {
  let hub: MailboxHub
  let store: any MeetingStore
  let authenticator: DomainAuthenticator
  let vaults: EndpointVaults
  let meetings: CallMeetings
  let limits: AddressLimits
  let log: Log
  var clock: @Sendable () -> Date = { Date() }
  var helloTimeout: Duration = .seconds(MessagingLimits.helloSeconds)
  /// How long an endpoint waits for a place of its identity.
  var fullTimeout: Duration = .seconds(MessagingLimits.fullSeconds)

  /// Serves one socket until it is closed. One of the places that are reserved for returning endpoints only resumes.
  func serve(_ socket: any SignalingSocket, address: IPAddress, onlyResumes: Bool = false) async {
    let channel = MessagingChannel(socket: socket)
    let isFirst = FirstFrame()
    let timeout = Task { [helloTimeout] in
      guard (try? await Task.sleep(for: helloTimeout)) != nil, isFirst.claim() else { return }
      // The network may be slow: the endpoint tries again.
      channel.refuse(.init(.limitReached, "Neither hello nor resume came in time (helloSeconds).", retryAfter: 1))
    }
    defer { timeout.cancel() }
    var connection = EndpointConnection()
    var full: Task<Void, Never>?
    defer { full?.cancel() }
    while let frame = await socket.next() {
      if case .waiting = connection.phase {
        guard isFirst.claim() else { break }
        timeout.cancel()
      }
      let action = connection.receive(frame, now: MonotonicClock.now)
      do throws(MessagingFailure) {
        switch action {
        case .hello(let hello):
          guard !onlyResumes else {
            throw MessagingFailure(
              .unavailable, "The server has as many connections as it may: only known endpoints get in (connections).",
              retryAfter: 5)
          }
          connection.phase = try await enter(hello, address, channel)
        case .resume(let resume): connection.phase = try await enter(resume, channel)
        case .retry(let id, let hello, let user):
          channel.send(.answer(id: id, .done))
          connection.phase = try await register(hello, user, address, channel)
        case .request(let id, let request, let caller, let bytes):
          await answer(request, bytes: bytes, id: id, from: caller, channel)
        case .acknowledge(let number, let caller): await hub.acknowledge(number, by: caller)
        case .pong: channel.send(.pong)
        case .ignore: break
        case .fail(let id, let failure):
          hub.counters.count(failure)
          channel.send(.failed(id: id, failure))
        case .close(let failure): throw failure
        }
      } catch {
        log.info("messaging.refused", ["code": error.code.rawValue])
        hub.counters.count(error)
        channel.refuse(error)
        break
      }
      if case .full(_, let user, _) = connection.phase {
        full = full ?? waitForPlace(until: user.expires, channel)
      } else {
        full?.cancel()
        full = nil
      }
    }
    if case .registered(let caller) = connection.phase { await hub.detach(caller.endpoint, channel) }
  }

  /// Closes the socket of an endpoint that has waited long enough for a place, or whose token has ended.
  private func waitForPlace(until end: Date, _ channel: MessagingChannel) -> Task<Void, Never> {
    let left = max(0, end.timeIntervalSince(clock()))
    // A token may be good for longer than a `Duration` can be.
    let tokenEndsFirst = left < Double(MessagingLimits.fullSeconds) && .seconds(left) < fullTimeout
    let (time, reason): (Duration, String) =
      tokenEndsFirst
      ? (.seconds(left), "The identity provider's token has ended.")
      : (fullTimeout, "No place became free in time (fullSeconds).")
    return Task {
      // Cancelled when the endpoint has a place, or is gone.
      guard (try? await Task.sleep(for: time)) != nil else { return }
      // It comes again with a token that is good, and gets the endpoints that there are then.
      channel.refuse(.init(.unavailable, reason, retryAfter: 1))
    }
  }

  /// Decides between the first frame and the time limit for it.
  private final class FirstFrame: Sendable {
    private let isClaimed = Atomic(false)

    func claim() -> Bool { !isClaimed.exchange(true, ordering: .acquiringAndReleasing) }
  }

  // MARK: Entering

  func domain(_ id: DomainID) async throws(MessagingFailure) -> MessagingDomain {
    let found = try await hub.perform { transaction, _ in try transaction.domain(id) }
    guard let found else { throw .init(.unknownDomain, "This server has no such domain.") }
    if found.isBeingRemoved { throw .init(.unknownDomain, "The domain is being removed.") }
    return found
  }

  private func enter(
    _ hello: EndpointMessage.Hello, _ address: IPAddress, _ channel: MessagingChannel
  ) async throws(MessagingFailure) -> EndpointConnection.Phase {
    let domain = try await domain(hello.domain)
    let user = try await authenticator.user(of: hello.token, named: hello.userId, in: domain)
    return try await register(hello, user, address, channel)
  }

  private func register(
    _ hello: EndpointMessage.Hello, _ user: ProvenUser, _ address: IPAddress, _ channel: MessagingChannel
  ) async throws(MessagingFailure) -> EndpointConnection.Phase {
    let secret = try Self.secret(of: hello)
    let now = clock()
    // A missing tenant is found before anything is stored.
    let domain = try await domain(hello.domain)
    _ = try await signingTenant(of: domain)
    if domain.settings.authentication == .disabled { try await requireWrite(of: address, for: user, in: domain.id) }
    let (registration, replaced) = try await hub.perform { transaction, _ in
      let own = hello.replaces == nil ? nil : try transaction.identity(user: user.userId, of: hello.domain)?.regId
      let before = try own.map { try transaction.endpoints(of: $0).map(\.id) } ?? []
      let registration = try EndpointRegistration.register(
        hello, user: user, secretHash: try EndpointRegistration.hash(ofSecret: secret), now: now, in: transaction)
      return (registration, try before.filter { try transaction.endpoint($0) == nil })
    }
    // An installation that was reset has no connection, no calls and no vault under its former name.
    for endpoint in replaced { await hub.remove(endpoint) }
    switch registration {
    case .full(let identity, let endpoints):
      channel.send(
        .full(
          endpoints: endpoints, maximumPersistent: MessagingLimits.persistentEndpoints,
          maximumEphemeral: MessagingLimits.ephemeralEndpoints))
      return .full(
        hello, user, MailboxCaller(domain: hello.domain, regId: identity.regId, endpoint: MailboxLogic.unregistered))
    case .registered(let identity, let endpoint, let isNew):
      log.info("messaging.registered", ["domain": hello.domain, "identity": identity.regId])
      let welcome = try await welcome(identity, endpoint, secret: secret, isNew: isNew)
      try await hub.attach(welcome, acknowledged: nil, domain: hello.domain, channel)
      return .registered(MailboxCaller(domain: hello.domain, regId: identity.regId, endpoint: endpoint.id))
    }
  }

  /// Without authentication, everybody makes as many identities as they have names for: an address makes them as seldom
  /// as meetings.
  private func requireWrite(
    of address: IPAddress, for user: ProvenUser, in domain: DomainID
  ) async throws(MessagingFailure) {
    let isKnown = try await hub.perform { transaction, _ in
      try transaction.identity(user: user.userId, of: domain) != nil
    }
    guard !isKnown, let reached = limits.writeRefusal(address, now: MonotonicClock.now) else { return }
    throw .init(.tooFast, reached.text, retryAfter: 1)
  }

  private static func secret(of hello: EndpointMessage.Hello) throws(MessagingFailure) -> String {
    guard let secret = hello.secret else { return RandomID.text(characters: 52) }
    guard Base64URL.decode(secret)?.count == 32 else {
      throw .init(.badRequest, "A secret has 32 random bytes in base64url.")
    }
    return secret
  }

  private func signingTenant(of domain: MessagingDomain) async throws(MessagingFailure) -> Tenant {
    do throws(MeetingStoreError) {
      if let tenant = try await store.tenant(id: domain.tenant) { return tenant }
    } catch {
      log.error("messaging.registration", ["reason": "\(error)"])
      throw .init(.serverError, "The server cannot read its data just now. Try again.")
    }
    throw .init(.unknownDomain, "The domain is gone.")
  }

  private func enter(
    _ resume: EndpointMessage.Resume, _ channel: MessagingChannel
  ) async throws(MessagingFailure) -> EndpointConnection.Phase {
    let (identity, endpoint) = try await hub.perform { transaction, _ in
      try EndpointRegistration.resume(resume, in: transaction)
    }
    let welcome = try await welcome(identity, endpoint, secret: nil, isNew: false)
    try await hub.attach(welcome, acknowledged: resume.acknowledged.value, domain: resume.domain, channel)
    return .registered(MailboxCaller(domain: resume.domain, regId: identity.regId, endpoint: endpoint.id))
  }

  private func welcome(
    _ identity: MessagingIdentity, _ endpoint: MessagingEndpoint, secret: String?, isNew: Bool
  ) async throws(MessagingFailure) -> ServiceMessage.Welcome {
    let domain = try await domain(identity.domain)
    let now = clock()
    let tenant = try await signingTenant(of: domain)
    let token: String
    do {
      token = try RegistrationToken.sign(identity, domain: domain.id, tenant: tenant, now: now)
    } catch {
      log.error("messaging.registration", ["reason": "\(error)"])
      throw .init(.serverError, "The server cannot sign just now. Try again.")
    }
    let hasVaults = domain.settings.hasKeyManagement
    let reserved = hasVaults ? await hub.vaultReservation(of: identity.regId, for: endpoint.id) : nil
    var vault: VaultStatus?
    if hasVaults, reserved == nil {
      vault = try await vaults.status(of: identity.regId, identity.userId, in: domain, now: now)
    }
    return ServiceMessage.Welcome(
      regId: identity.regId, appUserId: identity.userId, pin: identity.pin, endpoint: endpoint.id, secret: secret,
      registrationToken: token, isNewIdentity: isNew, keys: identity.keys, hasKeyManagement: hasVaults, vault: vault,
      vaultReservedFor: reserved, tokenExpires: MessageTime(endpoint.tokenExpires),
      lastEvent: EventNumber(identity.lastEvent),
      time: MessageTime(now))
  }
}
