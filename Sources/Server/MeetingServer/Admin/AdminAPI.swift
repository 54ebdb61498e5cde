import Basics
import FoundationEssentials
import Meetings
import Transport

/// The admin interface: a REST API under `/api/v1`, described by `Web/admin/openapi.json`.
///
/// A request that breaks the description gets 400. One that keeps to it but can't be done gets 422.
///
/// Every change has an audit entry. A change of the database is one transaction with its entry. For a change of a
/// running meeting the entry comes first. So nothing is done without its entry, and nothing at all when entries can't
/// be written.
struct AdminAPI: Sendable {
  let gate: AdminGate
  let store: any MeetingStore
  let directory: MeetingDirectory
  let mailboxes: MailboxHub
  let authority: JoinAuthority
  let passcodes: PasscodeGuard
  /// Whether meetings may be encrypted, where the tenant doesn't say.
  let encryption: EncryptionPolicy
  let quality: QualityHistory
  let allowedHosts: [String]
  let counters: OperationCounters
  let limits: LimitCounters
  let log: Log
  /// Called when a delivery was added.
  let wake: @Sendable () async -> Void

  /// One request, taken apart.
  struct Call {
    var request: HTTPRequest
    /// The parts of the path at the places where the route has a `*`.
    var path: [String]
    var query: AdminQuery
    var actor: String
    var now: Date

    /// The audit entry of this call.
    func entry(_ action: String, _ target: String, tenant: String = "", _ detail: String = "") -> AuditEntry {
      AuditEntry(time: now, actor: actor, tenant: tenant, action: action, target: target, detail: detail)
    }
  }

  private typealias Handler = @Sendable (AdminAPI, inout Call) async throws -> HTTPResponse

  private static let routes = RouteTable<Handler>([
    Route("GET", "tenants") { try await $0.listTenants(&$1) },
    Route("POST", "tenants") { try await $0.createTenant(&$1) },
    Route("GET", "tenants/*") { try await $0.showTenant(&$1) },
    Route("PATCH", "tenants/*") { try await $0.changeTenant(&$1) },
    Route("DELETE", "tenants/*") { try await $0.removeTenant(&$1) },
    Route("GET", "tenants/*/keys") { try await $0.listKeys(&$1) },
    Route("POST", "tenants/*/keys") { try await $0.rotateKey(&$1) },
    Route("DELETE", "tenants/*/keys/*") { try await $0.retireKey(&$1) },
    Route("GET", "meetings") { try await $0.listMeetings(&$1) },
    Route("POST", "meetings") { try await $0.createMeeting(&$1) },
    Route("GET", "meetings/*") { try await $0.showMeeting(&$1) },
    Route("PATCH", "meetings/*") { try await $0.changeMeeting(&$1) },
    Route("POST", "meetings/*/cancel") { try await $0.cancelMeeting(&$1) },
    Route("GET", "meetings/*/occurrences") { try await $0.listOccurrences(&$1) },
    Route("GET", "meetings/*/calendar") { try await $0.showCalendar(&$1) },
    Route("GET", "personal-rooms") { try await $0.listPersonalRooms(&$1) },
    Route("DELETE", "meetings/*") { try await $0.removeMeeting(&$1) },
    Route("POST", "meetings/*/end") { try await $0.endMeeting(&$1) },
    Route("GET", "meetings/*/chat") { try await $0.exportChat(&$1) },
    Route("GET", "meetings/*/participants") { try await $0.listParticipants(&$1) },
    Route("DELETE", "meetings/*/participants/*") { try await $0.removeParticipant(&$1) },
    Route("GET", "tokens") { try await $0.listTokens(&$1) },
    Route("POST", "tokens") { try await $0.createToken(&$1) },
    Route("DELETE", "tokens/*") { try await $0.revokeToken(&$1) },
    // Not below `tokens`, whose subpaths are ids.
    Route("POST", "token-inspection") { try await $0.inspectToken(&$1) },
    Route("GET", "webhooks") { try await $0.listWebhooks(&$1) },
    Route("POST", "webhooks") { try await $0.createWebhook(&$1) },
    Route("GET", "webhooks/*") { try await $0.showWebhook(&$1) },
    Route("PATCH", "webhooks/*") { try await $0.changeWebhook(&$1) },
    Route("DELETE", "webhooks/*") { try await $0.removeWebhook(&$1) },
    Route("POST", "webhooks/*/secret") { try await $0.rotateSecret(&$1) },
    Route("POST", "webhooks/*/test") { try await $0.testWebhook(&$1) },
    Route("GET", "webhooks/*/deliveries") { try await $0.listDeliveries(&$1) },
    Route("GET", "webhooks/*/deliveries/*") { try await $0.showDelivery(&$1) },
    Route("POST", "webhooks/*/deliveries/*/replay") { try await $0.replayDelivery(&$1) },
    Route("GET", "domains") { try await $0.listDomains(&$1) },
    Route("POST", "domains") { try await $0.createDomain(&$1) },
    Route("GET", "domains/*") { try await $0.showDomain(&$1) },
    Route("PATCH", "domains/*") { try await $0.changeDomain(&$1) },
    Route("DELETE", "domains/*") { try await $0.removeDomain(&$1) },
    Route("GET", "domains/*/identities") { try await $0.listIdentities(&$1) },
    Route("GET", "domains/*/identities/*") { try await $0.showIdentity(&$1) },
    Route("DELETE", "domains/*/endpoints/*") { try await $0.removeEndpoint(&$1) },
    Route("GET", "audit") { try await $0.listAudit(&$1) },
  ])

  /// Every method and path below `/api/v1`, with `*` for variable segments.
  static var endpoints: [(method: String, path: String)] {
    routes.all.flatMap { route in route.methods.map { ($0, route.pattern) } }
  }

