import Basics
import FoundationEssentials
public import Messaging

/// Domains of the messaging service, their identities and endpoints.
extension DataFolder {
  /// Some domains, by name.
  public func domains(after: String = "", limit: Int) async throws -> [MessagingDomain] {
    try await store.mailboxes { try $0.domains(after: after, limit: limit) }
  }

  /// The bytes that a domain stores, and its bound.
  public func usage(of domain: DomainID) async throws -> StorageUsage {
    try await store.mailboxes { try $0.usage(of: domain) }
  }

  /// The domain of that name or id; nil when there is none.
  public func domain(_ name: String) async throws -> MessagingDomain? {
    try await store.mailboxes { transaction in
      if DomainID.accepts(name), let domain = try transaction.domain(DomainID(name)) { return domain }
      return try transaction.domain(name: name)
    }
  }

  /// Makes a domain with a tenant of its own, which bears its name. A tenant of that name that has no domain gets it
  /// instead.
  public func createDomain(
    _ name: String, _ settings: MessagingDomain.Settings, _ entry: AuditEntry
  ) async throws -> MessagingDomain {
    // The default tenant goes first, so that nobody takes its name.
    _ = try await store.defaultTenant(now: now)
    let known = try await store.tenant(name: name)
    let tenant = try known ?? Tenant.make(name: name, policy: TenantPolicy(signIn: .token), now: now)
    let domain = MessagingDomain(
      id: MessagingDomain.randomID(), tenant: tenant.id, name: name, settings: settings, created: now)
    let (key, isNew) = (APIKey.make(tenant: tenant.id, now: now), known == nil)
    try await store.transaction { transaction in
      if isNew { try transaction.insert(tenant, key: key) }
      try transaction.withMailboxes { try $0.insert(domain) }
      try transaction.append(entry)
    }
    return domain
  }

  /// Changes a domain's settings. Nil when it was removed.
  public func changeDomain(
    _ id: DomainID, _ entry: AuditEntry, by body: @Sendable (inout MessagingDomain.Settings) throws -> Void
  ) async throws -> MessagingDomain? {
    try await commit(entry) { transaction in
      try transaction.withMailboxes { mailboxes in
        guard var domain = try mailboxes.domain(id) else { return nil }
        try body(&domain.settings)
        try mailboxes.update(domain)
        return domain
      }
    }
  }

  /// Removes a domain with everything in it; its tenant stays. False when it was removed before.
  ///
  /// It goes in parts, with as long a pause after each, so that a running server has the store in between. When this
  /// process ends before, the server goes on with it, or the next removal.
  public func removeDomain(_ id: DomainID, _ entry: AuditEntry) async throws -> Bool {
    let now = now
    let begun: RemovedRows? = try await store.transaction { transaction in
      let (removed, isFirst) = try transaction.withMailboxes { mailboxes in
        let isFirst = try !mailboxes.isBeingRemoved(id)
        return (try DomainRemoval.start(id, now: now, in: mailboxes), isFirst)
      }
      if removed != nil, isFirst { try transaction.append(entry) }
      return removed
    }
    guard let begun else { return false }
    if !begun.isComplete { try await purge { try $0.purge(domain: id, limit: MailboxUpkeep.rows) } }
    return true
  }

  /// Removes part after part, with as long a pause after each.
  func purge(_ part: @Sendable (any MailboxTransaction) throws -> RemovedRows) async throws {
    var isComplete = false
    while !isComplete {
      let start = MonotonicClock.now
      isComplete = try await store.mailboxes(part).isComplete
      if !isComplete { try await Task.sleep(for: .nanoseconds((MonotonicClock.now - start).nanoseconds)) }
    }
  }

  /// Some identities of a domain, in the order of their user ids.
  public func identities(
    of domain: DomainID, after: String = "", limit: Int
  ) async throws -> [MessagingIdentity] {
    try await store.mailboxes { try $0.identities(of: domain, after: after, limit: limit) }
  }

  /// The identity of a user; nil when there is none.
  public func identity(user: String, of domain: DomainID) async throws -> MessagingIdentity? {
    try await store.mailboxes { try $0.identity(user: user, of: domain) }
  }

  public func endpoints(of identity: RegID) async throws -> [MessagingEndpoint] {
    try await store.mailboxes { try $0.endpoints(of: identity) }
  }

  /// Deregisters an endpoint; a running server ends its connection within a minute. False when the domain has none of
  /// that id.
  public func deregister(_ id: EndpointID, of domain: DomainID, _ entry: AuditEntry) async throws -> Bool {
    let removed: Bool? = try await commit(entry) { transaction in
      try transaction.withMailboxes { mailboxes in
        guard let endpoint = try mailboxes.endpoint(id), try mailboxes.identity(endpoint.regId)?.domain == domain else {
          return nil
        }
        try mailboxes.remove(endpoint: id)
        return true
      }
    }
    return removed ?? false
  }
}
