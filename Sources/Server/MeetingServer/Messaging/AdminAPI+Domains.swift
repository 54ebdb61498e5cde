import Basics
import FoundationEssentials
import Meetings
import Messaging
import Transport

/// Domains of the messaging service, their identities and endpoints.
extension AdminAPI {
  func listDomains(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    let domains = try await store.mailboxes { try $0.domains() }
    return .json(AdminPage(items: domains.map { DomainView($0) }))
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
      throw Refusal(409, "nameTaken", "There is already a domain named \(name). Choose another name.")
    }
    return .json(DomainView(domain, showing: true), status: 201)
  }

  func showDomain(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    return .json(DomainView(try await domain(call.path[0])))
  }

  func changeDomain(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    var fields = try AdminFields(call.request)
    let given = fields.given
    let change = try DomainFields(&fields)
    try fields.finish()
    let known = try await domain(call.path[0])
    let entry = call.entry("domain.change", known.name, tenant: known.name, given)
    let changed: MessagingDomain? = try await keep(call) { transaction in
      let changed: MessagingDomain? = try transaction.withMailboxes { mailboxes in
        guard var domain = try mailboxes.domain(known.id) else { return nil }
        domain.settings = try change.applied(to: domain.settings)
        try mailboxes.update(domain)
        return domain
      }
      return (changed, changed == nil ? nil : entry)
    }
    guard let changed else { throw Self.noDomain }
    return .json(DomainView(changed))
  }

  /// Removes a domain with everything in it, and ends the connections of its endpoints.
  func removeDomain(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    let known = try await domain(call.path[0])
    try await keep(call, call.entry("domain.remove", known.name, tenant: known.name)) { transaction in
      _ = try transaction.withMailboxes { try $0.remove(domain: known.id) }
    }
    await mailboxes.removeDeregistered()
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

  private static let noDomain = Refusal(404, "noSuchDomain", "There is no domain of that name or id.")

  /// The domain of that name or id.
  private func domain(_ name: String) async throws -> MessagingDomain {
    let found = try await store.mailboxes { mailboxes -> MessagingDomain? in
      if DomainID.accepts(name), let domain = try mailboxes.domain(DomainID(name)) { return domain }
      return try mailboxes.domains().first { $0.name == name }
    }
    guard let found else { throw Self.noDomain }
    return found
  }
}

/// The fields of a domain in a body.
struct DomainFields: Sendable {
  static let kinds = ["disabled", "jwt", "oauth"]

  private var environment: String?
  private var authentication: String?
  private var texts: [String: String] = [:]
  private var issuer: String??
  private var clientSecret: String??
  private var clientIDs: [String]?
  private var scopes: [String]?
  private var keyManagement: Bool?
  private var pushURL: String??

  init(_ fields: inout AdminFields) throws(Refusal) {
    environment = try fields.word("environment", MessagingDomain.Environment.allCases.map(\.rawValue))
    authentication = try fields.word("authentication", Self.kinds)
    for name in ["jwks", "tokenInfo", "userInfo"] { texts[name] = try fields.text(name, 1...2_048) }
    for name in ["userClaim", "clientClaim", "expiryClaim", "issuerClaim"] {
      texts[name] = try fields.text(name, 1...128)
    }
    issuer = try fields.removable("issuer", 1...2_048)
    clientSecret = try fields.removable("clientSecret", 1...4_096)
    clientIDs = try fields.texts("clientIds", most: 32, 1...512)
    scopes = try fields.texts("scopes", most: 32, 1...256)
    keyManagement = try fields.truth("keyManagement")
    pushURL = try fields.removable("pushUrl", 1...2_048)
  }

  func applied(to old: MessagingDomain.Settings?) throws(Refusal) -> MessagingDomain.Settings {
    guard let kind = authentication ?? old.map({ DomainView.kind($0.authentication) }) else {
      throw Refusal(400, "badField", "The field authentication is needed: disabled, jwt or oauth.")
    }
    let rules = rules(kind, over: old?.authentication)
    var settings =
      old
      ?? MessagingDomain.Settings(
        environment: rules == .disabled ? .sandbox : .production, authentication: rules)
    settings.authentication = rules
    settings.environment = environment.flatMap(MessagingDomain.Environment.init) ?? settings.environment
    settings.hasKeyManagement = keyManagement ?? settings.hasKeyManagement
    if let pushURL {
      let secret = settings.push?.secret ?? RandomID.text(characters: 52)
      settings.push = pushURL.map { MessagingDomain.PushTarget(url: $0, secret: secret) }
    }
    if let problem = settings.problem { throw Refusal(422, "badDomain", problem) }
    return settings
  }

