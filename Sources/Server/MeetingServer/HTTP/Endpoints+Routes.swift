import Basics
import FoundationEssentials
import Meetings
import Messaging
import Transport

extension Endpoints {
  /// A request on its way to a handler.
  struct Call: Sendable {
    var request: HTTPRequest
    /// The segments that the route leaves open, in their order.
    var segments: [String]
    var now = Date.kept

    /// The first of them.
    var segment: String { segments.first ?? "" }
  }

  /// Answers the requests of a route.
  struct Handler: Sendable {
    let run: @Sendable (Endpoints, Call) async throws(Refusal) -> HTTPResponse
  }

  private typealias Entry = Route<Handler>

  /// The first segments that the server reserves without a route on this port.
  static let reservedForLater: Set<String> = [
    ".well-known", "admin", "metrics", "platformservice", "ucwa", "whep", "whip",
  ]

  /// The names that no room may bear, in lower case. `RoomName.reserved` has the same, which a test compares.
  static var reservedNames: Set<String> { routes.firstWords.union(reservedForLater) }

  /// Every address of the public port.
  static let routes = RouteTable<Handler>(
    pages + joining + signingIn + planned + vaults + chats + messagingCalls + openTokCalls + general)

  private static let pages: [Entry] = [
    Entry("GET HEAD", "/", "the start page") { endpoints, call throws(Refusal) in
      try endpoints.page("index.html", call.request)
    },
    Entry("GET HEAD", "/assets/…", "files of the browser client (`Web/`)", handler: serveFile),
    Entry("GET HEAD", "/sdk/…", "the JavaScript SDK, also for pages of other servers", handler: serveFile),
    Entry(
      "GET HEAD", "/opentok.js", "the browser's side of OpenTok ([OpenTok](opentok-rest.md))", handler: serveFile),
    Entry("GET HEAD", "/browser_demo.html", "a page to try it") { endpoints, call throws(Refusal) in
      try endpoints.page("browser_demo.html", call.request)
    },
    Entry("GET HEAD", "/favicon.ico") { endpoints, call throws(Refusal) in
      try endpoints.file("assets/favicon.svg", call.request)
    },
    Entry("GET HEAD", "/robots.txt") { _, _ throws(Refusal) in .text("User-agent: *\nDisallow: /\n") },
    Entry("GET HEAD", "/healthz", "`200` when alive") { _, _ throws(Refusal) in .text("ok\n") },
    Entry("GET HEAD", "/readyz", rate: .work, "`200` when ready for joins") { endpoints, _ async throws(Refusal) in
      try await endpoints.readiness()
    },
  ]

  private static let joining: [Entry] = [
    Entry(
      "POST", "/GetAdhocMeetingJob", crossOrigin: .anyOrigin, rate: .work,
      "[the trusted application](protocol/meetings-api.md#trusted-application) makes a meeting"
    ) { endpoints, call async throws(Refusal) in
      let job = try await endpoints.job(call)
      return try await endpoints.application.createMeeting(job.form, base: job.base, now: call.now)
    },
    Entry(
      "POST", "/GetAnonTokenJob", crossOrigin: .anyOrigin, rate: .work,
      "the trusted application exchanges a meeting's address for a token"
    ) { endpoints, call async throws(Refusal) in
      let job = try await endpoints.job(call)
      return try await endpoints.application.token(job.form, base: job.base, now: call.now)
    },
    Entry(
      "GET HEAD", "/discover/<room>", crossOrigin: .anyOrigin, rate: .work,
      "the [discover document](#the-discover-document) of an open meeting, with a fresh join token for a guest. It "
        + "makes no meeting: the first join does"
    ) { endpoints, call async throws(Refusal) in try await endpoints.discover(call, room: call.segment) },
    Entry(
      "GET HEAD", "/discover", crossOrigin: .anyOrigin, rate: .work,
      "the discover document for the meeting of a join token"
    ) { endpoints, call async throws(Refusal) in try await endpoints.discover(call, room: nil) },
    Entry("", "/discover/…", crossOrigin: .anyOrigin, rate: .work) { _, call throws(Refusal) in
      try requireReading(call.request)
      throw noDocument
    },
    Entry("", "/signal", "[signalling](#signalling), over a WebSocket") { _, _ throws(Refusal) in
      throw Refusal(426, "upgradeRequired", "This address speaks WebSocket only.")
    },
  ]

  private static let signingIn: [Entry] = [
    Entry(
      "GET", "/signin", rate: .work,
      "[sign-in](protocol/meetings-api.md#sign-in) for the room in `?room=`, if the tenant has `oidc`"
    ) { endpoints, call async throws(Refusal) in
      let (base, query) = try endpoints.reached(call)
      return try await endpoints.signIn.begin(query, base, Date())
    },
    Entry("GET", "/signin/callback", rate: .work, "back from the provider") { endpoints, call async throws(Refusal) in
      let (base, query) = try endpoints.reached(call)
      return try await endpoints.signIn.finish(query, call.request, base, Date())
    },
    Entry("POST", "/signin/token", rate: .work, "a join token for an app's code") {
      endpoints, call async throws(Refusal) in
      let (base, _) = try endpoints.reached(call)
      return try await endpoints.signIn.token(call.request, base, Date())
    },
    Entry("POST", "/signout", rate: .work, "the end of a sign-in session") { endpoints, call async throws(Refusal) in
      let (base, _) = try endpoints.reached(call)
      guard call.request.body.isEmpty else { throw Refusal(400, "badBody", "Signing out takes no body.") }
      return try await endpoints.signIn.end(call.request, base, Date())
    },
  ]

