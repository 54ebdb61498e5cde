import Foundation
import Meetings
import TestSupport
import Testing
import Transport

@testable import MeetingServer

@Suite("The socket for commands of this machine", .serialized)
struct ControlSocketTests {
  @Test("threat 34: the control socket is its user's alone, and opens no port")
  func alone() async throws {
    try await TestServer.run({ $0.adminPort = nil }) { server in
      let folder = server.folder + "/data/control"
      func mode(_ path: String) throws -> mode_t {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw Unexpected(text: "nothing is at \(path)") }
        return status.st_mode
      }
      #expect(try mode(folder) == S_IFDIR | 0o700)
      #expect(try mode(folder + "/lock") == S_IFREG | 0o600)
      #expect(try mode(folder + "/socket") == S_IFSOCK | 0o600)
      for (headers, path, status) in [
        ([:], "/api/v1/tenants", 200), (["Origin": "https://evil.example"], "/api/v1/tenants", 403),
        (["Host": "evil.example"], "/api/v1/tenants", 421), ([:], "/metrics", 404), ([:], "/admin", 404),
      ] as [(HTTPHeaders, String, Int)] {
        let url = "http://\(headers["host"] ?? "localhost")\(path)"
        let answer = try await HTTPClient.request("GET", url, headers: headers, socket: folder + "/socket")
        #expect(answer.status == status, "\(headers) \(path)")
      }
      // Another one on the folder finds it open to everybody, and a killed server's socket in its place.
      await server.server.shutdown(grace: .milliseconds(200))
      chmod(folder, 0o755)
      #expect(FileManager.default.createFile(atPath: folder + "/socket", contents: nil))
      let socket = await open(server)
      #expect(try mode(folder) == S_IFDIR | 0o700)
      #expect(try mode(folder + "/socket") == S_IFSOCK | 0o600)
      await socket.close()
      #expect(throws: Unexpected.self) { try mode(folder + "/socket") }
    }
  }

  @Test("its actions are in the audit log as those of the command line")
  func actor() async throws {
    try await TestServer.run { server in
      try await server.makeMeeting("board")
      let running = try #require(RunningServer.find(dataFolder: server.folder + "/data"))
      let (ann, welcome) = try await server.join("board", "Ann")
      let id = try #require(await running.meetings().first)
      let answer = try await running.ask("DELETE", "meetings/\(id)/participants/\(welcome.participant)", by: "cli ann")
      #expect(answer.status == 204)
      // A caller with another name is the command line all the same.
      #expect(try await running.ask("DELETE", "meetings/\(id)", by: "admin at 192.0.2.1").status == 204)
      let store = try await server.store()
      let entries = try await store.auditLog(tenant: nil, before: nil, limit: 10)
      await store.close()
      #expect(entries.map(\.actor) == ["cli", "cli ann"])
      #expect(entries.map(\.action) == ["meeting.remove", "participant.remove"])
      await ann.close()
    }
  }

  @Test("of two servers on one folder the first gets commands, the second after its end")
  func two() async throws {
    try await TestServer.run { server in
      let folder = server.folder + "/data"
      let log = TestServer.LogLines()
      let second = await open(server, log)
      #expect(log.text.contains("control.taken") && !log.text.contains("control.opened"))
      let running = try #require(RunningServer.find(dataFolder: folder))
      #expect(try await running.ask("GET", "tenants", by: "cli ann").status == 200)
      await server.server.shutdown(grace: .milliseconds(200))
      try await eventually { log.text.contains("control.opened") ? nil : "the second server's socket is not open" }
      let next = try #require(RunningServer.find(dataFolder: folder))
      #expect(try await next.ask("GET", "nothing", by: "cli ann").status == 404)
      await second.close()
      #expect(RunningServer.find(dataFolder: folder) == nil)
      await #expect(throws: RunningServer.Unreachable.self) { _ = try await next.ask("GET", "tenants", by: "cli ann") }
      // A server that waits for the socket can be closed as well.
      let holder = try ControlFolder(data: folder).lock()
      await open(server, log).close()
      ControlFolder(data: folder).release(holder)
    }
  }

  @Test("a data folder with too long a path for a socket is reported on both sides")
  func tooLong() async throws {
    try await TestServer.run { server in
      let folder = server.folder + "/" + String(repeating: "x", count: 100)
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let log = TestServer.LogLines()
      let socket = await open(server, log, folder: folder)
      #expect(log.text.contains("control.failed") && log.text.contains("may have 107"))
      let running = try #require(RunningServer.find(dataFolder: folder))
      let error = await #expect(throws: RunningServer.Unreachable.self) {
        _ = try await running.ask("GET", "tenants", by: "cli ann")
      }
      #expect(error?.description.contains("may have 107") == true)
      await socket.close()
      #expect(RunningServer.find(dataFolder: folder) == nil)
    }
  }

  @Test("a folder that cannot be had is told as such, and not taken for another server's")
  func refused() async throws {
    try await TestServer.run { server in
      let folder = server.folder + "/file"
      #expect(FileManager.default.createFile(atPath: folder, contents: nil))
      let log = TestServer.LogLines()
      await open(server, log, folder: folder).close()
      #expect(log.text.contains("control.failed") && !log.text.contains("control.taken"))
      #expect(log.text.contains("Not a directory"))
      #expect(RunningServer.find(dataFolder: folder) == nil)
    }
  }

  /// Another control socket next to a server's, with an interface that finds nothing.
  private func open(
    _ server: TestServer, _ log: TestServer.LogLines = .init(), folder: String? = nil
  ) async -> ControlSocket {
    await ControlSocket.open(
      folder: folder ?? server.folder + "/data", log: Log(level: .debug) { log.add($0) }, pause: .milliseconds(20)
    ) { _ in .text("nothing", status: 404) }
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
