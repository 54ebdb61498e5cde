import Glibc
import Testing

@testable import MeetingServer

@Suite("The limit of open files")
struct OpenFileLimitTests {
  @Test("it is raised to what the system allows, and the log says so")
  func raising() {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var before = rlimit()
    #expect(getrlimit(resource, &before) == 0)
    defer { _ = setrlimit(resource, &before) }
    // Other tests go on at the same time, so they are left with enough.
    var less = before
    less.rlim_cur = before.rlim_max - 1
    #expect(setrlimit(resource, &less) == 0)
    let lines = TestServer.LogLines()
    let limit = OpenFileLimit.raise(log: Log(level: .info) { lines.add($0) })
    var after = rlimit()
    #expect(getrlimit(resource, &after) == 0)
    #expect(after.rlim_cur == before.rlim_max && limit == UInt64(after.rlim_cur))
    #expect(lines.text.contains("event=openFiles.limit") && lines.text.contains("limit=\(limit)"))
  }
}