  private static let planned: [Entry] = [
    Entry(
      "POST", "/api/v1/meetings", rate: .work,
      "makes or plans [a meeting](protocol/meetings-api.md#planned-meetings)"
    ) { endpoints, call async throws(Refusal) in
      try await endpoints.plan(call) { try await $0.plan(call.request, $1, call.now) }
    },
    Entry("GET HEAD", "/api/v1/meetings/<room>", rate: .work, "a meeting, and when it takes place") {
      endpoints, call async throws(Refusal) in
      try await endpoints.plan(call) { try await $0.show(call.request, call.segment[...], $1, call.now) }
    },
    Entry("PATCH", "/api/v1/meetings/<room>", rate: .work, "changes it") { endpoints, call async throws(Refusal) in
      try await endpoints.plan(call) { try await $0.change(call.request, call.segment[...], $1, call.now) }
    },
    Entry("DELETE", "/api/v1/meetings/<room>", rate: .work, "calls it off") { endpoints, call async throws(Refusal) in
      try await endpoints.plan(call) { try await $0.cancel(call.request, call.segment[...], $1, call.now) }
    },
    Entry("GET HEAD", "/api/v1/meetings/<room>/calendar", rate: .work, "its calendar file") {
      endpoints, call async throws(Refusal) in
      try await endpoints.plan(call) { try await $0.calendar(call.request, call.segment[...], $1, call.now) }
    },
    Entry("GET HEAD", "/api/v1/meetings/<room>/occurrences", rate: .work, "its next occurrences") {
      endpoints, call async throws(Refusal) in
      try await endpoints.plan(call) { try await $0.occurrences(call.request, call.segment[...], $1, call.now) }
    },
  ]

  private static let vaults: [Entry] = [
    Entry(
      "GET HEAD", "/api/v1/vault", rate: .work, "the state of a person's own [key vault](protocol/vault.md)"
    ) { endpoints, call async throws(Refusal) in
      try await endpoints.keep(call) { vault, caller async throws(Refusal) in try await vault.status(caller, call.now) }
    },
    Entry("PUT", "/api/v1/vault", rate: .work, "stores its next record") { endpoints, call async throws(Refusal) in
      try await endpoints.keep(call) { vault, caller async throws(Refusal) in
        try await vault.store(caller, call.request, call.now)
      }
    },
    Entry("DELETE", "/api/v1/vault", rate: .work, "forgets the record") { endpoints, call async throws(Refusal) in
      try await endpoints.keep(call) { vault, caller async throws(Refusal) in
        try await vault.forget(caller, call.request, call.now)
      }
    },
    Entry("POST", "/api/v1/vault/prepare", rate: .work, "the server's part in the key of the next record") {
      endpoints, call async throws(Refusal) in
      try await endpoints.keep(call) { vault, caller async throws(Refusal) in
        try await vault.prepare(caller, call.request, call.now)
      }
    },
    Entry("POST", "/api/v1/vault/open", rate: .work, "the record, for a right passcode or recovery key") {
      endpoints, call async throws(Refusal) in
      try await endpoints.keep(call) { vault, caller async throws(Refusal) in
        try await vault.open(caller, call.request, call.now)
      }
    },
  ]

  private static let chats: [Entry] = [
    // A file that comes with a length is taken in pieces, before a route is looked for.
    Entry(
      "POST", ChatEndpoints.files, crossOrigin: .anyOrigin, rate: .work,
      "takes [a file](protocol/chat.md#files) of a chat"
    ) { _, _ throws(Refusal) in
      throw Refusal(411, "lengthRequired", "Send the file as the body, with a Content-Length above zero.")
    },
    Entry("GET HEAD", ChatEndpoints.files + "/<id>", crossOrigin: .anyOrigin, rate: .work, "the file") {
      endpoints, call async throws(Refusal) in
      try await endpoints.chat.read(call.segment, call.request)
    },
    Entry(
      "POST", ChatEndpoints.files + "/<id>", crossOrigin: .anyOrigin, rate: .work, bodyLimit: 8 << 10,
      "sends the sealed message about [a file](protocol/chat.md#encrypted-files)"
    ) { endpoints, call async throws(Refusal) in
      try await endpoints.chat.send(call.segment, call.request)
    },
    Entry("GET HEAD", "/api/chat/export", crossOrigin: .anyOrigin, rate: .work, "the messages of the chat") {
      endpoints, call async throws(Refusal) in
      try await endpoints.chat.export(call.request)
    },
    Entry("", "/api/chat/…", crossOrigin: .anyOrigin, rate: .work) { _, _ throws(Refusal) in throw .nothing },
  ]

