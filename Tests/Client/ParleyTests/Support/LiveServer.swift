import Basics
import Foundation
import MeetingServer
import Meetings
import Parley
import TestTenants

/// A whole server with a real media plane on loopback, in this process.
final class LiveServer: Sendable {
  let server: Server
  let folder: String
  var url: String { "http://127.0.0.1:\(server.port)" }

  private init(_ server: Server, _ folder: String) {
    self.server = server
    self.folder = folder
  }

  /// Runs `body` with a fresh server and shuts it down.
  static func run(
    port: UInt16 = 0, configure: @Sendable (inout ServerConfiguration) -> Void = { _ in },
    _ body: @MainActor (LiveServer) async throws -> Void
  ) async throws {
    let live = try await start(port: port, configure: configure)
    do {
      try await body(live)
    } catch {
      await live.stop()
      throw error
    }
    await live.stop()
  }

  static func start(
    port: UInt16 = 0, configure: @Sendable (inout ServerConfiguration) -> Void = { _ in }
  ) async throws -> LiveServer {
    let folder = NSTemporaryDirectory() + "parley-live-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder + "/web", withIntermediateDirectories: true)
    for page in ["index.html", "meeting.html"] {
      try "page".write(toFile: folder + "/web/" + page, atomically: true, encoding: .utf8)
    }
    var configuration = ServerConfiguration(workers: 1)
    configuration.port = port
    configuration.host = IPAddress(v4: 0x7F00_0001)
    configuration.mediaHosts = [configuration.host]
    configuration.adminPort = nil
    configuration.dataFolder = folder + "/data"
    configuration.webFolder = folder + "/web"
    configuration.logLevel = .error
    configure(&configuration)
    try await TestTenants.makeDefault(in: configuration.dataFolder)
    let log = Log(level: .error) { _ in }
    let media = try await SFUMediaPlane.start(configuration, log: log)
    return LiveServer(try await Server.start(configuration, media: media, program: "", log: log), folder)
  }

  /// Changes the rules of the default tenant, for meetings that begin from now on.
  func setPolicy(_ change: @Sendable (inout TenantPolicy) -> Void) async throws {
    let store = try await MeetingStores.open(folder: folder + "/data")
    let tenant = try await store.defaultTenant(now: Date())
    var policy = tenant.policy
    change(&policy)
    _ = try await store.transaction { [policy] in try $0.changePolicy(of: tenant.id) { $0 = policy } }
    await store.close()
  }

  func stop() async {
    await server.shutdown(grace: .milliseconds(300))
    try? FileManager.default.removeItem(atPath: folder)
  }
}
