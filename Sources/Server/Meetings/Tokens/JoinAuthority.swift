public import Basics
public import FoundationEssentials

/// The one place that decides who gets into a meeting. Every door (WebSocket, HTTP, relays, recordings) asks it.
public struct JoinAuthority: Sendable {
  let store: any AdmissionStore
  /// How often one may ask.
  public let gate: RequestGate
  private let reader: TokenReader
  private let report: @Sendable (TokenProblem) -> Void

  /// An authority over the meetings of `store`.
  ///
  /// `isDevelopment` lets in who says `devtoken`. `report` is told why a token is not believed; whoever brought the
  /// token is not.
  public init(
    store: any AdmissionStore, isDevelopment: Bool = false, gate: RequestGate = RequestGate(),
    report: @escaping @Sendable (TokenProblem) -> Void = { _ in }
  ) {
    self.store = store
    self.gate = gate
    self.report = report
    reader = TokenReader(store: store, isDevelopment: isDevelopment)
  }

  /// Signs a token of `tenant`.
  public func sign(_ token: JoinToken, tenant: Tenant) throws -> Secret<String> {
    try token.signed(with: try SigningKey.cached(tenant))
  }

  /// Checks everything about a token: its form, signature, time, revocation, meeting and the page it is used from.
  ///
  /// `origin` is the `Origin` header, nil when there was none (not a browser). `ownOrigin` is the origin under which
  /// the caller reached this server; pages from there are always allowed. `room` is the room that the caller means: it
  /// must be the token's, and may be nil where the token names one. `address` is where the caller comes from, where
  /// bans go by that too. With `opening` false no meeting is made of a room that has none yet: the admission has it as
  /// it would be (``Admission/isMade``).
  public func admit(
    token: Secret<String>, room: RoomName? = nil, origin: String?, ownOrigin: WebOrigin?, address: IPAddress? = nil,
    opening: Bool = true, now: Date
  ) async throws(JoinRefusal) -> Admission {
    var grant: JoinGrant
    let tenant: Tenant
    do throws(TokenReader.Failure) {
      (grant, tenant) = try await read(token, host: ownOrigin?.host ?? "", now: now)
    } catch {
      throw refusal(of: error)
    }
    if let reached = gate.token(grant) ?? gate.tenant(tenant) { throw .limit(reached) }
    guard takes(origin, ownOrigin: ownOrigin, allowed: grant.allowedOrigins + tenant.policy.allowedOrigins) else {
      throw .wrongOrigin
    }
    let (meeting, isMade) = try await meeting(of: grant, tenant: tenant, room: room, opening: opening, now: now)
    guard !meeting.isExpired(at: now) else { throw .meetingExpired }
    grant.takePlace(in: meeting)
    try await refuseBanned(grant, from: meeting, address: address)
    return Admission(meeting: meeting, tenant: tenant, grant: grant, isMade: isMade)
  }

  /// Checks a token without a meeting, for services to its holder: form, signature, time, revocation, and the page that
  /// uses it. Parameters are those of ``admit(token:room:origin:ownOrigin:address:opening:now:)``.
  public func identify(
    token: Secret<String>, origin: String?, ownOrigin: WebOrigin?, now: Date
  ) async throws(JoinRefusal) -> (grant: JoinGrant, tenant: Tenant) {
    let grant: JoinGrant
    let tenant: Tenant
    do throws(TokenReader.Failure) {
      (grant, tenant) = try await read(token, host: ownOrigin?.host ?? "", now: now)
    } catch {
      throw refusal(of: error)
    }
    if let reached = gate.token(grant) ?? gate.tenant(tenant) { throw .limit(reached) }
    guard takes(origin, ownOrigin: ownOrigin, allowed: grant.allowedOrigins + tenant.policy.allowedOrigins) else {
      throw .wrongOrigin
    }
    return (grant, tenant)
  }

  /// Makes the meeting of an admission that has none yet (``Admission/isMade``).
  public func make(
    _ admission: Admission, address: IPAddress? = nil, now: Date
  ) async throws(JoinRefusal) -> Admission {
    var admission = admission
    do throws(MeetingStoreError) {
      admission.meeting = try await store.openMeeting(room: admission.meeting.room, tenant: admission.tenant, now: now)
    } catch {
      if case .tooManyMeetings(let reached) = error { throw .limit(reached) }
      throw .unavailable("\(error)")
    }
    guard !admission.meeting.isExpired(at: now) else { throw .meetingExpired }
    admission.isMade = true
    admission.grant.takePlace(in: admission.meeting)
    try await refuseBanned(admission.grant, from: admission.meeting, address: address)
    return admission
  }

  /// Whether a request may come from a page of `origin`, its `Origin` header: from no page (nil), from one of this
  /// server, or from one that is allowed.
  public func takes(_ origin: String?, ownOrigin: WebOrigin?, allowed: [WebOrigin]) -> Bool {
    // A page that was opened from a file says `null`; so does every page that hides where it is from, so only samples
    // may.
    guard let origin, !(reader.isDevelopment && origin == "null") else { return true }
    guard let origin = WebOrigin(origin) else { return false }
    return origin == ownOrigin || allowed.contains(origin)
  }

