import FoundationEssentials
import Meetings
import Transport

/// Answers every HTTP request of the public port: the first path segment decides who.
struct Endpoints: Sendable {
  let application: ServiceApplication
  let discovery: Discovery
  let signIn: SignInEndpoints
  let files: StaticFiles
  let openTok: OpenTokAPI
  let planning: PlanningAPI
  let storeCheck: StoreCheck
  /// The address that clients see, where the `Host` header does not say it.
  let publicOrigin: WebOrigin?
  let isReady: @Sendable () -> Bool
  let counters: ServerCounters
  let log: Log
  let limits: AddressLimits
  let chat: ChatEndpoints

  /// The answer to a request.
  func respond(to request: HTTPRequest) async -> HTTPResponse {
    counters.requests.add(1)
    var response: HTTPResponse
    do throws(Refusal) {
      response = try await route(request)
    } catch {
      if error.status >= 500 { log.error("request.failed", ["path": request.path, "code": error.code]) }
      counters.limits.add(of: error)
      response = .refusal(error, asPage: Self.wantsPage(request))
      if Self.isCrossOrigin(request.path) { response = response.withCrossOriginAccess() }
      if error.status == 429 { response.headers["Retry-After"] = "1" }
      if error.status == 405 { response.headers["Allow"] = Self.methods(for: request.path) }
    }
    if response.status >= 400 { counters.requestErrors.add(1) }
    for (name, value) in SecurityHeaders.all { response.headers[name] = value }
    return response
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

  private func route(_ request: HTTPRequest) async throws(Refusal) -> HTTPResponse {
    let segments = request.path.split(separator: "/", omittingEmptySubsequences: true)
    guard let first = segments.first else { return try page("index.html", request) }
    if Self.workingDoors.contains(first) { try limits.take(request.remote.ip, now: Monotonic.now) }
    switch first {
    case "GetAdhocMeetingJob" where segments.count == 1:
      guard let form = try form(of: request) else { return Self.preflight(request) }
      let base = try origin(of: request)
      try await application.desk.requireKnown(request.headers["origin"], base: base, now: .kept)
      try limits.takeWrite(request.remote.ip, now: Monotonic.now)
      return try await application.createMeeting(form, base: base, now: .kept).withCrossOriginAccess()
    case "GetAnonTokenJob" where segments.count == 1:
      guard let form = try form(of: request) else { return Self.preflight(request) }
      let base = try origin(of: request)
      try await application.desk.requireKnown(request.headers["origin"], base: base, now: .kept)
      try limits.takeWrite(request.remote.ip, now: Monotonic.now)
      return try await application.token(form, base: base, now: .kept).withCrossOriginAccess()
    case "signin", "signout": return try await signIn.respond(to: request, segments, base: origin(of: request))
    case "discover": return try await discover(request, segments.dropFirst())
    case "api" where segments.count > 1 && segments[1] == "chat":
      if request.method == "OPTIONS" { return Self.preflight(request) }
      return try await chat.respond(to: request, segments.dropFirst(2))
    case "api" where segments.starts(with: ["api", "v1", "meetings"]):
      return try await planning.respond(
        to: request, segments.dropFirst(3),
        base: origin(of: request), now: .kept)
    case "session", "hl", "v2": return await openTok.respond(to: request, segments)
    case "opentok.js" where segments.count == 1: return try file("opentok.js", request)
    case "browser_demo.html" where segments.count == 1: return try page("browser_demo.html", request)
    case "assets", "sdk": return try file(segments.joined(separator: "/"), request)
    case "favicon.ico" where segments.count == 1: return try file("assets/favicon.svg", request)
    case "robots.txt" where segments.count == 1:
      try Self.requireReading(request)
      return .text("User-agent: *\nDisallow: /\n")
    case "healthz" where segments.count == 1:
      try Self.requireReading(request)
      return .text("ok\n")
    case "readyz" where segments.count == 1:
      try Self.requireReading(request)
      return try await readiness()
    case "signal" where segments.count == 1:
      throw Refusal(426, "upgradeRequired", "This address speaks WebSocket only.")
    default:
      return try room(segments, request)
    }
  }

  // MARK: Parts

  /// The form of a POST; nil for a preflight request.
  private func form(of request: HTTPRequest) throws(Refusal) -> FormBody? {
    if request.method == "OPTIONS" { return nil }
    guard request.method == "POST" else {
      throw Refusal(405, "methodNotAllowed", "Send a POST with a form body.")
    }
    try request.requirePlainBody()
    do throws(Refusal) {
      return try FormBody(of: request)
    } catch {
      throw Refusal(error.status, error.code, "Invalid job input: \(error.message)")
    }
  }

  private func discover(
    _ request: HTTPRequest, _ rest: ArraySlice<Substring>
  ) async throws(Refusal) -> HTTPResponse {
    if request.method == "OPTIONS" { return Self.preflight(request) }
    try Self.requireReading(request)
    let base = try origin(of: request)
    let query = try FormBody(query: request.query)
    // What stands in an address stands in the logs of proxies: only clients of the Skype for Business App SDK have it there.
    let context =
      AdminGate.bearer(request.headers["authorization"]) ?? query["anonymousMeetingJoinContext"]
      ?? query["anonymousContext"]
    if let room = rest.first, rest.count == 1, context == nil {
      let signedIn = try await signIn.document(room: room, request, base: base, discovery: discovery, now: .kept)
      if let signedIn { return signedIn }
      return try await discovery.document(room: room, base: base, now: .kept).withCrossOriginAccess()
    }
    guard rest.count <= 1, let context else {
      throw Refusal(
        404, "notFound", "Ask for /discover/<room>, or for /discover with a join token as Authorization: Bearer.")
    }
    return try await discovery.document(
      context: context, room: rest.first, origin: request.headers["origin"], base: base, now: .kept
    ).withCrossOriginAccess()
  }

  private func readiness() async throws(Refusal) -> HTTPResponse {
    guard isReady() else { throw Refusal(503, "notReady", "The server does not accept joins just now.") }
    do throws(MeetingStoreError) {
      try await storeCheck.run(now: Monotonic.now)
    } catch {
      log.error("store.check", ["reason": error.description])
      throw Refusal(503, error.code, "The server cannot write its data. Its log says why.")
    }
    return .text("ready\n")
  }

  private func room(_ segments: [Substring], _ request: HTTPRequest) throws(Refusal) -> HTTPResponse {
    guard segments.count == 1 else { throw Refusal(404, "notFound", "There is nothing at this address.") }
    do throws(RoomNameError) {
      _ = try RoomName(segments[0])
    } catch {
      throw Refusal(error)
    }
    return try page("meeting.html", request)
  }

  private func page(_ name: String, _ request: HTTPRequest) throws(Refusal) -> HTTPResponse {
    var response = try file(name, request)
    for (name, value) in SecurityHeaders.page { response.headers[name] = value }
    return response
  }

  private func file(_ path: String, _ request: HTTPRequest) throws(Refusal) -> HTTPResponse {
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

  private static func requireReading(_ request: HTTPRequest) throws(Refusal) {
    guard request.method == "GET" || request.method == "HEAD" else {
      throw Refusal(405, "methodNotAllowed", "This address can only be read.")
    }
  }

  private static func isCrossOrigin(_ path: String) -> Bool {
    path == "/GetAdhocMeetingJob" || path == "/GetAnonTokenJob" || path.hasPrefix("/discover")
      || path.hasPrefix("/api/chat/")
  }

  /// Where an answer costs more than reading a file from memory: how often one address may ask there is bounded.
  private static let workingDoors: Set<Substring> = [
    "GetAdhocMeetingJob", "GetAnonTokenJob", "signin", "signout", "discover", "api", "session", "hl", "v2", "readyz",
  ]

  /// The header `Allow` of an address.
  private static func methods(for path: String) -> String {
    let segments = path.split(separator: "/")
    if let address = SignInEndpoints.addresses.find(segments) { return address.allow }
    if segments.starts(with: ["api", "v1", "meetings"]), let address = PlanningAPI.addresses.find(segments.dropFirst(3))
    {
      return address.allow
    }
    if segments.starts(with: ["api", "chat"]), let address = ChatEndpoints.addresses.find(segments.dropFirst(2)) {
      return "\(address.allow), OPTIONS"
    }
    return ["/GetAdhocMeetingJob", "/GetAnonTokenJob"].contains(path) ? "POST, OPTIONS" : "GET, HEAD"
  }

  /// Any page may send any header: what goes by cookies is not for pages of other origins anyway.
  private static func preflight(_ request: HTTPRequest) -> HTTPResponse {
    let asked = request.headers["access-control-request-headers"] ?? "*"
    return HTTPResponse(
      status: 204,
      headers: [
        "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
        "Access-Control-Allow-Headers": String(asked.prefix(1_024)), "Access-Control-Max-Age": "600",
      ])
  }

  private static func wantsPage(_ request: HTTPRequest) -> Bool {
    (request.method == "GET" || request.method == "HEAD") && request.headers["accept"]?.contains("text/html") == true
  }
}
