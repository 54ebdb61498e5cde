import Foundation
import Testing

@testable import MessagingClient

@Suite struct StoreTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("store-\(UUID().uuidString)")

  private func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

  @Test func `what waits for a full disk is no more than the state`() {
    let (one, two) = (Array("one".utf8), Array("two".utf8))
    let changes: [StoreChange] = [
      .put("chat-a", one), .append("log-a", one), .put("chat-a", two), .append("log-a", two), .append("log-b", one),
      .replace("log-b", [two]), .append("log-b", one), .put("outbox", one), .remove("outbox"),
    ]
    #expect(
      StoreChange.coalesced(changes) { _ in nil } == [
        .put("chat-a", two), .append("log-a", one), .append("log-a", two), .replace("log-b", [two, one]),
        .remove("outbox"),
      ])
    let many = Array(repeating: StoreChange.append("log-a", one), count: StoreChange.maximumEntries + 1)
    #expect(StoreChange.coalesced(many) { $0 == "log-a" ? [two] : nil } == [.replace("log-a", [two])])
  }

  @Test func `records are sealed, survive a restart, and a cut one takes nothing with it`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (first, second, third) = (Array("first record".utf8), Array("second".utf8), Array("third".utf8))
    let store = try FileStore(folder: folder.path)
    try await store.apply([.put("chat-a", first), .append("log-a", first), .append("log-a", second)])
    try await store.apply([.put("chat-b", first), .put("chat-b", second), .put("outbox", first), .remove("outbox")])
    let file = try Data(contentsOf: url("log-a"))
    #expect(file.range(of: Data("first record".utf8)) == nil)
    try file.dropLast(3).write(to: url("log-a"))

    let reopened = try FileStore(folder: folder.path)
    #expect(try await reopened.names(prefix: "chat-") == ["chat-a", "chat-b"])
    #expect(try await reopened.records(of: "chat-b") == [second])
    #expect(try await reopened.records(of: "outbox").isEmpty)
    #expect(try await reopened.records(of: "log-a") == [first])
    try await reopened.apply([.append("log-a", third)])
    #expect(try await reopened.records(of: "log-a") == [first, third])
    // A record opens under its own name alone.
    try FileManager.default.removeItem(at: url("chat-b"))
    try FileManager.default.copyItem(at: url("chat-a"), to: url("chat-b"))
    #expect(try await reopened.records(of: "chat-b").isEmpty)
    // Records that are put stand for the entries appended with them: a failed append stops both.
    try FileManager.default.createDirectory(at: url("log-c"), withIntermediateDirectories: true)
    await #expect(throws: FileStore.Failure.self) {
      try await reopened.apply([.put("chat-a", second), .append("log-c", first)])
    }
    #expect(try await reopened.records(of: "chat-a") == [first])
    try FileManager.default.removeItem(at: url("log-c"))
    try await reopened.apply([.replace("log-a", [second, first]), .append("log-a", third)])
    #expect(try await reopened.records(of: "log-a") == [second, first, third])
    try await reopened.removeAll()
    #expect(try await reopened.names(prefix: "").filter { $0 != "device.key" }.isEmpty)
  }
}
