import Basics
import FoundationEssentials
import Meetings
import Messaging
import Transport

/// Domains of the messaging service, their identities and endpoints.
extension AdminAPI {
  func listDomains(_ call: inout Call) async throws -> HTTPResponse {
    let limit = try call.query.pageLimit()
    let after = try call.query.text("after", "the end of the page before", Tenant.isName)
    try call.query.finish()
    let domains = try await store.mailboxes { try $0.domains(after: after ?? "", limit: limit + 1) }
    return .json(Self.page(domains.map { DomainView($0) }, limit: limit) { $0.name })
  }

  func createDomain(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    var fields = try AdminFields(call.request)
    let given = fields.given
    let name = try AdminFields.needed(fields.text("name", 1...64), "name")
    guard Tenant.isName(name) else {
      throw Refusal(400, "badField", "The field name must be lower-case letters, digits and hyphens.")
    }
    let change = try DomainFields(&fields)
    try fields.finish()
    let settings = try change.applied(to: nil)
    _ = try await store.defaultTenant(now: call.now)
    let known = try await store.tenant(name: name)
    let tenant = try known ?? Tenant.make(name: name, policy: TenantPolicy(signIn: .token), now: call.now)
    let key = known == nil ? APIKey.make(tenant: tenant.id, now: call.now) : nil
    let domain = MessagingDomain(
      id: MessagingDomain.randomID(), tenant: tenant.id, name: name, settings: settings, created: call.now)
    do {
      try await keep(call, call.entry("domain.create", name, tenant: name, given)) { transaction in
        if let key { try transaction.insert(tenant, key: key) }
        try transaction.withMailboxes { try $0.insert(domain) }
      }
    } catch MeetingStoreError.tenantExists {
      if try await store.mailboxes({ try $0.domain(name: name)?.isBeingRemoved }) == true { throw Self.beingRemoved }
      throw Refusal(409, "nameTaken", "There is already a domain named \(name). Choose another name.")
    }
    return .json(DomainView(domain, showing: true), status: 201)
  }

  func showDomain(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    let domain = try await domain(call.path[0])
    let usage = try await store.mailboxes { try $0.usage(of: domain.id) }
    return .json(DomainView(domain, usage: usage))
  }

  func changeDomain(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    var fields = try AdminFields(call.request)
    let given = fields.given
    let change = try DomainFields(&fields)
    try fields.finish()
    let known = try await domain(call.path[0])
    if known.isBeingRemoved { throw Self.beingRemoved }
    let entry = call.entry("domain.change", known.name, tenant: known.name, given)
    let changed: DomainView? = try await keep(call) { transaction in
      let changed: DomainView? = try transaction.withMailboxes { mailboxes in
        guard var domain = try mailboxes.domain(known.id) else { return nil }
        let key = domain.settings.push?.secret
        domain.settings = try change.applied(to: domain.settings)
        try mailboxes.update(domain)
        return DomainView(domain, showing: domain.settings.push?.secret != key)
      }
      return (changed, changed == nil ? nil : entry)
    }
    guard let changed else { throw Self.noDomain }
    return .json(changed)
  }

  /// Removes a domain with everything in it, and ends the connections of its endpoints. A large one goes in parts, and
  /// is shown as being removed until the last of them.
  func removeDomain(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    let known = try await domain(call.path[0])
    let (now, entry) = (call.now, call.entry("domain.remove", known.name, tenant: known.name))
    let removed: RemovedRows? = try await keep(call) { transaction in
      let removed = try transaction.withMailboxes { try DomainRemoval.start(known.id, now: now, in: $0) }
      return (removed, removed == nil || known.isBeingRemoved ? nil : entry)
    }
    await mailboxes.end(domain: known.id, removed?.attachments ?? [])
    return Self.done
  }

  func listIdentities(_ call: inout Call) async throws -> HTTPResponse {
    let limit = try call.query.pageLimit()
    let after = try call.query.text("after", "the end of the page before") {
      (1...MessagingLimits.userIdBytes).contains($0.utf8.count)
    }
    let beginning = try call.query.text("user", "the beginning of a user id") {
      (1...MessagingLimits.userIdBytes).contains($0.unicodeScalars.count)
    }
    try call.query.finish()
    let domain = try await domain(call.path[0])
    let found = try await store.mailboxes { mailboxes in
      try Self.identities(of: domain.id, beginning: beginning ?? "", after: after, limit: limit + 1, in: mailboxes)
    }
    return .json(Self.page(found.map { IdentityView($0) }, limit: limit) { $0.user })
  }

  /// Identities whose user ids begin with a text, byte for byte, in their order.
  private static func identities(
    of domain: DomainID, beginning: String, after: String?, limit: Int, in mailboxes: any MailboxTransaction
  ) throws -> [MessagingIdentity] {
    // The beginning itself comes first of all that begin with it.
    let isLater = after.map { beginning.utf8.lexicographicallyPrecedes($0.utf8) } ?? false
    var found: [MessagingIdentity] = []
    if after == nil, !beginning.isEmpty, let same = try mailboxes.identity(user: beginning, of: domain) {
      found.append(same)
    }
    found += try mailboxes.identities(of: domain, after: isLater ? after ?? "" : beginning, limit: limit)
    return Array(found.prefix { $0.userId.utf8.starts(with: beginning.utf8) }.prefix(limit))
  }

  func showIdentity(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    let domain = try await domain(call.path[0])
    let missing = Refusal(404, "noSuchIdentity", "The domain has no such identity.")
    guard let regId = RegID(text: call.path[1]) else { throw missing }
    let found = try await store.mailboxes { mailboxes -> (MessagingIdentity, [MessagingEndpoint])? in
      guard let identity = try mailboxes.identity(regId), identity.domain == domain.id else { return nil }
      return (identity, try mailboxes.endpoints(of: regId))
    }
    guard let (identity, endpoints) = found else { throw missing }
    let connected = await mailboxes.connected(of: endpoints.map(\.id))
    return .json(IdentityView(identity, endpoints: endpoints, connected: connected))
  }

  func removeEndpoint(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    let domain = try await domain(call.path[0])
    let id = EndpointID(call.path[1])
    let entry = call.entry("endpoint.remove", id.text, tenant: domain.name)
    let owner: RegID? = try await keep(call) { transaction in
      let owner: RegID? = try transaction.withMailboxes { mailboxes in
        guard let endpoint = try mailboxes.endpoint(id),
          try mailboxes.identity(endpoint.regId)?.domain == domain.id
        else { return nil }
        try mailboxes.remove(endpoint: id)
        return endpoint.regId
      }
      return (owner, owner == nil ? nil : entry)
    }
    guard let owner else { throw Refusal(404, "noSuchEndpoint", "The domain has no such endpoint.") }
    await mailboxes.remove(id)
    await mailboxes.send(.endpointsChanged, to: owner, except: nil)
    return Self.done
  }

  private static let beingRemoved = Refusal(
    409, "domainBeingRemoved", "The domain is being removed. Try again when it isn't listed any more.")

  private static let noDomain = Refusal(404, "noSuchDomain", "There is no domain of that name or id.")

  /// The domain of that name or id.
  private func domain(_ name: String) async throws -> MessagingDomain {
    let found = try await store.mailboxes { mailboxes -> MessagingDomain? in
      if DomainID.accepts(name), let domain = try mailboxes.domain(DomainID(name)) { return domain }
      return try mailboxes.domain(name: name)
    }
    guard let found else { throw Self.noDomain }
    return found
  }
}
