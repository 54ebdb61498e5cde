import Glibc
import Transport

/// Answers requests of the administration port, which is a listener of its own, on loopback unless told otherwise.
struct AdminEndpoints: Sendable {
  let counters: ServerCounters
  let directory: MeetingDirectory
  let media: any MediaPlane
  let isReady: @Sendable () -> Bool

  /// The answer to a request.
  func respond(to request: HTTPRequest) async -> HTTPResponse {
    guard request.method == "GET" || request.method == "HEAD" else {
      return .refusal(Refusal(405, "methodNotAllowed", "This address can only be read."))
    }
    switch request.path {
    case "/metrics":
      return .text(await metrics(), contentType: "text/plain; version=0.0.4; charset=utf-8")
    case "/healthz": return .text("ok\n")
    case "/readyz": return isReady() ? .text("ready\n") : .text("not ready\n", status: 503)
    default: return .refusal(Refusal(404, "notFound", "This port serves /metrics, /healthz and /readyz."))
    }
  }

  private func metrics() async -> String {
    let gauges: [(String, String, Int)] = [
      ("parley_meetings", "Meetings that run now.", await directory.meetingCount),
      (
        "parley_participants", "Participants now, those whose place is held included.", await directory.participantCount
      ),
      ("process_resident_memory_bytes", "Resident memory.", Self.residentBytes),
    ]
    return counters.text
      + gauges.map { "# HELP \($0) \($1)\n# TYPE \($0) gauge\n\($0) \($2)\n" }.joined()
      + (await media.metrics())
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
