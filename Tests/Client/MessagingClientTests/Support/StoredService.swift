import Basics
import Crypto
import FoundationEssentials
import Meetings
import Messaging

@testable import MessagingClient

/// A service whose requests go to the server's own ``MailboxLogic``, over a store on the disk. Its time is virtual.
final class StoredService: FakeService {
  private let store: any MailboxStore
  private var waiting: [(message: EndpointMessage, endpoint: TestEndpoint)] = []
  private var callers: [ObjectIdentifier: MailboxCaller] = [:]

  private init(_ store: any MailboxStore) { self.store = store }

  static func make(folder: String) async throws -> StoredService {
    let store = try await MeetingStores.open(folder: folder)
    let tenant = try await store.defaultTenant(now: Date())
    let made = MessagingDomain(
      id: domain, tenant: tenant.id, name: tenant.name,
      settings: .init(environment: .sandbox, authentication: .disabled, hasKeyManagement: false), created: Date())
    try await store.mailboxes { try $0.insert(made) }
    return StoredService(store)
  }

  override func receive(_ message: EndpointMessage, from endpoint: TestEndpoint) {
    waiting.append((message, endpoint))
  }

  /// Carries everything out that is under way.
  func settle() async throws {
    run()
    while !waiting.isEmpty {
      let (message, endpoint) = waiting.removeFirst()
      try await carryOut(message, endpoint)
      run()
    }
  }

  /// Lets time pass in steps, with what becomes due in them.
  func pass(seconds: Int64) async throws {
    for _ in 0..<seconds {
      advance(.seconds(1))
      try await settle()
    }
  }

  private func carryOut(_ message: EndpointMessage, _ endpoint: TestEndpoint) async throws {
    // The service's part of a connection that is gone has ended with it.
    guard endpoint.link != nil else { return }
    switch message {
    case .hello(let hello):
      let hash = try EndpointRegistration.hash(ofSecret: hello.secret ?? "")
      let registration = try await store.mailboxes { transaction in
        try EndpointRegistration.register(
          hello, user: ProvenUser(userId: hello.userId, expires: Date() + 3_600), secretHash: hash, now: Date(),
          in: transaction)
      }
      guard case .registered(let identity, let stored, let isNew) = registration else { return }
      enter(identity, stored, endpoint, secret: hello.secret, isNew: isNew)
    case .resume(let resume):
      let (identity, stored, events) = try await store.mailboxes { transaction in
        let (identity, stored) = try EndpointRegistration.resume(resume, in: transaction)
        let after = resume.acknowledged.value
        return (identity, stored, try transaction.events(of: identity.regId, after: after, limit: 10_000))
      }
      enter(identity, stored, endpoint, secret: nil, isNew: false)
      if resume.acknowledged.value < identity.purged {
        send(.event(number: EventNumber(identity.purged), time: time, .gap), to: endpoint)
      }
      for event in events {
        send(.event(number: EventNumber(event.number), time: event.time, event.event), to: endpoint)
      }
    case .acknowledge(let number):
      guard let caller = callers[ObjectIdentifier(endpoint)] else { return }
      try await store.mailboxes { try EndpointRegistration.acknowledge(number.value, by: caller, in: $0) }
    case .ping: send(.pong, to: endpoint)
    case .request(let id, let request):
      guard let caller = callers[ObjectIdentifier(endpoint)] else { return }
      try await carryOut(request, id: id, caller, endpoint)
    }
  }

  private func enter(
    _ identity: MessagingIdentity, _ stored: MessagingEndpoint, _ endpoint: TestEndpoint, secret: String?, isNew: Bool
  ) {
    let caller = MailboxCaller(domain: Self.domain, regId: identity.regId, endpoint: stored.id)
    callers[ObjectIdentifier(endpoint)] = caller
    endpoint.id = stored.id
    endpoint.isWelcome = true
    send(
      .welcome(
        ServiceMessage.Welcome(
          regId: identity.regId, appUserId: identity.userId, pin: identity.pin, endpoint: stored.id, secret: secret,
          registrationToken: "token", isNewIdentity: isNew, keys: identity.keys, hasKeyManagement: false,
          tokenExpires: MessageTime(milliseconds: .max), lastEvent: EventNumber(identity.lastEvent), time: time)),
      to: endpoint)
  }

  private func carryOut(
    _ request: MessagingRequest, id: Int, _ caller: MailboxCaller, _ endpoint: TestEndpoint
  ) async throws {
    let time = time
    let outcome: MailboxOutcome
    do {
      outcome = try await store.mailboxes { transaction in
        try transaction.attempt {
          var logic = MailboxLogic(caller, now: time, in: transaction)
          return try logic.apply(request)
        }
      }
    } catch let failure as MessagingFailure {
      return send(.failed(id: id, failure), to: endpoint)
    }
    for delivery in outcome.deliveries {
      let event = delivery.event
      for other in endpoints where other.isWelcome && callers[ObjectIdentifier(other)]?.regId == delivery.to {
        send(.event(number: EventNumber(event.number), time: event.time, event.event), to: other)
      }
    }
    for passing in outcome.passing {
      for other in endpoints where other.isWelcome && callers[ObjectIdentifier(other)]?.regId == passing.to {
        send(.passing(passing.event), to: other)
      }
    }
    guard !losesAnswer(request) else { return endpoint.lose() }
    send(.answer(id: id, outcome.answer), to: endpoint)
  }
}