  private static let messagingCalls: [Entry] = [
    // An attachment is taken in pieces, before a route is looked for.
    Entry(
      "PUT", MessagingEndpoints.prefix + "<id>", crossOrigin: .anyOrigin, rate: .work,
      "takes an attachment of the [messaging service](protocol/messaging.md#attachments)"
    ) { _, _ throws(Refusal) in
      throw Refusal(411, "lengthRequired", "Send the attachment as the body, with a Content-Length above zero.")
    },
    Entry("GET HEAD", MessagingEndpoints.prefix + "<id>", crossOrigin: .anyOrigin, rate: .work, "the attachment") {
      endpoints, call async throws(Refusal) in
      try await endpoints.messaging.read(call.segment, call.request)
    },
    Entry(
      "GET HEAD", MessagingLimits.path + "/keys/<domain>", crossOrigin: .anyOrigin, rate: .work,
      "the JWK Set that proves a domain's registration tokens"
    ) { endpoints, call async throws(Refusal) in try await endpoints.messaging.keys(call.segment) },
    Entry(
      "GET HEAD", KeyRecordEndpoints.prefix + "<domain>/<user>", crossOrigin: .anyOrigin, rate: .work,
      "the [keys](protocol/messaging.md#key-storage) that an app without key management stores for a user"
    ) { endpoints, call async throws(Refusal) in
      guard call.segments.count == 2 else { throw .nothing }
      return try await endpoints.keyRecords.read(call.segments[0], call.segments[1], call.request)
    },
    Entry(
      "PUT", KeyRecordEndpoints.prefix + "<domain>/<user>", crossOrigin: .anyOrigin, rate: .work, "changes them"
    ) { endpoints, call async throws(Refusal) in
      guard call.segments.count == 2 else { throw .nothing }
      try endpoints.limits.takeWrite(call.request.remote.ip, now: MonotonicClock.now)
      return try await endpoints.keyRecords.change(call.segments[0], call.segments[1], call.request)
    },
    Entry("", MessagingLimits.path, "the [messaging service](messaging.md), over a WebSocket") {
      _, _ throws(Refusal) in
      throw Refusal(426, "upgradeRequired", "This address speaks WebSocket only.")
    },
    Entry("", "/messaging/…", crossOrigin: .anyOrigin, rate: .work) { _, _ throws(Refusal) in throw .nothing },
  ]

  private static let openTokCalls: [Entry] = [
    Entry(
      "", "/session/create", rate: .work, bodyLimit: OpenTokAPI.maximumBody, refusals: .openTokSession,
      "a session of [OpenTok](opentok-rest.md), with `POST`", handler: createSession),
    Entry(
      "", "/hl/session/create", rate: .work, bodyLimit: OpenTokAPI.maximumBody, refusals: .openTokSession,
      handler: createSession),
    Entry("", "/session/…", rate: .work, refusals: .openTok) { endpoints, call async throws(Refusal) in
      let isSample = call.request.path.split(separator: "/").count == 1 && endpoints.openTok.isDevelopment
      guard isSample else { throw .nothing }
      return try await endpoints.openTok.sampleSession(call.request)
    },
    Entry("", "/hl/…", rate: .work, refusals: .openTok) { _, _ throws(Refusal) in throw .nothing },
    Entry(
      "", "/v2/project/<key>/…", rate: .work, bodyLimit: OpenTokAPI.maximumBody, refusals: .openTok,
      "the OpenTok REST API"
    ) { endpoints, call async throws(Refusal) in
      try await endpoints.openTok.answer(call.request, project: call.segment)
    },
    Entry("", "/v2/…", rate: .work, refusals: .openTok) { _, _ throws(Refusal) in throw .nothing },
  ]

  private static let general: [Entry] = [
    Entry(
      "", "/<room>",
      "the meeting page. `#jwt=` carries a join token, as does `?jwt=` in links made for Jitsi Meet, and the fragment "
        + "carries [overrides](#overrides-in-the-fragment). The page removes the token from the browser's address bar"
    ) { endpoints, call throws(Refusal) in try endpoints.meetingPage(call) }
  ]

  private static let serveFile = Handler { endpoints, call throws(Refusal) in
    try endpoints.file(call.request.path.split(separator: "/").joined(separator: "/"), call.request)
  }

  private static let createSession = Handler { endpoints, call async throws(Refusal) in
    try await endpoints.openTok.createSession(call.request)
  }
}

extension Route where Handler == Endpoints.Handler {
  /// A route of the public port.
  fileprivate init(
    _ methods: String, _ path: String, crossOrigin: CrossOrigin = .ownOrigin, rate: Rate = .free,
    bodyLimit: Int = 256 << 10, refusals: Refusals = .parley, _ summary: String? = nil,
    run: @escaping @Sendable (Endpoints, Endpoints.Call) async throws(Refusal) -> HTTPResponse
  ) {
    self.init(
      methods, path, crossOrigin: crossOrigin, rate: rate, bodyLimit: bodyLimit, refusals: refusals, summary,
      handler: Endpoints.Handler(run: run))
  }
}