  /// What a token grants now, and whose it is, for whoever runs the server; throws what is wrong with it.
  public func inspect(token: Secret<String>, now: Date) async throws -> (grant: JoinGrant, tenant: Tenant) {
    do throws(TokenReader.Failure) {
      return try await read(token, host: nil, now: now)
    } catch {
      switch error {
      case .problem(let problem): throw problem
      case .store(let problem): throw problem
      }
    }
  }

  /// Refuses a token from now on, for instance of someone who was removed. Every token can be, also one without a
  /// `jti`.
  public func revoke(_ grant: JoinGrant, now: Date = Date()) async throws(MeetingStoreError) {
    try await store.revoke(grant.id, tenant: grant.tenant, expires: Self.revocationEnd(of: grant, now: now))
  }

  /// Until when the note is kept that a token is revoked, for who keeps it together with something else.
  public static func revocationEnd(of grant: JoinGrant, now: Date) -> Date {
    // The clocks of its issuer and this server may differ; the note must not go before the token ends. And whoever is
    // in a meeting is given further tokens with its id for as long as they stay: a note that went with this one's end
    // would let them have new ones.
    max(grant.expires, now.addingTimeInterval(JoinGrant.longest)).addingTimeInterval(JoinGrant.leeway)
  }

  private func read(
    _ token: Secret<String>, host: String?, now: Date
  ) async throws(TokenReader.Failure) -> (grant: JoinGrant, tenant: Tenant) {
    let (grant, tenant) = try await reader.read(token, host: host, now: now)
    do throws(TokenProblem) { try grant.check(at: now) } catch { throw .problem(error) }
    let (isRevoked, isKeyLive): (Bool, Bool)
    do throws(MeetingStoreError) {
      isRevoked = try await store.isRevoked(grant.id, tenant: tenant.id)
      // What is signed with a secret was proved with a live one; this is about what the server has prolonged.
      isKeyLive = grant.form == .signed ? try await self.isKeyLive(of: grant, now: now) : true
    } catch {
      throw .store(error)
    }
    if isRevoked { throw .problem(.revoked) }
    if !isKeyLive { throw .problem(.signature) }
    return (grant, tenant)
  }

  private func meeting(
    of grant: JoinGrant, tenant: Tenant, room: RoomName?, opening: Bool, now: Date
  ) async throws(JoinRefusal) -> (MeetingRecord, isMade: Bool) {
    func named(_ name: RoomName) async throws -> (MeetingRecord, isMade: Bool) {
      if opening { return (try await store.openMeeting(room: name, tenant: tenant, now: now), true) }
      if let meeting = try await store.meeting(room: name, tenant: tenant.id) { return (meeting, true) }
      return (MeetingRecord(opening: name, of: tenant, now: now), false)
    }
    do {
      switch grant.target {
      case .meeting(let id):
        guard let meeting = try await store.meeting(id: id), meeting.tenant == tenant.id else {
          throw JoinRefusal.noSuchMeeting
        }
        if let room, room != meeting.room { throw Self.wrongMeeting(meeting.room, asked: room) }
        return (meeting, true)
      case .room(let name):
        if let room, room != name { throw Self.wrongMeeting(name, asked: room) }
        return try await named(name)
      case .anyRoom:
        guard let room else { throw JoinRefusal.roomNeeded }
        return try await named(room)
      }
    } catch let error as JoinRefusal {
      throw error
    } catch MeetingStoreError.tooManyMeetings(let reached) {
      throw .limit(reached)
    } catch {
      throw .unavailable("\(error)")
    }
  }

  private static func wrongMeeting(_ own: RoomName, asked: RoomName) -> JoinRefusal {
    .wrongMeeting(token: own.display, address: asked.display)
  }

  private func refusal(of failure: TokenReader.Failure) -> JoinRefusal {
    switch failure {
    case .store(let error): return .unavailable("\(error)")
    case .problem(let problem):
      report(problem)
      return switch problem {
      case .expired: .tokenExpired
      case .tooLarge: .tokenTooLarge
      default: .badToken
      }
    }
  }
}

/// The authority's yes: the meeting, whose it is, and what the holder of the token may do in it.
public struct Admission: Sendable, Hashable {
  /// The meeting to enter.
  public var meeting: MeetingRecord
  /// The tenant of the meeting.
  public var tenant: Tenant
  /// The grant of the proved token.
  public var grant: JoinGrant
  /// Whether the meeting is kept; otherwise it is made when the first one joins.
  public var isMade: Bool

  public init(meeting: MeetingRecord, tenant: Tenant, grant: JoinGrant, isMade: Bool = true) {
    self.meeting = meeting
    self.tenant = tenant
    self.grant = grant
    self.isMade = isMade
  }
}
