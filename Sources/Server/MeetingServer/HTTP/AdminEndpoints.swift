import Glibc
import Transport

/// Answers requests of the admin port, a listener of its own, which is on loopback by default.
struct AdminEndpoints: Sendable {
  let counters: ServerCounters
  let directory: MeetingDirectory
  let mailboxes: MailboxHub
  let media: any MediaPlane
  let isReady: @Sendable () -> Bool
  let api: AdminAPI
  let pages: AdminPages

  /// The answer to a request.
  func respond(to request: HTTPRequest) async -> HTTPResponse {
    var response = await answer(request)
    for (name, value) in SecurityHeaders.all { response.headers[name] = value }
    return response
  }

  private typealias Handler = @Sendable (AdminEndpoints, HTTPRequest) async -> HTTPResponse

  /// Every address of the port, but for those of the interface below `/api/v1`, which ``AdminAPI`` has.
  private static let routes = RouteTable<Handler>([
    Route("GET HEAD", "/") { _, _ in toPages },
    Route("GET HEAD", "/healthz") { _, _ in .text("ok\n") },
    Route("GET HEAD", "/readyz") { endpoints, _ in
      endpoints.isReady() ? .text("ready\n") : .text("not ready\n", status: 503)
    },
    Route("GET HEAD", "/metrics") { endpoints, request in
      if let refusal = endpoints.api.refusal(ofReading: request) { return refusal }
      return .text(await endpoints.metrics(), contentType: "text/plain; version=0.0.4; charset=utf-8")
    },
    Route("GET HEAD", "/api/openapi.json") { endpoints, request in
      endpoints.pages.file("openapi.json", request) ?? nothing
    },
    Route("GET HEAD", "/admin") { endpoints, request in endpoints.pages.answer(request) ?? nothing },
    Route("GET HEAD", "/admin/…") { endpoints, request in
      request.path == "/admin/" ? toPages : endpoints.pages.answer(request) ?? nothing
    },
  ])

  /// The paths of the port, without the interface's.
  static var paths: [String] { routes.all.map(\.path) }

  private func answer(_ request: HTTPRequest) async -> HTTPResponse {
    if request.path.hasPrefix("/api/v1/") { return await api.respond(to: request) }
    guard request.method == "GET" || request.method == "HEAD" else {
      return .refusal(.methodNotAllowed(["GET", "HEAD"]))
    }
    if let refusal = refusal(ofHost: request) { return refusal }
    // A slash at the end makes another address here.
    let path = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    guard case .found(let route, _) = Self.routes.find(request.method, request.path == "/" ? [] : Array(path)) else {
      return Self.nothing
    }
    return await route.handler(self, request)
  }

  /// The refusal of a request with a foreign `Host`; nil for our own names. Not for probes, nor for metrics with a
  /// token.
  private func refusal(ofHost request: HTTPRequest) -> HTTPResponse? {
    if ["/healthz", "/readyz", "/metrics"].contains(request.path) { return nil }
    do throws(Refusal) {
      try api.gate.checkHost(request)
      return nil
    } catch {
      return .refusal(error)
    }
  }

  private static let toPages = HTTPResponse(status: 302, headers: ["Location": "/admin"])

  private static let nothing = HTTPResponse.refusal(
    Refusal(404, "notFound", "This port serves /metrics, /healthz, /readyz, /admin and /api."))

  private func metrics() async -> String {
    let gauges: [(String, String, Int)] = [
      ("parley_meetings", "Meetings that run now.", await directory.meetingCount),
      (
        "parley_participants", "Participants now, those whose place is held included.", await directory.participantCount
      ),
      ("parley_webhook_deliveries_pending", "Events that wait for a webhook.", await pending),
      ("parley_chat_files_stored", "Chat files on the disk, those on the way in included.", await stored.files),
      (
        "parley_chat_stored_bytes", "Bytes of chat files on the disk, or promised to files on the way in.",
        await stored.bytes
      ),
      ("process_resident_memory_bytes", "Resident memory.", Self.residentBytes),
    ]
    return counters.text + api.counters.text
      + gauges.map { "# HELP \($0) \($1)\n# TYPE \($0) gauge\n\($0) \($2)\n" }.joined()
      + (await mailboxes.metrics) + (await media.metrics())
  }

  private var pending: Int { get async { (try? await api.store.pendingDeliveries()) ?? 0 } }

  private var stored: (files: Int, bytes: Int) {
    get async {
      guard let files = directory.files else { return (0, 0) }
      return (await files.count, await files.bytes)
    }
  }

  private static var residentBytes: Int {
    guard let file = fopen("/proc/self/statm", "re") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, 127, file) != nil else { return 0 }
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let fields = text.split(separator: " ")
    return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
