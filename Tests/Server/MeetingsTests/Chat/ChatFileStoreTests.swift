import Basics
import Foundation
import Glibc
import TestTenants
import Testing

@testable import Meetings

@Suite("Files of chats")
struct ChatFileStoreTests {
  private let meeting = MeetingID(rawValue: "m_a")
  private let tenant = TenantID(rawValue: "t_a")

  private func inFolder(_ body: (String) async throws -> Void) async throws {
    let folder = NSTemporaryDirectory() + "parley-files-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(folder)
  }

  /// Everything below the folder, locks left out.
  private func files(_ folder: String) -> [String] {
    let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return all.filter { !$0.hasSuffix(".lock") && $0.contains("/f_") }
  }

  private func refusal(_ body: () async throws(ChatFileRefusal) -> Void) async -> ChatFileRefusal? {
    do throws(ChatFileRefusal) {
      try await body()
      return nil
    } catch {
      return error
    }
  }

  @Test("stored and arriving bytes count against the shares of meeting and tenant")
  func limits() async throws {
    try await inFolder { folder in
      var limits = ChatFileStore.Limits()
      (limits.file, limits.meeting, limits.tenant) = (100, 150, 220)
      let store = ChatFileStore(data: folder, limits: limits)
      let other = MeetingID(rawValue: "m_b")
      let (meeting, tenant) = (meeting, tenant)
      func begin(_ bytes: Int, _ meeting: MeetingID, limit: Int? = nil) async -> ChatFileRefusal? {
        await refusal { () throws(ChatFileRefusal) in
          _ = try await store.beginUpload(bytes: bytes, meeting: meeting, tenant: tenant, fileLimit: limit)
        }
      }
      func whole(_ bytes: Int, _ meeting: MeetingID) async throws {
        let id = try await store.beginUpload(bytes: bytes, meeting: meeting, tenant: tenant)
        try await store.append([UInt8](repeating: 1, count: bytes), to: id)
        _ = try await store.finish(id)
      }
      #expect(await begin(101, meeting) == .tooLarge(limit: 100))
      #expect(await begin(60, meeting, limit: 50) == .tooLarge(limit: 50))
      #expect(await begin(1, meeting, limit: 0) == .off)
      #expect(await begin(0, meeting) == .empty)
      try await whole(100, meeting)
      #expect(await begin(51, meeting) == .meetingFull(limit: 150))
      try await whole(100, other)
      #expect(await begin(21, other) == .tenantFull(limit: 220))
      #expect(await store.bytes == 200)
      // Two who were promised the last room: the later one is refused in the middle, and leaves nothing behind.
      let first = try await store.beginUpload(bytes: 12, meeting: meeting, tenant: tenant)
      let second = try await store.beginUpload(bytes: 12, meeting: other, tenant: tenant)
      try await store.append([UInt8](repeating: 1, count: 12), to: first)
      let refused = await refusal { () throws(ChatFileRefusal) in
        try await store.append([UInt8](repeating: 1, count: 12), to: second)
      }
      #expect(refused == .tenantFull(limit: 220))
      #expect(await store.bytes == 212 && files(folder).count == 3)
      await store.removeAll(of: meeting)
      #expect(await store.bytes == 100)
      #expect(await begin(50, meeting) == nil)
      await store.close()
      #expect(files(folder).isEmpty)
      #expect(await begin(1, meeting) == .closed)
    }
  }

