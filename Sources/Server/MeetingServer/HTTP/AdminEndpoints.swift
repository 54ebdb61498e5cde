import Glibc
import Transport

/// Answers requests of the administration port, which is a listener of its own, on loopback unless told otherwise.
struct AdminEndpoints: Sendable {
  let counters: ServerCounters
  let directory: MeetingDirectory
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

  private func answer(_ request: HTTPRequest) async -> HTTPResponse {
    if request.path.hasPrefix("/api/v1/") { return await api.respond(to: request) }
    guard request.method == "GET" || request.method == "HEAD" else {
      var response = HTTPResponse.refusal(Refusal(405, "methodNotAllowed", "This address can only be read."))
      response.headers["Allow"] = "GET, HEAD"
      return response
    }
    if let refusal = refusal(ofHost: request) { return refusal }
    switch request.path {
    case "/healthz": return .text("ok\n")
    case "/readyz": return isReady() ? .text("ready\n") : .text("not ready\n", status: 503)
    case "/metrics":
      if let refusal = api.refusal(ofReading: request) { return refusal }
      return .text(await metrics(), contentType: "text/plain; version=0.0.4; charset=utf-8")
    case "/", "/admin/": return HTTPResponse(status: 302, headers: ["Location": "/admin"])
    case "/api/openapi.json": return pages.file("openapi.json", request) ?? Self.nothing
    case "/admin": return pages.answer(request) ?? Self.nothing
    case let path where path.hasPrefix("/admin/"): return pages.answer(request) ?? Self.nothing
    default: return Self.nothing
    }
  }

  /// The answer to a request under a stranger's name; nil where the name is ours. Probes say nothing, and metrics may have a token instead.
  private func refusal(ofHost request: HTTPRequest) -> HTTPResponse? {
    if ["/healthz", "/readyz", "/metrics"].contains(request.path) { return nil }
    do throws(Refusal) {
      try api.gate.checkHost(request)
      return nil
    } catch {
      return .refusal(error)
    }
  }

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
      + (await media.metrics())
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
