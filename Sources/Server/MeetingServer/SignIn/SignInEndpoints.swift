import Basics
import Crypto
import FoundationEssentials
import Meetings
import Transport

/// Sign-in by OpenID Connect's code flow with PKCE (OpenID Connect Core 1.0 section 3.1, RFC 7636): `/signin`,
/// `/signin/callback`, `/signin/token` for apps, and `/signout`.
struct SignInEndpoints: Sendable {
  let store: any AuditStore & TenantStore & TokenStore
  let anonymousJoin: AnonymousJoin
  let client: ProviderClient
  let used = UsedIDs()
  /// Codes of apps that were used; apart, so that no number of strangers' sign-ins keeps those who are vouched for out.
  let usedCodes = UsedIDs()
  let counters: ServerCounters
  let log: Log

  /// The default tenant with its provider; the people of others sign in at the tenant's own server.
  func provider(now: Date) async throws(Refusal) -> (Tenant, IdentityProvider) {
    let tenant = try await tenant(now: now)
    guard tenant.policy.signIn == .oidc, let provider = tenant.policy.identityProvider else {
      throw Refusal(404, "notFound", "People do not sign in at this server: open the meeting's address.")
    }
    return (tenant, provider)
  }

  func tenant(now: Date) async throws(Refusal) -> Tenant {
    do throws(MeetingStoreError) { return try await store.defaultTenant(now: now) } catch { throw Refusal(error) }
  }

  // MARK: To the provider

  /// `GET /signin`.
  func begin(_ query: FormBody, _ base: WebOrigin, _ now: Date) async throws(Refusal) -> HTTPResponse {
    let room: RoomName
    do throws(RoomNameError) { room = try RoomName(query["room"] ?? "") } catch { throw Refusal(error) }
    var app: SignInApp?
    if let listener = query["app"] {
      app = SignInApp(listener: listener, challenge: query["challenge"] ?? "")
      guard app != nil else {
        throw Refusal(
          400, "badField",
          "app is expected to be http://127.0.0.1:PORT or http://[::1]:PORT, and challenge the S256 of a verifier.")
      }
    }
    let (tenant, provider) = try await provider(now: now)
    let attempt = SignInAttempt(
      state: Base64URL.random(), nonce: Base64URL.random(), verifier: Base64URL.random(), tenant: tenant.id,
      provider: provider.identity, room: room.pathSegment, base: base.description, app: app,
      expires: now + SignInAttempt.lifetime)
    let document: ProviderDocument
    do throws(SignInProblem) {
      document = try await client.document(of: provider.issuer)
    } catch {
      return refused(error, attempt, base)
    }
    guard let sealed = Self.attempts(tenant).seal(attempt) else {
      throw Refusal(500, "internal", "Signing in cannot be begun. The server's log says why.")
    }
    var scopes = provider.scopes.filter { $0 != "openid" }
    scopes.insert("openid", at: 0)
    let address = QueryText.adding(
      [
        ("response_type", "code"), ("client_id", provider.clientID), ("redirect_uri", Self.redirect(base)),
        ("scope", scopes.joined(separator: " ")), ("state", attempt.state), ("nonce", attempt.nonce),
        ("code_challenge", Base64URL.challenge(attempt.verifier)), ("code_challenge_method", "S256"),
      ], to: document.authorization_endpoint)
    var response = Self.redirection(to: address)
    response.headers.append(
      "Set-Cookie",
      SignInCookies(base: base).setAttempt(attempt.state, sealed, seconds: Int(SignInAttempt.lifetime)))
    return response
  }

  // MARK: Back from the provider

  /// `GET /signin/callback`.
  func finish(
    _ query: FormBody, _ request: HTTPRequest, _ base: WebOrigin, _ now: Date
  ) async throws(Refusal) -> HTTPResponse {
    let (tenant, provider) = try await provider(now: now)
    let cookies = SignInCookies(base: base)
    guard let state = query["state"], let sealed = cookies.attempt(state, request),
      let attempt = Self.attempts(tenant).open(sealed.value, as: SignInAttempt.self), attempt.state == state,
      attempt.tenant == tenant.id, attempt.provider == provider.identity, attempt.base == base.description
    else {
      log.info("signin.refused", ["reason": SignInProblem.expired.reason])
      throw Refusal(400, "signInExpired", SignInProblem.expired.message)
    }
    var response: HTTPResponse
    do throws(SignInProblem) {
      let session = try await session(query, attempt, tenant, provider, base, request.remote.ip, now)
      response = try welcome(session, attempt, tenant, base, now)
      try await note("person.signIn", session, tenant, now, attempt.app == nil ? "" : "for an app")
      log.info("signin.done", ["tenant": tenant.name, "role": session.role.rawValue])
    } catch {
      response = refused(error, attempt, base)
    }
    response.headers.append("Set-Cookie", cookies.clearAttempt(state))
    return response
  }

