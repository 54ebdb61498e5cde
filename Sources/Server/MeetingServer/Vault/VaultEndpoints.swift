import Basics
import Crypto
import FoundationEssentials
import Meetings
import Signaling
import Transport

/// A person's own key vault over HTTP: `/api/v1/vault`. The person has signed in, or has a token that names them.
struct VaultEndpoints: Sendable {
  let vault: Vault
  let authority: JoinAuthority
  let signIn: SignInEndpoints
  let log: Log

  /// Bytes of a body: a record of the largest size in base64url, and what stands around it.
  static let maximumBody = 72 << 10

  // MARK: Calls

  func status(_ caller: Vault.Caller, _ now: Date) async throws(Refusal) -> HTTPResponse {
    let state = try await answer { () throws(VaultRefusal) in try await vault.status(caller, now: now) }
    var status = VaultStatus(
      state: .none, owner: caller.owner.text, version: state.version, hasRecoveryKey: state.hasRecoveryKey)
    switch state.kind {
    case .none: break
    case .ready: (status.state, status.triesLeft) = (.ready, state.triesLeft)
    case .locked(let end):
      (status.state, status.triesLeft) = (.locked, 0)
      status.lockedFor = max(1, Int(end.timeIntervalSince(now).rounded(.up)))
    case .unreadable: status.state = .unreadable
    }
    status.derivation = state.record.map(VaultDerivation.init)
    return .json(status)
  }

  func prepare(_ caller: Vault.Caller, _ request: HTTPRequest, _ now: Date) async throws(Refusal) -> HTTPResponse {
    let body = try body(VaultPreparationRequest.self, of: request, fields: ["token", "proof"])
    let token = try Self.bytes(body.token, "token")
    let proof = try body.proof.map(Self.proof)
    let prepared = try await answer { () throws(VaultRefusal) in
      try await vault.prepare(caller, token: token, proof: proof, now: now)
    }
    return .json(
      VaultPreparation(
        id: Base64URL.encode(prepared.id), answer: Base64URL.encode(prepared.answer), version: prepared.version))
  }

  func open(_ caller: Vault.Caller, _ request: HTTPRequest, _ now: Date) async throws(Refusal) -> HTTPResponse {
    let proof = try Self.proof(try body(VaultProof.self, of: request, fields: ["token", "recovery"]))
    let opening = try await answer { () throws(VaultRefusal) in
      try await vault.open(caller, proof: proof, now: now)
    }
    return .json(
      VaultOpening(record: SealedVault(opening.record), answer: opening.answer.map { Base64URL.encode($0) }))
  }

  func store(_ caller: Vault.Caller, _ request: HTTPRequest, _ now: Date) async throws(Refusal) -> HTTPResponse {
    let body = try body(
      VaultStoreRequest.self, of: request, fields: ["record", "proof", "preparation", "token", "recovery"])
    let derivation = body.record.derivation
    guard
      let record = VaultRecord(
        version: body.record.version, salt: try Self.bytes(derivation.salt, "salt"), memory: derivation.memory,
        passes: derivation.passes, sealed: try Self.bytes(body.record.sealed, "sealed"))
    else {
      throw Refusal(VaultRefusal.malformed("The record, or the cost of its passcode, is outside the bounds."))
    }
    guard (body.preparation == nil) == (body.token == nil) else {
      throw Refusal(400, "missingField", "preparation and token go together.")
    }
    var prepared: Vault.Prepared?
    if let id = body.preparation, let token = body.token {
      prepared = Vault.Prepared(id: try Self.bytes(id, "preparation"), token: try Self.bytes(token, "token"))
    }
    let proof = try body.proof.map(Self.proof)
    let recovery = try body.recovery.map { text throws(Refusal) in try Self.bytes(text, "recovery") }
    let credential = prepared
    try await answer { () throws(VaultRefusal) in
      try await vault.store(
        caller, record, replacing: record.version - 1, prepared: credential, recovery: recovery, proof: proof, now: now)
    }
    return HTTPResponse(status: 204, headers: ["Cache-Control": "no-store"])
  }

