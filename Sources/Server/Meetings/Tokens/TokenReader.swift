import Basics
import FoundationEssentials

/// Recognises a token by its form, and proves it with the key that it names. Knows nothing of meetings and little of
/// time.
struct TokenReader: Sendable {
  let store: any TenantStore
  /// Whether the words that stand for tokens in development are taken.
  let isDevelopment: Bool

  /// The step that failed.
  enum Failure: Error {
    case problem(TokenProblem)
    case store(MeetingStoreError)
  }

  /// The grant of a token whose signature is proved, and its tenant. `host` is the name under which the client reached
  /// the server.
  func read(
    _ token: Secret<String>, host: String?, now: Date
  ) async throws(Failure) -> (grant: JoinGrant, tenant: Tenant) {
    var text = Substring(token.value)
    // How tokens of any form may travel.
    if text.hasPrefix(JoinToken.prefix) { text = text.dropFirst(JoinToken.prefix.utf8.count) }
    guard text.utf8.count <= JoinToken.maximumLength else { throw .problem(.tooLarge) }
    if isDevelopment, let role = DevelopmentToken.role(of: text) {
      let tenant = try await find { () throws(MeetingStoreError) in try await store.defaultTenant(now: now) }
      return (DevelopmentToken.grant(role, tenant: tenant.id, now: now), tenant)
    }
    if let token = OpenTokT1(text) { return try await read(token, host: host, now: now) }
    guard let signature = CompactJWS(String(text)) else { throw .problem(.unknownForm) }
    return switch signature.algorithm {
    case .rs256: try await readSigned(signature, host: host)
    case .hs256: try await readShared(signature, host: host, now: now)
    // Only providers' ID tokens are signed with ES256, and those open no meeting.
    case .es256, nil: throw .problem(.algorithm)
    }
  }

  private func read(
    _ token: OpenTokT1, host: String?, now: Date
  ) async throws(Failure) -> (grant: JoinGrant, tenant: Tenant) {
    let (tenant, keys) = try await secrets(of: token.apiKey, now: now)
    guard let key = keys.first(where: { token.isSigned(with: $0.secret.value) }) else { throw .problem(.signature) }
    let proof = TokenProof(tenant: tenant, payload: token.payload, host: host)
    return try Self.checked { () throws(TokenProblem) in
      var grant = try token.claims().grant(proof, form: .openTokT1)
      grant.key = key.id
      return (grant, tenant)
    }
  }

  private func readSigned(
    _ signature: CompactJWS, host: String?
  ) async throws(Failure) -> (grant: JoinGrant, tenant: Tenant) {
    guard let keyID = signature.keyID, keyID.utf8.count <= 64 else { throw .problem(.unknownKey) }
    let known = try await find { () throws(MeetingStoreError) in try await store.tenant(signingKeyID: keyID) }
    guard let known else { throw .problem(.unknownKey) }
    return try Self.checked { () throws(TokenProblem) in
      guard let key = try? SigningKey.cached(known), let payload = try? key.verify(signature) else { throw .signature }
      let proof = TokenProof(tenant: known, payload: payload, host: host)
      let claims = try proof.claims(ParleyClaims.self)
      guard claims.iss == known.id.rawValue else { throw .claims("iss is another tenant than the key's") }
      return (try claims.grant(proof, form: .signed), known)
    }
  }

  private func readShared(
    _ signature: CompactJWS, host: String?, now: Date
  ) async throws(Failure) -> (grant: JoinGrant, tenant: Tenant) {
    struct Issuer: Decodable { var iss: String }
    guard let claimed = signature.claimed,
      let issuer = try? JSONDecoder().decode(Issuer.self, from: Data(claimed)), issuer.iss.utf8.count <= 64
    else { throw .problem(.unknownKey) }
    let (tenant, keys) = try await secrets(of: issuer.iss, now: now)
    return try Self.checked { () throws(TokenProblem) in
      for key in keys {
        guard let payload = try? SharedKey(key.secret).verify(signature) else { continue }
        var grant = try Self.shared(TokenProof(tenant: tenant, payload: payload, host: host))
        grant.key = key.id
        return (grant, tenant)
      }
      throw .signature
    }
  }

  /// Distinguishes the three forms that share an algorithm. A token with the marks of more than one is refused, so that
  /// no two readers understand it differently.
  private static func shared(_ proof: TokenProof) throws(TokenProblem) -> JoinGrant {
    struct Marks: Decodable {
      struct ClaimPresence: Decodable { init(from decoder: any Decoder) throws {} }
      var session_id: ClaimPresence?
      var ist: ClaimPresence?
      var context: ClaimPresence?
      var meeting: ClaimPresence?
      var role: ClaimPresence?
      var room: ClaimPresence?
      var permissions: ClaimPresence?
      var moderator: ClaimPresence?
      @OptionalClaim var aud: Audience?
      @OptionalClaim var sub: String?
    }
    let marks = try proof.claims(Marks.self)
    let isOpenTok = marks.session_id != nil || marks.ist != nil
    let isOurs = marks.meeting != nil || marks.permissions != nil || (marks.role != nil && !isOpenTok)
    // Jitsi Meet leaves `context` out where it has nothing to say. Then its audience identifies it, or its `sub`, which
    // names a server rather than a person.
    let isJitsiByOthers =
      marks.moderator != nil || marks.aud?.names.contains("jitsi") == true
      || marks.sub.map { $0 == "*" || $0 == proof.tenant.apiKey || proof.isOwnAddress($0) } == true
    let isJitsi = marks.context != nil || (isJitsiByOthers && !isOurs && !isOpenTok)
    switch (isOpenTok, isJitsi, isOurs) {
    case (true, false, false):
      guard marks.room == nil else { throw .claims("it has session_id and room") }
      return try proof.claims(OpenTokJWT.self).claims().grant(proof, form: .openTokJWT)
    case (false, true, false): return try proof.claims(JitsiClaims.self).grant(proof)
    case (false, false, _): return try proof.claims(ParleyClaims.self).grant(proof, form: .parley)
    default: throw .claims("it has claims of more than one form")
    }
  }

  private func secrets(of apiKey: String, now: Date) async throws(Failure) -> (Tenant, [APIKey]) {
    let tenant = try await find { () throws(MeetingStoreError) in try await store.tenant(apiKey: apiKey) }
    guard let tenant else { throw .problem(.unknownKey) }
    let keys = try await find { () throws(MeetingStoreError) in try await store.apiKeys(of: tenant.id) }
    return (tenant, keys.filter { $0.isLive(at: now) })
  }

  private func find<Found>(
    _ body: () async throws(MeetingStoreError) -> Found
  ) async throws(Failure) -> Found {
    do throws(MeetingStoreError) { return try await body() } catch { throw .store(error) }
  }

  private static func checked<Result>(_ body: () throws(TokenProblem) -> Result) throws(Failure) -> Result {
    do throws(TokenProblem) { return try body() } catch { throw .problem(error) }
  }
}

/// The two words that the OpenTok samples of 2012 used instead of tokens. They open every room of the default tenant,
/// and exist only while the server runs in development mode.
enum DevelopmentToken {
  /// The role of a word; nil when it is none of them.
  static func role(of text: some StringProtocol) -> Role? {
    switch text {
    case "devtoken": .publisher
    case "moderator_token": .moderator
    default: nil
    }
  }

  static func grant(_ role: Role, tenant: TenantID, now: Date) -> JoinGrant {
    JoinGrant(
      form: .development, tenant: tenant, id: TokenID(rawValue: "development"), target: .anyRoom, role: role,
      expires: now.addingTimeInterval(3_600), isGuest: role == .publisher)
  }
}
