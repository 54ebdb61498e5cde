import Basics
import Crypto
public import FoundationEssentials
public import Messaging

/// Identities, their endpoints and public keys.
extension MailboxLogic {
  mutating func listEndpoints() throws {
    let infos = try transaction.endpoints(of: caller.regId).map { $0.info(isCurrent: $0.id == caller.endpoint) }
    outcome.answer = .endpoints(
      endpoints: infos, maximumPersistent: MessagingLimits.persistentEndpoints,
      maximumEphemeral: MessagingLimits.ephemeralEndpoints)
  }

  mutating func updateEndpoint(_ description: String?, _ nickname: String?) throws {
    guard var endpoint = try transaction.endpoint(caller.endpoint) else {
      throw MessagingFailure(.endpointDeregistered, "The endpoint is not registered any more.")
    }
    try Self.require(description ?? "", nickname ?? "")
    endpoint.description = description.map(Self.clean) ?? endpoint.description
    endpoint.nickname = nickname.map(Self.clean) ?? endpoint.nickname
    try transaction.put(endpoint)
    outcome.passing.append(.init(to: caller.regId, event: .endpointsChanged))
  }

  mutating func deregister(_ id: EndpointID) throws {
    guard let endpoint = try transaction.endpoint(id), endpoint.regId == caller.regId else {
      throw MessagingFailure(.notFound, "The identity has no such endpoint.")
    }
    try transaction.remove(endpoint: id)
    outcome.deregistered.append(id)
    outcome.passing.append(.init(to: caller.regId, event: .endpointsChanged))
  }

  /// Removes all endpoints of the caller's identity but its own: what a forgotten passcode comes to. One that was
  /// deregistered in the meantime, as a stolen phone is, removes none.
  public mutating func deregisterOthers() throws -> MailboxOutcome {
    outcome = MailboxOutcome(answer: .done)
    guard try transaction.endpoint(caller.endpoint) != nil else {
      throw MessagingFailure(.endpointDeregistered, "The endpoint is not registered any more.")
    }
    for endpoint in try transaction.endpoints(of: caller.regId) where endpoint.id != caller.endpoint {
      try transaction.remove(endpoint: endpoint.id)
      outcome.deregistered.append(endpoint.id)
    }
    return outcome
  }

  mutating func lookUp(_ users: [String], _ numbers: [RegID]) throws {
    guard users.count + numbers.count <= MessagingLimits.lookup else {
      throw MessagingFailure(.limitReached, "At most \(MessagingLimits.lookup) are looked up at once (lookup).")
    }
    var found: [MessagingIdentity] = []
    for user in users {
      if let identity = try transaction.identity(user: user, of: caller.domain) { found.append(identity) }
    }
    for number in numbers {
      if let identity = try transaction.identity(number), identity.domain == caller.domain { found.append(identity) }
    }
    outcome.answer = .identities(identities: found.map(\.info))
  }

  mutating func publish(_ keys: PublicKeys) throws {
    guard [keys.signing, keys.encryption].allSatisfy({ Base64URL.decode($0.text)?.count == 32 }), keys.generation > 0
    else { throw MessagingFailure(.badRequest, "A public key has 32 bytes, and generations count from 1.") }
    guard let identity = try transaction.identity(caller.regId) else {
      throw MessagingFailure(.notFound, "The identity is gone.")
    }
    if identity.keys == keys { return }
    guard keys.generation > identity.keys?.generation ?? 0 else {
      throw MessagingFailure(.versionConflict, "Keys of a later generation are published.")
    }
    // After the highest one there would be no later one, whoever published it.
    let highest = MessagingLimits.keyGenerations
    let most = min(min(identity.keys?.generation ?? 0, highest) + MessagingLimits.keyGenerationStep, highest)
    guard keys.generation <= most else {
      throw MessagingFailure(
        .badRequest,
        "The generation rises by at most \(MessagingLimits.keyGenerationStep) at once (keyGenerationStep).")
    }
    let hour = now.milliseconds / 3_600_000
    let changes = identity.keyHour == hour ? identity.keyChanges : 0
    guard changes < MessagingLimits.keyChangesPerHour else {
      throw MessagingFailure(
        .limitReached,
        "An identity changes its keys at most \(MessagingLimits.keyChangesPerHour) times an hour (keyChangesPerHour).",
        retryAfter: Int(clamping: (hour + 1) * 3_600 - now.milliseconds / 1_000))
    }
    try transaction.setKeys(keys, of: caller.regId, changes: changes + 1, hour: hour)
    // The identity's endpoints get it too, and see whether it was one of them.
    try deliver(.keysChanged(regId: caller.regId, keys: keys), to: caller.regId, subject: "keys:\(caller.regId)")
    try announce(keys, after: nil)
  }

  static func require(_ description: String, _ nickname: String) throws {
    // Not as people count: one of their characters may have any number of joiners.
    guard max(description.unicodeScalars.count, nickname.unicodeScalars.count) <= MessagingLimits.descriptionCharacters
    else {
      throw MessagingFailure(
        .limitReached,
        "Description and nickname have at most \(MessagingLimits.descriptionCharacters) characters "
          + "(descriptionCharacters).")
    }
  }

  /// A description or nickname as others read it: without control characters, and without what is invisible.
  static func clean(_ text: String) -> String {
    let most = MessagingLimits.descriptionCharacters
    return DisplayName.clean(text, most: most, bytes: 4 * most) ?? ""
  }
}