  @Test("threat 42: promises take no stored space, and have limits by meeting and tenant")
  func promises() async throws {
    try await inFolder { folder in
      var limits = ChatFileStore.Limits()
      (limits.file, limits.meeting, limits.tenant) = (100, 300, 1_000)
      (limits.promised, limits.promisedInNetwork) = (1_000, 500)
      let store = ChatFileStore(data: folder, limits: limits)
      let tenant = tenant
      func begin(_ bytes: Int, _ meeting: Int, from network: UInt32? = nil) async -> ChatFileRefusal? {
        await refusal { () throws(ChatFileRefusal) in
          _ = try await store.beginUpload(
            bytes: bytes, meeting: MeetingID(rawValue: "m_\(meeting)"), tenant: tenant,
            from: network.map { IPAddress(v4: $0) })
        }
      }
      // One network, in as many meetings as it likes.
      for meeting in 0..<5 { #expect(await begin(100, meeting, from: 1) == nil) }
      let refused = await begin(1, 5, from: 1)
      #expect(refused == .tooManyOnTheWay(limit: 500) && refused?.description.contains("chatUploads") == true)
      // One meeting, from as many networks as there are.
      for network in 10..<12 { #expect(await begin(100, 0, from: UInt32(network)) == nil) }
      #expect(await begin(100, 0, from: 12) == .tooManyOnTheWay(limit: 300))
      // All of a tenant, but for meetings in which nothing is on its way.
      #expect(await begin(51, 1, from: 13) == .tooManyOnTheWay(limit: 1_000))
      #expect(await begin(50, 1, from: 13) == nil)
      #expect(await begin(100, 20, from: 14) == nil)
      #expect(await begin(100, 21, from: 15) == nil)
      #expect(await store.bytes == 0)
      #expect(await store.promisedBytes == 950)
      // Nothing of that is stored, so a small file finds its room.
      let id = try await store.beginUpload(bytes: 50, meeting: MeetingID(rawValue: "m_22"), tenant: tenant)
      #expect(await begin(1, 23) == .tooManyOnTheWay(limit: 1_000))
      try await store.append([UInt8](repeating: 1, count: 50), to: id)
      #expect(try await store.finish(id).size == 50)
      // Bytes that have come are promised no more.
      #expect(await store.promisedBytes == 950)
      #expect(await begin(50, 24) == nil)
      await store.close()
    }
  }

  @Test("a full disk in the middle of a file is said, and leaves nothing behind")
  func fullDisk() async throws {
    try await inFolder { folder in
      let store = ChatFileStore(data: folder, limits: .init()) { descriptor, bytes in
        var info = stat()
        guard fstat(descriptor, &info) == 0, info.st_size < 1_000 else {
          errno = ENOSPC
          return -1
        }
        return bytes.prefix(400).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      }
      let id = try await store.beginUpload(bytes: 5_000, meeting: meeting, tenant: tenant)
      #expect(files(folder).count == 1)
      let failure = await refusal { () throws(ChatFileRefusal) in
        try await store.append([UInt8](repeating: 7, count: 5_000), to: id)
      }
      #expect(failure == .diskFull)
      #expect(files(folder).isEmpty)
      #expect(await store.bytes == 0)
      #expect(ChatFileRefusal.diskFull.description.contains("full"))
      var limits = ChatFileStore.Limits()
      limits.spare = .max / 2
      let wary = ChatFileStore(data: folder, limits: limits)
      let early = await refusal { () throws(ChatFileRefusal) in
        _ = try await wary.beginUpload(bytes: 1, meeting: MeetingID(rawValue: "m"), tenant: TenantID(rawValue: "t"))
      }
      #expect(early == .diskFull)
      await store.close()
      await wary.close()
    }
  }

  @Test("only a whole file can be read, and only under its own meeting")
  func reading() async throws {
    try await inFolder { folder in
      let store = ChatFileStore(data: folder)
      let id = try await store.beginUpload(bytes: 4, meeting: meeting, tenant: tenant)
      try await store.append(Array("ab".utf8), to: id)
      #expect(await store.path(of: id, in: meeting) == nil)
      try await store.append(Array("cd".utf8), to: id)
      #expect(try await store.finish(id) == .init(id: id, type: "text/plain", size: 4))
      let path = try #require(await store.path(of: id, in: meeting))
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "abcd")
      #expect(await store.path(of: id, in: MeetingID(rawValue: "m_b")) == nil)
      #expect(await store.path(of: "../" + id, in: meeting) == nil)
      let short = try await store.beginUpload(bytes: 4, meeting: meeting, tenant: tenant)
      try await store.append([1], to: short)
      let failure = await refusal { () throws(ChatFileRefusal) in _ = try await store.finish(short) }
      #expect(failure == .incomplete)
      #expect(files(folder).count == 1)
      await store.close()
    }
  }

  @Test("a killed process's files are removed by the next one, a running one's stay")
  func sweeping() async throws {
    try await inFolder { folder in
      let root = folder + "/chat-files"
      try FileManager.default.createDirectory(atPath: root + "/dead", withIntermediateDirectories: true)
      try Data().write(to: URL(filePath: root + "/dead.lock"))
      try Data([1, 2]).write(to: URL(filePath: root + "/dead/f_half"))
      try FileManager.default.createDirectory(atPath: root + "/lockless", withIntermediateDirectories: true)
      try Data([1, 2]).write(to: URL(filePath: root + "/lockless/f_half"))
      let living = ChatFileStore(data: folder)
      _ = try await living.beginUpload(bytes: 4, meeting: meeting, tenant: tenant)
      #expect(files(folder).count == 3)
      let next = ChatFileStore(data: folder)
      await next.sweep()
      #expect(files(folder).count == 1)
      #expect(try FileManager.default.contentsOfDirectory(atPath: root).count == 2)
      await living.close()
      #expect(!FileManager.default.fileExists(atPath: root))
    }
  }

  @Test(
    "files of kept messages are taken over after a kill, and outlast an empty restart"
  )
  func takingOver() async throws {
    try await inFolder { folder in
      let root = folder + "/chat-files"
      try FileManager.default.createDirectory(atPath: root + "/dead", withIntermediateDirectories: true)
      try Data().write(to: URL(filePath: root + "/dead.lock"))
      for (name, bytes) in [("f_kept", [1, 2, 3]), ("f_half", [1]), ("f_other", [1, 2])] as [(String, [UInt8])] {
        try Data(bytes).write(to: URL(filePath: root + "/dead/" + name))
      }
      let kept = ["f_kept", "f_half"].map { OrphanedMeeting.File(id: $0, tenant: tenant, bytes: 3) }
      let left = [OrphanedMeeting(meeting: meeting, files: kept)]
      for _ in 0..<2 {
        let next = ChatFileStore(data: folder)
        let key = try #require(await next.sweep(keeping: left)[meeting])
        let path = try #require(await next.path(of: "f_kept", in: key))
        #expect(try Data(contentsOf: URL(filePath: path)) == Data([1, 2, 3]))
        #expect(await next.path(of: "f_half", in: key) == nil)
        // They count as those that came to it.
        #expect(await next.bytes == 3)
        #expect(files(folder).count == 1)
        await next.close()
      }
      #expect(files(folder).count == 1)
      let last = ChatFileStore(data: folder)
      let key = try #require(await last.sweep(keeping: left)[meeting])
      await last.resume(key)
      await last.close()
      #expect(!FileManager.default.fileExists(atPath: root))
    }
  }

  @Test("a file's type comes from its content; one that a browser could run has none")
  func types() {
    let cases: [([UInt8], String)] = [
      ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0], "image/png"), ([0xFF, 0xD8, 0xFF, 0xE0], "image/jpeg"),
      (Array("GIF89a".utf8), "image/gif"), (Array("RIFF\0\0\0\0WEBPVP8 ".utf8), "image/webp"),
      (Array("%PDF-1.7".utf8), "application/pdf"), (Array("MZ\0".utf8), "application/x-executable"),
      (Array("plain text, 1 < 2\n".utf8), "text/plain"), (Array("Grüße".utf8), "text/plain"),
      (Array("<html><script>".utf8), FileType.unknown), (Array("  <svg onload=x>".utf8), FileType.unknown),
      (Array("text <!-- -->".utf8), FileType.unknown), (Array("<?xml?>".utf8), FileType.unknown),
      ([0, 1, 2], FileType.unknown), ([0xC3], FileType.unknown), ([], FileType.unknown),
    ]
    for (bytes, type) in cases { #expect(FileType.of(bytes) == type, "\(bytes)") }
    // A character that the examined part cuts in two.
    #expect(FileType.of(Array((String(repeating: "a", count: FileType.examined - 1) + "é").utf8)) == "text/plain")
  }

