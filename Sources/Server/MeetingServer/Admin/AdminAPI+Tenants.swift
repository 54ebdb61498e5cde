import Basics
import FoundationEssentials
import Meetings
import Transport

/// Tenants, their keys, and the audit log.
extension AdminAPI {
  func listTenants(_ call: inout Call) async throws -> HTTPResponse {
    let limit = try call.query.pageLimit()
    let after = try call.query.text("after", "the end of the page before", Tenant.isName)
    try call.query.finish()
    _ = try await store.defaultTenant(now: call.now)
    let rest = try await store.tenants().drop { tenant in after.map { tenant.name <= $0 } ?? false }
    return .json(Self.page(rest.map(TenantView.init), limit: limit) { $0.name })
  }

  func createTenant(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    var fields = try AdminFields(call.request)
    let given = fields.given
    let name = try AdminFields.needed(fields.text("name", 1...64), "name")
    guard Tenant.isName(name) else {
      throw Refusal(400, "badField", "The field name must be lower-case letters, digits and hyphens.")
    }
    var policy = TenantPolicy(signIn: .token)
    try Self.change(&policy, &fields)
    try fields.finish()
    // First, so that it gets its name.
    _ = try await store.defaultTenant(now: call.now)
    // Making the keys costs a tenth of a second, which a name that is taken need not.
    if try await store.tenant(name: name) != nil { throw Self.conflict(.tenantExists(name)) }
    let tenant = try await SigningKeyMaker().tenant(name: name, policy: policy, now: call.now)
    let key = APIKey.make(tenant: tenant.id, now: call.now)
    do {
      try await keep(call, call.entry("tenant.create", name, tenant: name, given)) { try $0.insert(tenant, key: key) }
    } catch let error as MeetingStoreError {
      throw Self.conflict(error)
    }
    var view = TenantView(tenant)
    view.key = KeyView(key, at: call.now, showing: true)
    return .json(view, status: 201)
  }

  func showTenant(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    return .json(TenantView(try await tenant(call.path[0])))
  }

  func changeTenant(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    var fields = try AdminFields(call.request)
    let asked = fields.given
    let signIn = try fields.word("signIn", SignInMode.allCases.map(\.rawValue))
    let provider = try ProviderFields(&fields)
    var trial = TenantPolicy(signIn: .token)
    var copy = fields
    try Self.change(&trial, &copy)
    try copy.finish()
    let known = try await tenant(call.path[0])
    let (given, entry) = (fields, call.entry("tenant.change", known.name, tenant: known.name, asked))
    let mode = signIn.flatMap(SignInMode.init(rawValue:))
    let changed = try await keep(call) { transaction in
      let changed = try transaction.changePolicy(of: known.id) { policy in
        if let provider { policy.identityProvider = try provider.applied(to: policy.identityProvider) }
        if let mode { try Self.signIn(mode, of: known.isDefault, &policy) }
        var fields = given
        try Self.change(&policy, &fields)
      }
      return (changed, changed == nil ? nil : entry)
    }
    guard let tenant = changed else { throw Refusal(404, "noSuchTenant", "There is no tenant of that name.") }
    return .json(TenantView(tenant))
  }

  /// Removes a tenant with everything but its audit entries, a large one in parts. Refused while one of its meetings is
  /// running.
  func removeTenant(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    let tenant = try await tenant(call.path[0])
    if await directory.isRunning(tenant.id) { throw Self.conflict(.tenantInUse(tenant.name)) }
    let (now, entry) = (call.now, call.entry("tenant.remove", tenant.name, tenant: tenant.name))
    let found: RemovedTenant?
    do {
      found = try await keep(call) { transaction in
        let removed = try transaction.removeTenant(tenant.id, now: now)
        return (removed, removed == nil ? nil : entry)
      }
    } catch let error as MeetingStoreError {
      throw Self.conflict(error)
    }
    guard let removed = found else { throw Refusal(404, "noSuchTenant", "There is no tenant of that name.") }
    await directory.removed(tenant.id, left: removed.orphanedMeetings)
    await mailboxes.endTenant(removed.attachments)
    return Self.done
  }

  private static func signIn(
    _ mode: SignInMode, of isDefault: Bool, _ policy: inout TenantPolicy
  ) throws(Refusal) {
    guard mode == .token || isDefault else {
      throw Refusal(
        422, "onlyDefaultIsOpen", "Only the default tenant can be open: people without a token are taken for its own.")
    }
    guard mode != .oidc || policy.identityProvider != nil else {
      throw Refusal(
        422, "providerNeeded",
        "The tenant has no provider at which people could sign in: set provider, or parley tenant set --oidc-issuer.")
    }
    policy.signIn = mode
  }