  private func rules(_ kind: String, over old: DomainAuthentication?) -> DomainAuthentication {
    switch kind {
    case "jwt":
      var rules = DomainAuthentication.SignedTokenRules(jwks: "", clientIDs: [])
      if case .jwt(let known) = old { rules = known }
      rules.jwks = texts["jwks"] ?? rules.jwks
      if let issuer { rules.issuer = issuer }
      rules.clientIDs = clientIDs ?? rules.clientIDs
      rules.scopes = scopes ?? rules.scopes
      rules.userClaim = texts["userClaim"] ?? rules.userClaim
      rules.clientClaim = texts["clientClaim"] ?? rules.clientClaim
      rules.expiryClaim = texts["expiryClaim"] ?? rules.expiryClaim
      rules.issuerClaim = texts["issuerClaim"] ?? rules.issuerClaim
      return .jwt(rules)
    case "oauth":
      var rules = DomainAuthentication.OpaqueTokenRules(tokenInfo: "", userInfo: "", clientIDs: [])
      if case .oauth(let known) = old { rules = known }
      let before = rules
      rules.tokenInfo = texts["tokenInfo"] ?? rules.tokenInfo
      rules.userInfo = texts["userInfo"] ?? rules.userInfo
      rules.clientIDs = clientIDs ?? rules.clientIDs
      rules.dropSecret(ofOther: before)
      if let clientSecret { rules.clientSecret = clientSecret }
      rules.scopes = scopes ?? rules.scopes
      rules.userClaim = texts["userClaim"] ?? rules.userClaim
      return .oauth(rules)
    default: return .disabled
    }
  }
}

/// A domain as the administration shows it.
struct DomainView: Encodable {
  var id: String
  var name: String
  var environment: String
  var authentication: String
  var jwks: String?
  var issuer: String?
  var tokenInfo: String?
  var userInfo: String?
  var clientIds: [String] = []
  /// With oauth: whether there is a secret for token information, which is never shown.
  var hasClientSecret: Bool?
  var scopes: [String] = []
  var userClaim: String?
  var clientClaim: String?
  var expiryClaim: String?
  var issuerClaim: String?
  var keyManagement: Bool
  var pushUrl: String?
  /// The key of push signatures, shown when the domain is made.
  var pushSecret: String?
  var created: Date

  init(_ domain: MessagingDomain, showing: Bool = false) {
    let settings = domain.settings
    id = domain.id.text
    name = domain.name
    environment = settings.environment.rawValue
    authentication = Self.kind(settings.authentication)
    switch settings.authentication {
    case .disabled: break
    case .jwt(let rules):
      (jwks, issuer, clientIds, scopes) = (rules.jwks, rules.issuer, rules.clientIDs, rules.scopes)
      (userClaim, clientClaim) = (rules.userClaim, rules.clientClaim)
      (expiryClaim, issuerClaim) = (rules.expiryClaim, rules.issuerClaim)
    case .oauth(let rules):
      (tokenInfo, userInfo, clientIds, scopes) = (rules.tokenInfo, rules.userInfo, rules.clientIDs, rules.scopes)
      (userClaim, hasClientSecret) = (rules.userClaim, rules.clientSecret != nil)
    }
    keyManagement = settings.hasKeyManagement
    pushUrl = settings.push?.url
    pushSecret = showing ? settings.push?.secret : nil
    created = domain.created
  }

  static func kind(_ authentication: DomainAuthentication) -> String {
    switch authentication {
    case .disabled: "disabled"
    case .jwt: "jwt"
    case .oauth: "oauth"
    }
  }
}

/// An identity as the administration shows it.
struct IdentityView: Encodable {
  struct Endpoint: Encodable {
    var id: String
    var description: String
    var nickname: String
    var persistent: Bool
    var connected: Bool
    var created: Date
    var lastSeen: Date
  }

  var user: String
  var regId: String
  var pin: String
  var hasKeys: Bool
  var endpoints: [Endpoint]?

  init(
    _ identity: MessagingIdentity, endpoints: [MessagingEndpoint]? = nil, connected: Set<EndpointID> = []
  ) {
    user = identity.userId
    regId = identity.regId.description
    pin = identity.pin
    hasKeys = identity.keys != nil
    self.endpoints = endpoints?.map {
      Endpoint(
        id: $0.id.text, description: $0.description, nickname: $0.nickname, persistent: $0.isPersistent,
        connected: connected.contains($0.id), created: $0.created, lastSeen: $0.lastSeen)
    }
  }
}