  /// Somebody's session, once the provider has vouched for them.
  private func session(
    _ query: FormBody, _ attempt: SignInAttempt, _ tenant: Tenant, _ provider: IdentityProvider, _ base: WebOrigin,
    _ address: IPAddress, _ now: Date
  ) async throws(SignInProblem) -> SignInSession {
    guard now < attempt.expires else { throw .expired }
    // First of all, and whatever becomes of it: the same answer sent twice at once reaches the provider once (RFC 9700
    // section 4.7).
    try await used.use(attempt.state, until: attempt.expires, by: address, now: now)
    // An answer that names its issuer has to name this one (RFC 9207).
    if let issuer = query["iss"], issuer != provider.issuer { throw .refused("the answer comes from another issuer") }
    if let error = query["error"] {
      throw error == "access_denied" ? .denied : .refused("the provider says: \(ProviderClient.word(error))")
    }
    guard let code = query["code"], (1...2_048).contains(code.utf8.count) else {
      throw .refused("the answer has no code")
    }
    let claims = try await client.claims(
      for: Secret(code), of: provider, redirect: Self.redirect(base), verifier: Secret(attempt.verifier),
      nonce: attempt.nonce)
    guard provider.admits(claims) else { throw .notAdmitted }
    return SignInSession(
      tenant: tenant.id, provider: provider.identity, subject: claims.subject,
      name: claims.name.flatMap { DisplayName.clean($0) } ?? "Guest", role: provider.role(of: claims),
      expires: now + SignInSession.lifetime)
  }

  /// Writes the audit entry of a sign-in. If that fails, nobody is signed in.
  private func note(
    _ action: String, _ session: SignInSession, _ tenant: Tenant, _ now: Date, _ what: String
  ) async throws(SignInProblem) {
    do throws(MeetingStoreError) {
      try await store.append(Self.entry(action, session, tenant, now, what))
    } catch {
      throw .notWritten(error.description)
    }
  }

  /// The audit entry of a session: the user's id at the provider, and their permissions.
  static func entry(
    _ action: String, _ session: SignInSession, _ tenant: Tenant, _ now: Date, _ what: String = ""
  ) -> AuditEntry {
    AuditEntry(
      time: now, actor: "person \(session.subject) \(session.name)", tenant: tenant.name, action: action,
      target: session.id.rawValue, detail: session.role.rawValue + (what.isEmpty ? "" : ", \(what)"))
  }

  private func welcome(
    _ session: SignInSession, _ attempt: SignInAttempt, _ tenant: Tenant, _ base: WebOrigin, _ now: Date
  ) throws(SignInProblem) -> HTTPResponse {
    if let app = attempt.app { return try consent(session, attempt, app, tenant, now) }
    guard let sealed = Self.sessions(tenant).seal(session) else { throw .refused("the session cannot be sealed") }
    // The room was checked when the attempt was sealed, and the address is this server's own: nobody is sent anywhere
    // else.
    var response = Self.redirection(to: "\(base)/\(attempt.room)")
    response.headers.append(
      "Set-Cookie", SignInCookies(base: base).setSession(sealed, seconds: Int(SignInSession.lifetime)))
    return response
  }

  /// Back to the room, or to the app, with the reason in a word.
  private func refused(_ problem: SignInProblem, _ attempt: SignInAttempt, _ base: WebOrigin) -> HTTPResponse {
    log.warning("signin.failed", ["reason": problem.reason])
    if let app = attempt.app { return Self.redirection(to: app.address("error", problem.code)) }
    return Self.redirection(to: "\(base)/\(attempt.room)#signin=\(problem.code)")
  }

  // MARK: Parts

  static func redirect(_ base: WebOrigin) -> String { "\(base)/signin/callback" }
  static func attempts(_ tenant: Tenant) -> SealedBox { SealedBox(tenant, purpose: "sign-in attempt") }
  static func sessions(_ tenant: Tenant) -> SealedBox { SealedBox(tenant, purpose: "sign-in session") }
  static func grants(_ tenant: Tenant) -> SealedBox { SealedBox(tenant, purpose: "sign-in app") }

  static func redirection(to address: String) -> HTTPResponse {
    HTTPResponse(status: 302, headers: ["Location": address, "Cache-Control": "no-store"])
  }
}
