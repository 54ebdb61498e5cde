import Basics
import FoundationEssentials
import Meetings
import Transport

/// Answers every HTTP request of the public port, by the routes of ``routes``.
struct Endpoints: Sendable {
  let application: TrustedApplication
  let discovery: Discovery
  let signIn: SignInEndpoints
  let files: StaticFiles
  let openTok: OpenTokAPI
  let planning: PlanningAPI
  let storeCheck: StoreCheck
  /// The origin that clients see, if it isn't that of the `Host` header.
  let publicOrigin: WebOrigin?
  let isReady: @Sendable () -> Bool
  let counters: ServerCounters
  let log: Log
  let limits: AddressLimits
  let chat: ChatEndpoints
  let vault: VaultEndpoints
  let messaging: MessagingEndpoints
  let keyRecords: KeyRecordEndpoints

  /// The answer to a request.
  func respond(to request: HTTPRequest) async -> HTTPResponse {
    counters.requests.add(1)
    let path = request.path.split(separator: "/")
    let match = Self.routes.find(request.method, path)
    var response: HTTPResponse
    var form = Refusal.Form.parley(asPage: Self.wantsPage(request))
    do throws(Refusal) {
      if Self.routes.isWork(path) { try limits.take(request.remote.ip, now: MonotonicClock.now) }
      if let route = match.route { form = Self.form(of: route, request) ?? form }
      response = try await answer(request, match)
    } catch {
      // 501 says that this version lacks a call; that isn't a failure.
      if error.status >= 500, error.status != 501 {
        log.error("request.failed", ["path": request.path, "code": error.code])
      }
      counters.limits.add(of: error)
      response = .refusal(error, form)
      if error.status == 429 { response.headers["Retry-After"] = "1" }
    }
    // An answer that depends on a cookie is for the server's own pages.
    if match.route?.crossOrigin == .anyOrigin, response.headers["vary"] == nil {
      response = response.withCrossOriginAccess()
    }
    if response.status >= 400 { counters.requestErrors.add(1) }
    for (name, value) in SecurityHeaders.all { response.headers[name] = value }
    return response
  }

  private func answer(_ request: HTTPRequest, _ match: RouteTable<Handler>.Match) async throws(Refusal) -> HTTPResponse
  {
    // Under a foreign `Host` such a path doesn't even list its methods.
    if case .wrongMethod(let route, _) = match, route.rate == .work { _ = try origin(of: request) }
    let (route, segments) = try match.get()
    if route.crossOrigin == .anyOrigin, request.method == "OPTIONS" { return Self.preflight(request) }
    guard request.body.count <= route.bodyLimit else {
      throw Refusal(413, "tooLarge", "The body is larger than \(route.bodyLimit) bytes.")
    }
    return try await route.handler.run(self, Call(request: request, segments: segments))
  }

  /// The form of a route's refusals; nil for that of the server.
  private static func form(of route: Route<Handler>, _ request: HTTPRequest) -> Refusal.Form? {
    switch route.refusals {
    case .parley: nil
    case .openTok: .openTok
    case .openTokSession: OpenTokAPI.wantsJSON(request) ? .openTok : .openTokXML
    }
  }

  /// The origin under which the client reached this server.
  func origin(of request: HTTPRequest) throws(Refusal) -> WebOrigin {
    if let publicOrigin { return publicOrigin }
    let host = request.headers["host"] ?? request.local.text
    guard let origin = WebOrigin((request.isTLS ? "https://" : "http://") + host), !host.contains("/") else {
      throw Refusal(400, "badHost", "The Host header is not a host name with an optional port.")
    }
    guard OwnHostName.accepts(origin.host) else {
      throw Refusal(
        421, "unknownHost",
        "This server does not know itself by that name; its operator can start it with --public-url and that address.")
    }
    return origin
  }

  // MARK: Parts

  /// The origin that the client reached, and the fields of the query.
  func reached(_ call: Call) throws(Refusal) -> (base: WebOrigin, query: FormBody) {
    (try origin(of: call.request), try FormBody(query: call.request.query))
  }

  /// The form of a call of the trusted application, from a page that may send it.
  func job(_ call: Call) async throws(Refusal) -> (form: FormBody, base: WebOrigin) {
    try call.request.requirePlainBody()
    let form: FormBody
    do throws(Refusal) {
      form = try FormBody(of: call.request)
    } catch {
      throw Refusal(error.status, error.code, "Invalid job input: \(error.message)")
    }
    let base = try origin(of: call.request)
    try await application.anonymousJoin.requireKnown(call.request.headers["origin"], base: base, now: call.now)
    try limits.takeWrite(call.request.remote.ip, now: MonotonicClock.now)
    return (form, base)
  }

