import Foundation
import Meetings
import Testing

@testable import ParleyCLI

@Suite("Copies on the command line")
struct BackupCommandTests {
  private func problem(_ source: String, beside path: String) async -> String? {
    do {
      try await DataCopy.with(source, nextTo: path) { _ in }
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test("restoring a file that is no copy names it, says what is due, and leaves nothing")
  func noCopy() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "parley-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (source, target) = (folder + "/notes.txt", folder + "/data")
    // An empty file is a database without tables.
    for contents in [Data(repeating: 0x61, count: 10_000), Data()] {
      try contents.write(to: URL(filePath: source))
      let told = try #require(await problem(source, beside: target), "the file is taken")
      #expect(told.hasPrefix("\(source) is no copy of a server's data"), "\(told)")
      #expect(told.contains("`parley backup`") && !told.contains(".restoring"), "\(told)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["notes.txt"])
    }

    let store = try await MeetingStores.open(folder: folder + "/server")
    try await store.backUp(to: folder + "/copy.db", with: CopiedFiles())
    await store.close()
    #expect(await problem(folder + "/copy.db", beside: target) == nil)
  }
}
