public import Basics
public import FoundationEssentials

extension JoinGrant {
  /// From when on its token is good no more, with what the clocks of its issuer and this server may differ.
  public var end: Date { expires.addingTimeInterval(form.isSignedHere ? 0 : Self.leeway) }

  /// Whether `other` says the same of its holder: who they are, how they are called, and whose people they are. What
  /// they may do is no part of that, but for being seen by nobody.
  public func isSameHolder(as other: JoinGrant) -> Bool {
    user == other.user && name == other.name && connectionData == other.connectionData && isGuest == other.isGuest
      && (role == .hidden) == (other.role == .hidden)
  }
}

extension JoinAuthority {
  /// How long a token is good that ``refreshed(_:now:)`` makes. What revokes a token is kept for longer than that
  /// (``revoke(_:now:)``).
  public static let refreshedLifetime: TimeInterval = 600

  /// A token with which whoever was admitted, and is in the meeting, can come back after losing it: the same rights in
  /// this one meeting, for ten minutes at most. It bears the id of the first one and names the API secret that proved
  /// that, so that whatever revokes or bans the one or retires the other holds for it as well. Nil when something has,
  /// or the meeting is over.
  public func refreshed(
    _ admission: Admission, now: Date
  ) async throws -> (token: Secret<String>, expires: Date)? {
    let (grant, meeting) = (admission.grant, admission.meeting)
    let end = min(now.addingTimeInterval(Self.refreshedLifetime), meeting.expires ?? .distantFuture)
    guard end > now, try await !store.isRevoked(grant.id, tenant: grant.tenant),
      try await !isBanned(grant, from: meeting), try await isKeyLive(of: grant, now: now)
    else { return nil }
    var token = JoinToken(
      id: grant.id, tenant: grant.tenant, target: .meeting(meeting.id), role: grant.role,
      permissions: grant.permissions, name: grant.name, user: grant.user, isGuest: grant.isGuest,
      allowedOrigins: grant.allowedOrigins, connectionData: grant.connectionData, notBefore: now, expires: end)
    token.key = grant.key
    token.layoutClasses = grant.layoutClasses
    token.linkDevices = grant.linkDevices
    return (try sign(token, tenant: admission.tenant), end)
  }

  /// Whether the API secret that a grant goes back to is still good, where it does to one.
  func isKeyLive(of grant: JoinGrant, now: Date) async throws(MeetingStoreError) -> Bool {
    guard let id = grant.key else { return true }
    return try await store.apiKeys(of: grant.tenant).contains { $0.id == id && $0.isLive(at: now) }
  }
}