  /// The discover document of a room, or of a token's meeting.
  func discover(_ call: Call, room: String?) async throws(Refusal) -> HTTPResponse {
    let request = call.request
    let base = try origin(of: request)
    let query = try FormBody(query: request.query)
    // Addresses stand in the logs of proxies: only clients of the Skype for Business App SDK send a token in one.
    let context =
      request.bearerToken ?? query["anonymousMeetingJoinContext"]
      ?? query["anonymousContext"]
    if let context {
      return try await discovery.document(
        context: context, room: room.map { $0[...] }, origin: request.headers["origin"], base: base, now: call.now)
    }
    guard let room else { throw Self.noDocument }
    let signedIn = try await signIn.document(room: room, request, base: base, discovery: discovery, now: call.now)
    if let signedIn { return signedIn }
    return try await discovery.document(room: room, base: base, now: call.now)
  }

  static let noDocument = Refusal(
    404, "notFound", "Ask for /discover/<room>, or for /discover with a join token as Authorization: Bearer.")

  /// Lets the planning API answer.
  func plan(
    _ call: Call, _ body: (PlanningAPI, WebOrigin) async throws -> HTTPResponse
  ) async throws(Refusal) -> HTTPResponse {
    let base = try origin(of: call.request)
    return try await planning.answer { try await body(planning, base) }
  }

  /// Lets a person's vault answer.
  func keep(
    _ call: Call, _ body: (VaultEndpoints, Vault.Caller) async throws(Refusal) -> HTTPResponse
  ) async throws(Refusal) -> HTTPResponse {
    let base = try origin(of: call.request)
    return try await body(vault, try await vault.caller(call.request, base, call.now))
  }

  func readiness() async throws(Refusal) -> HTTPResponse {
    guard isReady() else { throw Refusal(503, "notReady", "The server does not accept joins just now.") }
    do throws(MeetingStoreError) {
      try await storeCheck.run(now: MonotonicClock.now)
    } catch {
      log.error("store.check", ["reason": error.description])
      throw Refusal(503, error.code, "The server cannot write its data. Its log says why.")
    }
    return .text("ready\n")
  }

  /// The page of a room; its name is checked first.
  func meetingPage(_ call: Call) throws(Refusal) -> HTTPResponse {
    do throws(RoomNameError) {
      _ = try RoomName(call.segment)
    } catch {
      throw Refusal(error)
    }
    return try page("meeting.html", call.request)
  }

  /// A page with the headers that keep it to itself.
  func page(_ name: String, _ request: HTTPRequest) throws(Refusal) -> HTTPResponse {
    var response = try file(name, request)
    for (name, value) in SecurityHeaders.page { response.headers[name] = value }
    return response
  }

  /// A file of the browser client.
  func file(_ path: String, _ request: HTTPRequest) throws(Refusal) -> HTTPResponse {
    try Self.requireReading(request)
    guard let file = files.file(path) else {
      throw Refusal(404, "notFound", "There is nothing at this address.")
    }
    // Files change with the server's version only, and a validator costs one short round trip.
    var headers: HTTPHeaders = ["ETag": file.entityTag, "Cache-Control": "no-cache"]
    // The SDK is made to be used by pages of other servers too.
    if path.hasPrefix("sdk/") || path == "opentok.js" { headers["Access-Control-Allow-Origin"] = "*" }
    if let known = request.headers["if-none-match"], known.contains(file.entityTag) {
      return HTTPResponse(status: 304, headers: headers)
    }
    headers["Content-Type"] = file.contentType
    return HTTPResponse(headers: headers, body: file.bytes)
  }

  // MARK: Rules

  static func requireReading(_ request: HTTPRequest) throws(Refusal) {
    guard request.method == "GET" || request.method == "HEAD" else { throw .methodNotAllowed(["GET", "HEAD"]) }
  }

  /// Any page may send any header: endpoints with cookies refuse pages of other origins anyway.
  private static func preflight(_ request: HTTPRequest) -> HTTPResponse {
    let asked = request.headers["access-control-request-headers"] ?? "*"
    return HTTPResponse(
      status: 204,
      headers: [
        "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "GET, POST, PUT, OPTIONS",
        "Access-Control-Allow-Headers": String(asked.prefix(1_024)), "Access-Control-Max-Age": "600",
      ])
  }

  private static func wantsPage(_ request: HTTPRequest) -> Bool {
    (request.method == "GET" || request.method == "HEAD") && request.headers["accept"]?.contains("text/html") == true
  }
}
