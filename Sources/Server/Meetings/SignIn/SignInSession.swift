public import Basics
public import FoundationEssentials

/// Somebody who has signed in: what their session says, sealed in a cookie.
public struct SignInSession: Sendable, Hashable, Codable {
  /// Names the session, so that it can be ended.
  public var id: TokenID
  /// The tenant of the person.
  public var tenant: TenantID
  /// The provider and the client with which they signed in (``IdentityProvider/identity``).
  public var provider: String
  /// Names the person at the provider.
  public var subject: String
  /// How they are called.
  public var name: String
  /// Their role in meetings.
  public var role: Role
  /// Not at or after.
  public var expires: Date

  public init(
    id: TokenID = TokenID(rawValue: "s_" + RandomID.text(characters: 24)), tenant: TenantID, provider: String,
    subject: String, name: String, role: Role, expires: Date
  ) {
    self.id = id
    self.tenant = tenant
    self.provider = provider
    self.subject = subject
    self.name = name
    self.role = role
    self.expires = expires
  }

  /// How long somebody stays signed in: a working day.
  public static let lifetime: TimeInterval = 12 * 3_600

  /// Whether it is one of `tenant` as its rules are now.
  public func isGood(for tenant: Tenant, now: Date) -> Bool {
    tenant.policy.signIn == .oidc && self.tenant == tenant.id && provider == tenant.policy.identityProvider?.identity
      && now < expires
  }
}

extension AnonymousJoin {
  /// A token for somebody who has signed in, as one of the tenant's own people, under the name that the provider gives;
  /// with the meeting, which is kept, or where rooms are open made by the first who joins. Nil when there is none.
  public func token(
    for session: SignInSession, room: RoomName, tenant: Tenant, now: Date
  ) async throws -> (meeting: MeetingRecord, token: Secret<String>, expires: Date)? {
    guard let (meeting, target) = try await target(of: room, in: tenant, now: now) else { return nil }
    guard !meeting.isExpired(at: now) else { throw JoinRefusal.meetingExpired }
    let end = now.addingTimeInterval(tokenLifetime.seconds)
    let token = JoinToken(
      tenant: tenant.id, target: target, role: session.role, name: session.name, user: session.subject,
      notBefore: now, expires: min(end, meeting.expires ?? end))
    return (meeting, try authority.sign(token, tenant: tenant), token.expires)
  }
}
