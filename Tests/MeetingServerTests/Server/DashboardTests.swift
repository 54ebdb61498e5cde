import Foundation
import Meetings
import Testing

@testable import MeetingServer

@Suite("The dashboard that ships in docs")
struct DashboardTests {
  @Test("it is JSON, and asks only for metrics that the server has")
  func metrics() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: "docs/grafana-dashboard.json"), encoding: .utf8)
    let parsed = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    #expect((parsed?["panels"] as? [Any])?.count ?? 0 > 10)
    let gauges = [
      "parley_meetings", "parley_participants", "parley_webhook_deliveries_pending", "process_resident_memory_bytes",
    ]
    let served = ServerCounters().text + OperationCounters().text + MediaMetrics.text([])
    let known = Set(
      served.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.compactMap { line in
        line.split(separator: " ").dropFirst(2).first.map(String.init)
      } + gauges)
    let asked = Set(text.matches(of: /(?:parley|process)_[a-z0-9_]+/).map { String($0.output) })
    #expect(asked.count > 20)
    #expect(asked.subtracting(known) == [])
  }
}
