import Foundation
import Meetings
import TestSupport
import Testing

@testable import MeetingServer

@Suite("The dashboard that ships in docs")
struct DashboardTests {
  @Test("the dashboard is JSON and asks only for metrics and labels that a server has")
  func metrics() async throws {
    let text = try Repository.text(of: "docs/grafana-dashboard.json")
    let parsed = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    let panels = parsed?["panels"] as? [[String: Any]] ?? []
    #expect(panels.count > 10)
    let queries = panels.flatMap { ($0["targets"] as? [[String: Any]] ?? []).compactMap { $0["expr"] as? String } }
    #expect(queries.count >= panels.count)
    // The media plane of tests has no workers, so theirs come from where they are made.
    var served = MediaMetrics.text([])
    try await TestServer.run { server in
      served += try await TestServer.request("GET", "http://127.0.0.1:\(server.server.adminPort ?? 0)/metrics").text
    }
    let known = Set(
      served.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.compactMap { line in
        line.split(separator: " ").dropFirst(2).first.map(String.init)
      })
    let labels: Set = ["worker", "reason", "limit", "instance", "job", "le"]
    var asked = Set<String>()
    for query in queries {
      let names = Set(query.matches(of: /(?:parley|process)_[a-z0-9_]+/).map { String($0.output) })
      #expect(!names.isEmpty, "\(query)")
      #expect(names.subtracting(known) == [], "\(query)")
      asked.formUnion(names)
      for match in query.matches(of: /by ?\(([a-z, ]*)\)/) {
        #expect(
          Set(match.output.1.split(separator: ",").map { $0.filter { $0 != " " } }).isSubset(of: labels), "\(query)")
      }
    }
    #expect(asked.count > 20)
  }
}
