/// A limit that a tenant or a token has reached.
public struct LimitReached: Error, Sendable, Hashable {
  /// What it is called where it is set.
  public var limit: Limit
  /// What happened and what to do, as sentences. Names the limit.
  public var text: String

  /// A limit that is reached.
  public init(_ limit: Limit, _ text: String) {
    self.limit = limit
    self.text = text
  }

  /// The limits there are, by the names of their settings.
  public enum Limit: String, Sendable, Hashable, CaseIterable {
    /// Requests a second of one address.
    case addressRate
    /// Requests a second with one token.
    case tokenRate
    /// Requests a second of one tenant.
    case maximumRequests
    /// Meetings of a tenant at once.
    case maximumMeetings
    /// Participants of a tenant at once.
    case maximumParticipants
    /// Meetings that are kept for a tenant.
    case maximumStoredMeetings
    /// Participants in one meeting.
    case capacity
    /// Rights used in meetings whose entries in the audit log wait to be written.
    case auditBacklog
    /// Wrong tokens of the administration from one address.
    case adminAttempts
  }
}

/// Says whether a tenant, or the holder of a token, asks too often. Every door that knows whose request it is asks here.
public struct RequestGate: Sendable {
  /// Why a tenant's request is refused; nil when it is not.
  public var tenant: @Sendable (Tenant) -> LimitReached?
  /// Why a request with a token is refused; nil when it is not.
  public var token: @Sendable (JoinGrant) -> LimitReached?

  /// A gate. Without anything it is always open.
  public init(
    tenant: @escaping @Sendable (Tenant) -> LimitReached? = { _ in nil },
    token: @escaping @Sendable (JoinGrant) -> LimitReached? = { _ in nil }
  ) {
    self.tenant = tenant
    self.token = token
  }
}
