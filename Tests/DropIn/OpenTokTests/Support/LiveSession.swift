import Foundation
import MeetingServer
import NetworkGate
import OpenTok
import Parley
import TestTenants
import Testing

/// A server for development on loopback, and a session of it.
final class LiveSession: Sendable {
  let server: Server
  let folder: String
  private let mediaPort: UInt16
  /// A new session's id, of no particular key: `devtoken` opens it.
  let id = "hello-\(UUID().uuidString.prefix(8).lowercased())"

  var url: String { "http://127.0.0.1:\(server.port)" }

  private init(_ server: Server, _ folder: String, _ mediaPort: UInt16) {
    self.server = server
    self.folder = folder
    self.mediaPort = mediaPort
  }

  /// Runs `body` with a fresh server, which the module is pointed at, and shuts it down.
  static func run(
    configure: @Sendable (inout ServerConfiguration) -> Void = { _ in },
    _ body: @MainActor (LiveSession) async throws -> Void
  ) async throws {
    let live = try await start(configure)
    do { try await body(live) } catch {
      await live.stop()
      throw error
    }
    await live.stop()
  }

  /// As ``run(configure:_:)``, with a network that can be cut for who connects through it.
  static func runBehindAGate(
    configure: @Sendable (inout ServerConfiguration) -> Void = { _ in },
    _ body: @MainActor (LiveSession, Gate) async throws -> Void
  ) async throws {
    try await run(configure: configure) { live in
      let gate = try await Gate.open(port: live.server.port, mediaPort: live.mediaPort)
      defer { gate.close() }
      try await body(live, gate)
    }
  }

  private static func start(_ configure: @Sendable (inout ServerConfiguration) -> Void) async throws -> LiveSession {
    let folder = NSTemporaryDirectory() + "opentok-live-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder + "/web", withIntermediateDirectories: true)
    for page in ["index.html", "meeting.html"] {
      try "page".write(toFile: folder + "/web/" + page, atomically: true, encoding: .utf8)
    }
    var configuration = ServerConfiguration(workers: 1)
    configuration.port = 0
    configuration.host = IPAddress(v4: 0x7F00_0001)
    configuration.mediaHosts = [configuration.host]
    configuration.adminPort = nil
    configuration.dataFolder = folder + "/data"
    configuration.webFolder = folder + "/web"
    configuration.logLevel = .error
    configuration.isDevelopment = true
    configure(&configuration)
    try await TestTenants.makeDefault(in: configuration.dataFolder)
    let log = Log(level: .error) { _ in }
    let media = try await SFUMediaPlane.start(configuration, log: log)
    let live = LiveSession(
      try await Server.start(configuration, media: media, program: "", log: log), folder, media.ports[0])
    ParleyServer.url = live.url
    return live
  }

  func stop() async {
    await server.shutdown(grace: .milliseconds(300))
    try? FileManager.default.removeItem(atPath: folder)
  }
}