  private static func change(_ policy: inout TenantPolicy, _ fields: inout AdminFields) throws(Refusal) {
    if let origins = try fields.texts("allowedOrigins", most: 32, 1...300) {
      var list: [WebOrigin] = []
      for text in origins {
        guard let origin = WebOrigin(text) else {
          throw Refusal(422, "badOrigin", "Each of allowedOrigins must be an origin like https://app.example.com.")
        }
        if !list.contains(origin) { list.append(origin) }
      }
      policy.allowedOrigins = list
    }
    if let level = try fields.word("accessLevel", AccessLevel.allCases.map(\.rawValue)) {
      policy.accessLevel = AccessLevel(rawValue: level) ?? policy.accessLevel
    }
    if let limit = try fields.limit("capacity", 1...10_000) { policy.capacity = limit }
    if let limit = try fields.limit("maximumMeetings", 0...1_000_000) { policy.maximumMeetings = limit }
    if let limit = try fields.limit("maximumParticipants", 0...1_000_000) { policy.maximumParticipants = limit }
    policy.chat = try chat(over: policy.chat, &fields)
    policy.lobby = try lobby(over: policy.lobby, &fields)
    if let limit = try fields.limit("maximumChatBytes", 0...1_099_511_627_776) { policy.maximumChatBytes = limit }
    if let limit = try fields.limit("maximumStoredMeetings", 0...10_000_000) { policy.maximumStoredMeetings = limit }
    if let limit = try fields.limit("maximumRequests", 1...1_000_000) { policy.maximumRequests = limit }
    if let word = try fields.removable("tokenExpiry", words: TokenExpiry.allCases.map(\.rawValue)) {
      policy.tokenExpiry = word.flatMap(TokenExpiry.init(rawValue:))
    }
    if let word = try fields.removable("encryption", words: EncryptionPolicy.allCases.map(\.rawValue)) {
      policy.encryption = word.flatMap(EncryptionPolicy.init(rawValue:))
    }
  }

  /// `settings` with the given values of `waitForHost`, `announce` and `lobbySeconds`.
  static func lobby(over settings: LobbySettings, _ fields: inout AdminFields) throws(Refusal) -> LobbySettings {
    let (waits, announces) = (try fields.truth("waitForHost"), try fields.truth("announce"))
    let timeout = try fields.limit("lobbySeconds", 1...86_400)
    return LobbySettings(
      waitsForHost: waits ?? settings.waitsForHost, announces: announces ?? settings.announces,
      timeout: timeout.map { $0.map { .seconds(Int64($0)) } } ?? settings.timeout)
  }

  // MARK: Keys

  func listKeys(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    let now = call.now
    let keys = try await store.apiKeys(of: try await tenant(call.path[0]).id)
    // There are two that are good and those of the past, so they come whole.
    return .json(AdminPage(items: keys.prefix(200).map { KeyView($0, at: now) }))
  }

  func rotateKey(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    var fields = try AdminFields(call.request, optional: true)
    let seconds = try fields.number("expireOthersAfter", 0...31_536_000)
    try fields.finish()
    let tenant = try await tenant(call.path[0])
    let key: APIKey
    do {
      let (current, detail) = (call, seconds.map { "the others end in \($0) s" } ?? "")
      key = try await keep(call) { transaction in
        let key = try transaction.rotateKey(
          of: tenant.id, others: Self.end(of: seconds, from: current.now), now: current.now)
        return (key, current.entry("key.create", key.id, tenant: tenant.name, detail))
      }
    } catch let error as MeetingStoreError {
      throw Self.conflict(error)
    }
    return .json(KeyView(key, at: call.now, showing: true), status: 201)
  }

  /// Retires a secret. With `endSessions` it also ends the sessions of tokens that it signed. A leaked secret may have
  /// admitted anybody, but one that is only replaced must not end meetings.
  func retireKey(_ call: inout Call) async throws -> HTTPResponse {
    let endsSessions = try call.query.truth("endSessions") ?? false
    try call.query.finish()
    let tenant = try await tenant(call.path[0])
    let (id, current) = (call.path[1], call)
    let isKnown = try await keep(call) { transaction in
      if try transaction.retireKey(id, of: tenant.id, now: current.now) {
        let detail = endsSessions ? "with the sessions of its tokens" : ""
        return (true, current.entry("key.retire", id, tenant: tenant.name, detail))
      }
      // One that is out of use already may have let somebody in before.
      guard endsSessions, try transaction.apiKeys(of: tenant.id).contains(where: { $0.id == id }) else {
        return (false, nil)
      }
      return (true, current.entry("key.endSessions", id, tenant: tenant.name))
    }
    guard isKnown else {
      throw Refusal(404, "noSuchKey", "The tenant has no secret of that id that is in use.")
    }
    if endsSessions { await directory.retired(id, of: tenant.id) }
    return Self.done
  }

  // MARK: Audit log

  func listAudit(_ call: inout Call) async throws -> HTTPResponse {
    let limit = try call.query.pageLimit()
    let before = try call.query.before()
    let name = try Self.tenantParameter(&call.query)
    try call.query.finish()
    let entries = try await store.auditLog(tenant: name, before: before, limit: limit + 1)
    return .json(Self.page(entries.map(AuditView.init), limit: limit) { String($0.id) })
  }
}
