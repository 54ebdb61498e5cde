import Foundation
import Meetings
import Testing
import Transport

@testable import MeetingServer

@Suite("The door for commands of this machine", .serialized)
struct ControlDoorTests {
  @Test("threat 34: it answers who knows the secret of the data folder, and nobody else; it is on loopback alone")
  func secret() async throws {
    try await TestServer.run({ $0.adminPort = nil }) { server in
      let folder = server.folder + "/data"
      let file = try #require(ControlFile.read(folder: folder))
      let base = "http://127.0.0.1:\(file.port)"
      for (headers, path, status) in [
        ([:], "/api/v1/tenants", 401), (["Authorization": "Bearer x"], "/api/v1/tenants", 401),
        (["Authorization": "Bearer \(file.secret)", "Origin": "https://evil.example"], "/api/v1/tenants", 403),
        (["Authorization": "Bearer \(file.secret)"], "/api/v1/tenants", 200),
        (["Authorization": "Bearer \(file.secret)"], "/metrics", 404),
      ] as [(HTTPHeaders, String, Int)] {
        #expect(try await TestServer.request("GET", base + path, headers).status == status, "\(headers) \(path)")
      }
      // Another machine finds no port there.
      let others = try LocalAddresses.all().filter { !$0.isLoopback && $0.isIPv4 }
      for address in others {
        await #expect(throws: TransportError.self) {
          _ = try await HTTPClient.request("GET", "http://\(address.text):\(file.port)/api/v1/tenants")
        }
      }
      let mode = try FileManager.default.attributesOfItem(atPath: folder + "/" + ControlFile.name)[.posixPermissions]
      #expect(mode as? Int == 0o600)
      #expect(!server.logged.text.contains(file.secret))
    }
  }

  @Test("what is done by it stands in the audit log as done on the command line")
  func actor() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board")
      let running = try #require(RunningServer.find(dataFolder: server.folder + "/data"))
      let (ann, welcome) = try await server.join("board", "Ann")
      let id = try #require(await running.meetings().first)
      let answer = try await running.ask("DELETE", "meetings/\(id)/participants/\(welcome.participant)", by: "cli ann")
      #expect(answer.status == 204)
      // Whoever says something else is the command line all the same.
      #expect(try await running.ask("DELETE", "meetings/\(id)", by: "admin at 192.0.2.1").status == 204)
      let store = try await server.store()
      let entries = try await store.auditLog(tenant: nil, before: nil, limit: 10)
      await store.close()
      #expect(entries.map(\.actor) == ["cli", "cli ann"])
      #expect(entries.map(\.action) == ["meeting.remove", "participant.remove"])
      await ann.close()
    }
  }

  @Test("of two servers on one folder the first hears the commands, and once it has ended nobody does")
  func two() async throws {
    var kept: RunningServer?
    try await TestServer.run { server in
      let folder = server.folder + "/data"
      let first = try #require(ControlFile.read(folder: folder))
      let log = TestServer.LogLines()
      let second = await ControlDoor.open(folder: folder, log: Log(level: .debug) { log.add($0) }) { _ in
        Issue.record("the second server opened a door")
        preconditionFailure("no door was to be opened")
      }
      #expect(second == nil)
      #expect(log.text.contains("control.taken"))
      #expect(ControlFile.read(folder: folder) == first)
      kept = RunningServer.find(dataFolder: folder)
      await server.server.shutdown(grace: .milliseconds(200))
      #expect(RunningServer.find(dataFolder: folder) == nil)
    }
    let before = try #require(kept)
    await #expect(throws: RunningServer.Unreachable.self) { _ = try await before.ask("GET", "tenants", by: "cli ann") }
  }
}

extension RunningServer {
  /// The ids of the meetings that run.
  fileprivate func meetings() async throws -> [String] {
    struct Page: Decodable {
      struct Item: Decodable { var id: String }
      var items: [Item]
    }
    let answer = try await ask("GET", "meetings?running=true", by: "cli ann")
    return try JSONDecoder().decode(Page.self, from: Data(answer.body)).items.map(\.id)
  }
}