  func forget(_ caller: Vault.Caller, _ request: HTTPRequest, _ now: Date) async throws(Refusal) -> HTTPResponse {
    guard request.body.isEmpty else { throw Refusal(400, "badBody", "Forgetting a vault takes no body.") }
    try await answer { () throws(VaultRefusal) in try await vault.forget(caller, now: now) }
    return HTTPResponse(status: 204, headers: ["Cache-Control": "no-store"])
  }

  // MARK: Callers

  /// The person of a request.
  func caller(_ request: HTTPRequest, _ base: WebOrigin, _ now: Date) async throws(Refusal) -> Vault.Caller {
    guard request.headers["authorization"] != nil else {
      guard let (session, tenant) = try await signIn.person(of: request, base, now) else {
        throw Refusal(
          401, "signInRequired", "Sign in, or send a join token that names you as Authorization: Bearer.")
      }
      return try Self.caller(tenant, session.subject, session.name)
    }
    guard let token = request.bearerToken else {
      throw Refusal(401, "badToken", "The header Authorization must be Bearer and a token.")
    }
    let (grant, tenant): (JoinGrant, Tenant)
    do throws(JoinRefusal) {
      (grant, tenant) = try await authority.identify(
        token: Secret(token), origin: request.headers["origin"], ownOrigin: base, now: now)
    } catch {
      throw Refusal(error)
    }
    guard let user = grant.user else {
      throw Refusal(403, "noIdentity", "The token doesn't say who you are (claim sub), so there is no vault of yours.")
    }
    return try Self.caller(tenant, user, grant.name ?? "")
  }

  private static func caller(_ tenant: Tenant, _ user: String, _ name: String) throws(Refusal) -> Vault.Caller {
    guard (1...VaultOwner.maximumIdentity).contains(user.unicodeScalars.count) else {
      throw Refusal(403, "noIdentity", "The name by which the tenant knows you is too long for a vault.")
    }
    // The grant of a call has such a name too, and outlasts its endpoint: only the endpoint's socket opens that vault.
    guard !user.hasPrefix(VaultOwner.messagingPrefix) else {
      throw Refusal(403, "noIdentity", "The vault of a messaging identity is reached by its endpoints only.")
    }
    return Vault.Caller(owner: VaultOwner(tenant: tenant.id, identity: user), tenant: tenant.name, name: name)
  }

  // MARK: Bodies

  /// Reads a body. Fields that aren't known are refused, so that a misspelt one is never ignored.
  private func body<Value: Decodable>(
    _ type: Value.Type, of request: HTTPRequest, fields known: Set<String>
  ) throws(Refusal) -> Value {
    let fields = try AdminFields.object(of: request, maximumBytes: Self.maximumBody)
    if let other = fields.keys.sorted().first(where: { !known.contains($0) }) {
      throw Refusal(400, "unknownField", "There is no field \(other.prefix(40)).")
    }
    do throws(SignalingError) {
      return try SignalingDecoder().decode(type, from: request.body, maximumBytes: Self.maximumBody)
    } catch {
      throw Refusal(400, "badField", "The body cannot be read. \(error.description)")
    }
  }

  private static func bytes(_ text: String, _ field: String) throws(Refusal) -> [UInt8] {
    guard let bytes = Base64URL.decode(text), !bytes.isEmpty else {
      throw Refusal(400, "badField", "\(field) is not base64url without padding.")
    }
    return bytes
  }

  private static func proof(_ proof: VaultProof) throws(Refusal) -> Vault.Proof {
    if let token = proof.token { return .passcode(try bytes(token, "token")) }
    guard let recovery = proof.recovery else {
      throw Refusal(400, "missingField", "token or recovery is expected.")
    }
    return .recovery(try bytes(recovery, "recovery"))
  }

  private func answer<Answer>(
    _ body: () async throws(VaultRefusal) -> Answer
  ) async throws(Refusal) -> Answer {
    do throws(VaultRefusal) {
      return try await body()
    } catch {
      if case .store(let problem) = error { log.error("vault.failed", ["reason": problem.description]) }
      throw Refusal(error)
    }
  }
}

extension VaultDerivation {
  init(_ record: VaultRecord) {
    self.init(salt: Base64URL.encode(record.salt), memory: record.memory, passes: record.passes)
  }
}

extension SealedVault {
  init(_ record: VaultRecord) {
    self.init(
      version: record.version, derivation: VaultDerivation(record), sealed: Base64URL.encode(record.sealed))
  }
}
