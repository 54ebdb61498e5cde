import Foundation

@testable import MeetingServer

extension TestServer {
  /// The files by which a server that is killed leaves its meetings.
  static let leftFiles = ["parley.sqlite-wal", "parley.sqlite", "chat-files"]

  /// Runs `before` on a server, and `after` on another one, with the files that the first would have left if it had
  /// been killed at the end of `before`.
  static func kill(
    _ configure: @escaping (inout ServerConfiguration) -> Void = { _ in },
    after before: (TestServer) async throws -> Void, then after: (TestServer) async throws -> Void
  ) async throws {
    let left = NSTemporaryDirectory() + "parley-left-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: left) }
    try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
    try await run(configure) { server in
      try await before(server)
      for name in leftFiles {
        let path = server.folder + "/data/" + name
        guard FileManager.default.fileExists(atPath: path) else { continue }
        try FileManager.default.copyItem(atPath: path, toPath: left + "/" + name)
      }
    }
    try await run {
      configure(&$0)
      try? FileManager.default.moveItem(atPath: left, toPath: $0.dataFolder)
    } _: {
      try await after($0)
    }
  }
}
