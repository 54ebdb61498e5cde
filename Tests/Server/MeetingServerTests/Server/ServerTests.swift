import Basics
import Foundation
import Meetings
import Signaling
import TestSupport
import Testing
import Transport

@testable import MeetingServer

@Suite("The server as a whole", .serialized)
struct ServerTests {
  @Test("on shutdown every client is told, then sockets, media and store are closed")
  func shutdown() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann")
      let silent = try await server.connect()
      async let stopped: Void = server.server.shutdown(grace: .seconds(2))
      let ended = try await ann.first { if case .ended(let why, _) = $0 { why } else { nil } }
      #expect(ended == .shutdown)
      #expect(try await ann.next() == nil)
      #expect(await ann.socket.closed().code == 1_001)
      #expect(try await silent.next() == nil)
      await stopped
      let calls = await server.media.calls
      #expect(calls.contains(.leave(hello.participant)))
      #expect(calls.last == .shutdown)
      await #expect(throws: (any Error).self) { try await server.get("/healthz") }
    }
  }

  @Test("a used port, a read-only folder, a missing client folder each say what to do")
  func refusals() async throws {
    try await TestServer.run { server in
      func start(_ change: (inout ServerConfiguration) -> Void) async -> String {
        var configuration = ServerConfiguration(workers: 1)
        configuration.port = 0
        configuration.dataFolder = server.folder + "/other"
        configuration.webFolder = server.folder + "/web"
        change(&configuration)
        do {
          let other = try await Server.start(
            configuration, media: TestMediaPlane(), program: "", log: Log(level: .error) { _ in })
          await other.shutdown(grace: .zero)
          return "started"
        } catch { return "\(error)" }
      }
      #expect(await start { $0.port = server.server.port }.contains("in use"))
      #expect(await start { $0.port = server.server.port }.contains("--port"))
      #expect(await start { $0.adminPort = server.server.adminPort }.contains("--admin-port"))
      #expect(await start { $0.dataFolder = "/proc/nowhere" }.contains("--data"))
      #expect(await start { $0.webFolder = "/nowhere" }.contains("--web"))
      #expect(await start { $0.publicURL = "https://a.example/path" }.contains("--public-url"))
      #expect(await start { $0.tls = .files(certificate: "/nowhere", key: "/nowhere") }.contains("/nowhere"))
      #expect(await start { _ in } == "started")
    }
  }

  @Test("a self-made certificate encrypts pages and signalling, and lasts over a restart")
  func selfSigned() async throws {
    try await TestServer.run({ $0.tls = .selfSigned }) { server in
      let url = "https://localhost:\(server.server.port)"
      #expect(server.server.ready.url == url)
      let page = try await HTTPClient.request("GET", url + "/", allowsSelfSigned: true)
      #expect(page.text == "start")
      let answer = try await HTTPClient.request("GET", url + "/discover/daily", allowsSelfSigned: true)
      let document = try SignalingDecoder().decode(DiscoverDocument.self, from: answer.body)
      #expect(document.signaling == "wss://localhost:\(server.server.port)/signal")
      let client = TestClient(try await WebSocketClient.connect(document.signaling, allowsSelfSigned: true))
      try client.send(.join(.init(token: document.token ?? "", name: "Ann", offer: "", tracks: [])))
      guard case .welcome = try await client.next() else { throw Unexpected(text: "no welcome") }
      await client.close()
      let path = server.folder + "/data/tls-certificate.pem"
      let before = try String(contentsOfFile: path, encoding: .utf8)
      let hosts = ["localhost"]
      #expect(try TLSIdentity.selfSigned(hosts: hosts, directory: server.folder + "/data").certificatePath == path)
      #expect(try String(contentsOfFile: path, encoding: .utf8) == before)
    }
  }
}

@Suite("The parley program", .serialized)
struct ProgramTests {
  /// The program that was built with these tests.
  private var program: URL {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("parley")
  }

  private func run(_ arguments: [String]) throws -> (status: Int32, output: String, error: String) {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    let output = Pipe()
    let error = Pipe()
    process.standardOutput = output
    process.standardError = error
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let complaint = error.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: text, as: UTF8.self), String(decoding: complaint, as: UTF8.self)
    )
  }

  @Test("help and version go to standard output; wrong commands exit with 2 and advice")
  func commandLine() throws {
    #expect(try run(["--help"]).output.contains("serve"))
    #expect(try run(["serve", "--help"]).output.contains("--media-port"))
    #expect(try run(["version"]).output == "parley \(ParleyVersion.current)\n")
    let flag = try run(["serve", "--prot", "1"])
    #expect(flag.status == 2)
    #expect(flag.error.contains("--port"))
    #expect(try run(["serve", "--port", "x"]).status == 2)
    #expect(try run(["dance"]).status == 2)
    let folder = try run(["serve", "--port", "0", "--data", "/proc/nowhere"])
    #expect(folder.status == 1)
    #expect(folder.error.contains("--data"))
  }

  @Test("killed while it writes, the server has lost no meeting that it had answered for")
  func killed() async throws {
    let folder = NSTemporaryDirectory() + "parley-kill-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var answered: [String] = []
    for _ in 0..<3 {
      let process = Process()
      process.executableURL = program
      process.arguments = ["serve", "--port", "0", "--data", folder, "--workers", "1", "--media-port", "0"]
      process.currentDirectoryURL = Repository.root
      let output = Pipe()
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      try process.run()
      let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      let url = try #require(line.split(separator: " ").last?.split(separator: "\n").first.map(String.init))
      #expect(line.hasPrefix("Parley is ready: http://localhost:"))
      // Several writers at once, so that the end comes in the midst of something.
      let fresh = await withTaskGroup(of: [String].self) { group in
        for _ in 0..<4 {
          group.addTask {
            var rooms: [String] = []
            while let answer = try? await TestServer.request(
              "POST", url + "/GetAdhocMeetingJob", [:], Array("Subject=kill".utf8)), answer.status == 200
            {
              let object = try? JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: String]
              if let room = object?["JoinUrl"]?.split(separator: "/").last { rooms.append(String(room)) }
              if rooms.count == 15 { kill(process.processIdentifier, SIGKILL) }
            }
            return rooms
          }
        }
        return await group.reduce(into: []) { $0 += $1 }
      }
      process.waitUntilExit()
      #expect(fresh.count >= 15)
      answered += fresh
    }
    let store = try await SQLiteMeetingStore.open(folder: folder)
    let tenant = try await store.defaultTenant(now: Date())
    for room in answered { #expect(try await store.meeting(room: try RoomName(room), tenant: tenant.id) != nil) }
    #expect(try await store.isIntact())
    await store.close()
  }

  @Test("SIGTERM ends the server with status 0 after its clients were notified")
  func terminate() async throws {
    let folder = NSTemporaryDirectory() + "parley-term-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let process = Process()
    process.executableURL = program
    process.arguments = ["serve", "--port", "0", "--data", folder, "--workers", "1", "--media-port", "0"]
    process.currentDirectoryURL = Repository.root
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let url = try #require(line.split(separator: " ").last?.split(separator: "\n").first.map(String.init))
    #expect(try await TestServer.request("GET", url + "/readyz").status == 200)
    let client = TestClient(
      try await WebSocketClient.connect("ws" + url.dropFirst(4) + "/signal"))
    process.terminate()
    #expect(try await client.next() == nil)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(process.terminationReason == .exit)
  }
}