extension MessagingEndpoint {
  func info(isCurrent: Bool) -> EndpointInfo {
    EndpointInfo(
      endpointId: id, description: description, nickname: nickname, isCurrent: isCurrent, isPersistent: isPersistent,
      isConnected: false)
  }
}

/// How an endpoint gets in.
public enum EndpointRegistration: Sendable {
  case registered(MessagingIdentity, MessagingEndpoint, isNew: Bool)
  /// As many endpoints of this kind are registered as may be: all of the identity's.
  case full(MessagingIdentity, [EndpointInfo])

  /// Registers an installation for a proven user, and makes the identity if necessary. One that comes again with its
  /// secret is the endpoint that it was.
  public static func register(
    _ hello: EndpointMessage.Hello, user: ProvenUser, secretHash: String, now: Date,
    in transaction: any MailboxTransaction
  ) throws -> EndpointRegistration {
    try MailboxLogic.require(hello.description, hello.nickname)
    try DomainRemoval.requireKept(hello.domain, in: transaction)
    let known = try transaction.identity(user: user.userId, of: hello.domain)
    let identity = try known ?? makeIdentity(user.userId, hello.domain, now: now, in: transaction)
    var endpoints = try transaction.endpoints(of: identity.regId)
    // The installation was reset: its secret is known to nobody else.
    if let old = try hello.replaces.map(hash(ofSecret:)), old != secretHash,
      let index = endpoints.firstIndex(where: { ConstantTime.areEqual($0.secretHash, old) })
    {
      try transaction.remove(endpoint: endpoints.remove(at: index).id)
    }
    if var endpoint = endpoints.first(where: { $0.secretHash == secretHash }) {
      // Its first answer got lost.
      endpoint.acknowledged = identity.lastEvent
      endpoint.tokenExpires = user.expires
      try transaction.put(endpoint)
      return .registered(identity, endpoint, isNew: false)
    }
    let most = hello.isPersistent ? MessagingLimits.persistentEndpoints : MessagingLimits.ephemeralEndpoints
    guard endpoints.count(where: { $0.isPersistent == hello.isPersistent }) < most else {
      return .full(identity, endpoints.map { $0.info(isCurrent: false) })
    }
    let endpoint = MessagingEndpoint(
      id: EndpointID(RandomID.text(characters: 32)), regId: identity.regId, secretHash: secretHash,
      description: MailboxLogic.clean(hello.description), nickname: MailboxLogic.clean(hello.nickname),
      isPersistent: hello.isPersistent,
      acknowledged: identity.lastEvent, tokenExpires: user.expires, created: now)
    try transaction.put(endpoint)
    return .registered(identity, endpoint, isNew: known == nil)
  }

  private static func makeIdentity(
    _ user: String, _ domain: DomainID, now: Date, in transaction: any MailboxTransaction
  ) throws -> MessagingIdentity {
    var number = RegID(0)
    repeat { number = RegID(UInt64.random(in: 1..<1 << 63)) } while try transaction.identity(number) != nil
    var pin = ""
    repeat {
      let digits = String(UInt32.random(in: 0...(.max)), radix: 16)
      pin = String(repeating: "0", count: 8 - digits.count) + digits
    } while try transaction.hasPIN(pin, in: domain)
    let identity = MessagingIdentity(regId: number, domain: domain, userId: user, pin: pin)
    try transaction.insert(identity, now: now)
    return identity
  }

  /// The endpoint that comes back with its secret.
  public static func resume(
    _ resume: EndpointMessage.Resume, in transaction: any MailboxTransaction
  ) throws -> (MessagingIdentity, MessagingEndpoint) {
    guard var endpoint = try transaction.endpoint(resume.endpoint),
      let identity = try transaction.identity(endpoint.regId), identity.domain == resume.domain
    else { throw MessagingFailure(.endpointDeregistered, "The endpoint is not registered, or not any more.") }
    try DomainRemoval.requireKept(resume.domain, in: transaction)
    guard try ConstantTime.areEqual(hash(ofSecret: resume.secret), endpoint.secretHash) else {
      throw MessagingFailure(.tokenRejected, "The secret is not the endpoint's.")
    }
    endpoint.acknowledged = min(resume.acknowledged.value, identity.lastEvent)
    try transaction.put(endpoint)
    return (identity, endpoint)
  }

  /// The stored form of an endpoint's secret, which has 256 random bits.
  public static func hash(ofSecret secret: String) throws -> String {
    Base64URL.encode(try Digest.sha256(Array(secret.utf8)))
  }

  /// Notes what an endpoint keeps, and deletes events that all endpoints of its identity keep.
  public static func acknowledge(
    _ number: UInt64, by caller: MailboxCaller, in transaction: any MailboxTransaction
  ) throws {
    guard var endpoint = try transaction.endpoint(caller.endpoint),
      let identity = try transaction.identity(caller.regId), number <= identity.lastEvent,
      number > endpoint.acknowledged
    else { return }
    endpoint.acknowledged = number
    try transaction.put(endpoint)
    let all = try transaction.endpoints(of: caller.regId).map(\.acknowledged)
    if let kept = all.min() { try transaction.trim(caller.regId, through: kept) }
  }
}