  /// Those that change something.
  static var changes: [(method: String, path: String)] {
    endpoints.filter { $0.method != "GET" && $0.path != "token-inspection" }
  }

  /// The answer to a request whose path begins with `/api/v1`.
  func respond(to request: HTTPRequest) async -> HTTPResponse {
    counters.adminRequests.add(1)
    let response = await answer(request)
    if response.status >= 400 { counters.adminErrors.add(1) }
    return response
  }

  private func answer(_ request: HTTPRequest) async -> HTTPResponse {
    let actor: String
    do throws(Refusal) {
      actor = try gate.admit(request)
    } catch {
      return refused(request, error)
    }
    // A resource with GET has HEAD too.
    let method = request.method == "HEAD" ? "GET" : request.method
    let match = Self.routes.find(method, Array(request.path.split(separator: "/").dropFirst(2)))
    do {
      if case .notFound = match {
        throw Refusal(404, "notFound", "There is nothing at this address; /api/openapi.json lists what is.")
      }
      let (route, path) = try match.get()
      var call = Call(request: request, path: path, query: try AdminQuery(request.query), actor: actor, now: .kept)
      return try await route.handler(self, &call)
    } catch let error as Refusal {
      limits.add(of: error)
      return .refusal(error)
    } catch let error as MeetingStoreError {
      log.error("admin.store", ["reason": error.description])
      limits.add(of: Refusal(error))
      return .refusal(Refusal(error))
    } catch {
      log.error("admin.failed", ["reason": "\(error)"])
      return .refusal(Refusal(500, "internal", "This could not be done. The server's log says why."))
    }
  }

  /// The answer to a request for metrics that the gate refuses.
  func refusal(ofReading request: HTTPRequest) -> HTTPResponse? {
    do throws(Refusal) {
      try gate.admitReader(request)
      return nil
    } catch {
      return refused(request, error)
    }
  }

  private func refused(_ request: HTTPRequest, _ error: Refusal) -> HTTPResponse {
    counters.adminRefused.add(1)
    log.info("admin.refused", ["code": error.code, "path": request.path])
    var response = HTTPResponse.refusal(error)
    if error.status == 401 { response.headers["WWW-Authenticate"] = "Bearer" }
    if error.status == 429 { response.headers["Retry-After"] = "60" }
    return response
  }

  // MARK: For all of them

  /// Writes an audit entry before an action outside of the database.
  func audit(
    _ call: Call, _ action: String, _ target: String, tenant: String = "", _ detail: String = ""
  ) async throws {
    try await store.append(call.entry(action, target, tenant: tenant, detail))
    tell(call, action, target)
  }

  /// Changes the database, and writes down in the same transaction who did it.
  func keep<Answer: Sendable>(
    _ call: Call, _ entry: AuditEntry, _ change: @Sendable (any StoreTransaction) throws -> Answer
  ) async throws -> Answer {
    try await keep(call) { transaction in (try change(transaction), entry) }
  }

  /// The same, with an entry that depends on the result. A result of nil leaves no entry.
  func keep<Answer: Sendable>(
    _ call: Call, _ change: @Sendable (any StoreTransaction) throws -> (Answer, AuditEntry?)
  ) async throws -> Answer {
    let (answer, entry) = try await store.transaction { transaction in
      let (answer, entry) = try change(transaction)
      if let entry { try transaction.append(entry) }
      return (answer, entry)
    }
    if let entry { tell(call, entry.action, entry.target) }
    return answer
  }

  private func tell(_ call: Call, _ action: String, _ target: String) {
    log.info("admin.\(action)", ["by": call.actor, "target": target])
  }

  /// The tenant of that name.
  func tenant(_ name: String) async throws -> Tenant {
    guard let tenant = try await store.tenant(name: name) else {
      throw Refusal(404, "noSuchTenant", "There is no tenant of that name.")
    }
    return tenant
  }

  /// The tenant that a body or query names; the default one when it names none.
  func tenant(orDefault name: String?, _ now: Date) async throws -> Tenant {
    guard let name else { return try await store.defaultTenant(now: now) }
    return try await tenant(name)
  }

  /// The names of all tenants.
  func tenantNames() async throws -> [TenantID: String] {
    Dictionary(try await store.tenants().map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
  }

  /// The refusal for an error of the store: the caller can mend taken names and reached limits.
  static func conflict(_ error: MeetingStoreError) -> Refusal {
    switch error {
    case .exists, .tenantExists, .defaultTenant, .tenantInUse: Refusal(409, error.code, error.description)
    case .tooManyKeys: Refusal(409, error.code, error.description, limit: .secrets)
    default: Refusal(error)
    }
  }

  /// The parameter that names a tenant.
  static func tenantParameter(_ query: inout AdminQuery) throws(Refusal) -> String? {
    try query.text("tenant", "the name of a tenant", Tenant.isName)
  }

  /// The field that names a tenant.
  static func tenantField(_ fields: inout AdminFields) throws(Refusal) -> String? {
    guard let name = try fields.text("tenant", 1...64) else { return nil }
    guard Tenant.isName(name) else {
      throw Refusal(400, "badField", "The field tenant must be the name of a tenant.")
    }
    return name
  }

  /// A page of a list that is one entry longer than the page where there is more.
  static func page<Entry: Encodable>(
    _ entries: [Entry], limit: Int, next: (Entry) -> String
  ) -> AdminPage<Entry> {
    let items = Array(entries.prefix(limit))
    return AdminPage(items: items, next: entries.count > limit ? items.last.map(next) : nil)
  }

  static let done = HTTPResponse(status: 204, headers: ["Cache-Control": "no-store"])
}