  @Test("a meeting's chat rules are kept, and writers of a later version are hosts only")
  func policy() async throws {
    let policy = ChatPolicy(
      writers: .hosts, history: false, maximumMessages: 5, maximumAge: .seconds(60), fileLimit: 0)
    #expect(ChatPolicy(stored: policy.stored) == policy)
    #expect(ChatPolicy(stored: "") == ChatPolicy())
    #expect(ChatPolicy(stored: "writers=friends later=1").writers == .hosts)
    #expect(ChatPolicy(writers: .hosts).permissions(.all) == .all)
    #expect(!ChatPolicy(writers: .hosts).permissions([.chat, .subscribe]).contains(.chat))
    try await inFolder { folder in
      let store = try await SQLiteMeetingStore.open(folder: folder)
      let known = try await TestTenants.makeDefault(in: store, now: Date())
      let changed = try await store.changePolicy(of: known.id) { ($0.chat, $0.maximumChatBytes) = (policy, 77) }
      let tenant = try #require(changed)
      #expect(tenant.policy.chat == policy && tenant.policy.maximumChatBytes == 77)
      #expect(try await store.tenant(id: tenant.id)?.policy == tenant.policy)
      let room = try await store.openMeeting(room: try RoomName("daily"), tenant: tenant, now: Date())
      #expect(try await store.meeting(id: room.id)?.chat == policy)
      await store.close()
    }
  }
}
