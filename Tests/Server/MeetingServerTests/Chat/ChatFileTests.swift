import Basics
import Foundation
import Glibc
import Meetings
import Signaling
import TestSupport
import Testing
import Transport

@testable import MeetingServer

@Suite("Files in the chat", .serialized)
struct ChatFileTests {
  private static let picture: [UInt8] =
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 3, count: 500)

  private func send(
    _ server: TestServer, _ bytes: [UInt8], _ name: String = "file.bin", token: String?, to: String? = nil,
    origin: String? = nil
  ) async throws -> (status: Int, code: String, file: ChatFile?, headers: HTTPHeaders) {
    var headers: HTTPHeaders = ["Parley-File-Name": name]
    if let token { headers["Authorization"] = "Bearer \(token)" }
    if let to { headers["Parley-File-To"] = to }
    if let origin { headers["Origin"] = origin }
    let answer = try await TestServer.request("POST", server.url + "/api/chat/files", headers, bytes)
    let entry = try? SignalingDecoder().decode([String: ChatEntry].self, from: answer.body)["message"]
    let code = (try? JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])?["code"] as? String
    return (answer.status, code ?? "", entry?.file, answer.headers)
  }

  private func fetch(_ server: TestServer, _ id: String, token: String?, origin: String? = nil) async throws
    -> TestAnswer
  {
    var headers: HTTPHeaders = [:]
    if let token { headers["Authorization"] = "Bearer \(token)" }
    if let origin { headers["Origin"] = origin }
    return try await server.get("/api/chat/files/\(id)", headers: headers)
  }

  /// The chat files on the server's disk.
  private func stored(_ server: TestServer) -> [String] {
    let all = FileManager.default.enumerator(atPath: server.folder + "/data/chat-files")
    return (all?.compactMap { $0 as? String } ?? []).filter { $0.contains("/f_") }
  }

  @Test("a file reaches everybody as a message, and is served so that no browser runs it")
  func sharing() async throws {
    try await TestServer.run { server in
      let (ann, annWelcome) = try await server.join("daily", "Ann")
      let (_, bobWelcome) = try await server.join("daily", "Bob")
      #expect(annWelcome.meeting.chat?.fileLimit == 25 << 20)
      let sent = try await send(server, Self.picture, "..%2F%E2%80%AEcat.png", token: annWelcome.resumeToken)
      #expect(sent.status == 201)
      let file = try #require(sent.file)
      #expect(file.name == "cat.png" && file.type == "image/png" && file.size == Self.picture.count)
      let entry = try await ann.first { if case .chat(let entry) = $0 { entry } else { nil } }
      #expect(entry.file == file && entry.text == "cat.png")
      let answer = try await fetch(server, file.id, token: bobWelcome.resumeToken)
      #expect(answer.status == 200 && answer.body == Self.picture)
      #expect(answer.headers["content-type"] == "image/png")
      #expect(answer.headers["content-disposition"]?.hasPrefix("inline; filename=\"cat.png\"") == true)
      #expect(answer.headers["x-content-type-options"] == "nosniff")
      #expect(answer.headers["content-security-policy"]?.contains("sandbox") == true)
      #expect(answer.headers["cache-control"] == "private, no-store")
      for (name, content) in [
        ("x.png", "<svg xmlns='x' onload='alert(1)'/>"), ("page.jpg", "<html><script>1</script>"),
      ] {
        let sent = try await send(server, Array(content.utf8), name, token: annWelcome.resumeToken)
        let answer = try await fetch(server, try #require(sent.file).id, token: annWelcome.resumeToken)
        #expect(answer.headers["content-type"] == "application/octet-stream")
        #expect(answer.headers["content-disposition"]?.hasPrefix("attachment") == true)
      }
      // A later participant finds it in the history.
      #expect(try await server.look("daily").chat.first?.file == file)
      let metrics = try await TestServer.request("GET", "http://127.0.0.1:\(server.server.adminPort ?? 0)/metrics").text
      #expect(metrics.contains("\nparley_chat_files_total 3\n") && metrics.contains("\nparley_chat_files_stored 3\n"))
    }
  }

  @Test("a file goes only to those in the meeting, a private one only to its two ends")
  func reading() async throws {
    try await TestServer.run { server in
      let (ann, annWelcome) = try await server.join("daily", "Ann")
      let (bob, bobWelcome) = try await server.join("daily", "Bob")
      let (_, eveWelcome) = try await server.join("daily", "Eve")
      let (_, strangerWelcome) = try await server.join("other", "Stranger")
      let open = try #require(try await send(server, [1, 2], token: annWelcome.resumeToken).file)
      let secret = try #require(
        try await send(server, [1, 2], token: annWelcome.resumeToken, to: bobWelcome.participant).file)
      for (id, token, status) in [
        (open.id, eveWelcome.resumeToken, 200), (secret.id, bobWelcome.resumeToken, 200),
        (secret.id, eveWelcome.resumeToken, 404), (open.id, strangerWelcome.resumeToken, 404),
        (open.id, "nobody", 401), ("f_unknown", annWelcome.resumeToken, 404),
        ("..%2F..%2Fparley.sqlite", annWelcome.resumeToken, 404),
      ] as [(String, String, Int)] {
        #expect(try await fetch(server, id, token: token).status == status, "\(id)")
      }
      #expect(try await fetch(server, open.id, token: nil).status == 401)
      #expect(
        try await fetch(server, open.id, token: annWelcome.resumeToken, origin: "https://evil.example").status == 403)
      try bob.send(.leave)
      while try await bob.next() != nil {}
      try await eventually {
        try await fetch(server, open.id, token: bobWelcome.resumeToken).status == 401
          ? nil : "Bob's token still opens it"
      }
      try await ann.ask(
        .chat(.delete(try #require(try await server.look("daily").chat.first { $0.file == open }).id)))
      #expect(try await fetch(server, open.id, token: annWelcome.resumeToken).status == 404)
      try await eventually { stored(server).count == 1 ? nil : "the deleted file is on the disk: \(stored(server))" }
      #expect(!server.logged.text.contains(annWelcome.resumeToken))
    }
  }

  @Test(
    "threat 42: promised files that don't come hold up only their own share"
  )
  func uploads() async throws {
    try await TestServer.run({
      ($0.chatFiles.file, $0.chatFiles.meeting, $0.chatFiles.promised) = (1 << 20, 2 << 20, 4 << 20)
    }) { server in
      let (_, ann) = try await server.join("daily", "Ann")
      let (_, ben) = try await server.join("other", "Ben")
      let promised = try (0..<2).map { _ in
        let connection = try RawHTTP.connection(to: server.server.port)
        let head =
          "POST /api/chat/files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(ann.resumeToken)\r\n"
          + "Parley-File-Name: a\r\nContent-Length: 1048576\r\n\r\nx"
        #expect(
          Array(head.utf8).withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, 0) } == head.utf8.count)
        return connection
      }
      try await wait(for: "both promises") { stored(server).count == 2 }
      let refused = try await TestServer.request(
        "POST", server.url + "/api/chat/files", ["Authorization": "Bearer \(ann.resumeToken)"], [1, 2, 3])
      let fields = (try? JSONSerialization.jsonObject(with: Data(refused.body)) as? [String: String]) ?? [:]
      #expect(refused.status == 429 && fields["code"] == "tooManyUploads", "\(refused.text)")
      #expect(fields["limit"] == "chatUploads" && fields["setting"] == "fixed", "\(refused.text)")
      // Another meeting's files have their room.
      #expect(try await send(server, Self.picture, token: ben.resumeToken).status == 201)
      for connection in promised { close(connection) }
      try await wait(for: "the end of the promises") { stored(server).count == 1 }
      #expect(try await send(server, Self.picture, token: ann.resumeToken).status == 201)
    }
  }

  @Test("a participant without the permission sends no files, and every limit is named")
  func refusals() async throws {
    try await TestServer.run({
      ($0.chatFiles.file, $0.chatFiles.meeting, $0.chatFiles.tenant) = (1 << 20, 3 << 19, 1 << 30)
    }) { server in
      let (mod, host) = try await server.host("daily", "Mod")
      let (_, guest) = try await server.join("daily", "Ann")
      for (bytes, token, to, status, code) in [
        (10, nil, nil, 401, "badCredential"), (10, "wrong", nil, 401, "badCredential"),
        (10, guest.resumeToken, "p_nobody", 400, "badMessage"),
        ((1 << 20) + 1, guest.resumeToken, nil, 413, "fileTooLarge"),
        (1 << 20, guest.resumeToken, nil, 201, ""), (1 << 20, guest.resumeToken, nil, 409, "meetingFilesFull"),
      ] as [(Int, String?, String?, Int, String)] {
        let answer = try await send(server, [UInt8](repeating: 65, count: bytes), token: token, to: to)
        #expect(answer.status == status && answer.code == code, "\(bytes) \(answer)")
      }
      // Whether the server takes no such file at all, or only this meeting does not.
      try await server.setPolicy { $0.chat = ChatPolicy(fileLimit: 4) }
      let (_, small) = try await server.join("small", "Ann")
      for (bytes, most) in [((1 << 20) + 1, "1 MiB"), (5, "4 bytes")] {
        let large = try await TestServer.request(
          "POST", server.url + "/api/chat/files",
          ["Authorization": "Bearer \(small.resumeToken)"], [UInt8](repeating: 65, count: bytes))
        #expect(large.status == 413 && large["code"] as? String == "fileTooLarge", "\(large.text)")
        #expect(large["limit"] as? String == "chatFileLimit", "\(large.text)")
        #expect(large.text.contains("larger than \(most)"), "\(large.text)")
        #expect((large["setting"] as? String)?.contains("--chat-file-limit") == true, "\(large.text)")
        #expect(large.headers["access-control-allow-origin"] == "*", "pages of other servers are told it too")
      }
      #expect(try await send(server, [1], token: guest.resumeToken, origin: "https://evil.example").status == 403)
      #expect(try await send(server, [], token: guest.resumeToken).status == 411)
      let rights = (guest.permissions ?? []).filter { $0 != "chat" }
      try await mod.ask(.setPermissions(guest.participant, permissions: rights))
      let refused = try await send(server, [1], token: guest.resumeToken)
      #expect(refused.status == 403 && refused.code == "notAllowed")
      try await server.setPolicy { $0.chat = ChatPolicy(fileLimit: 0) }
      let (_, without) = try await server.join("filesoff", "Ann")
      #expect(without.meeting.chat?.fileLimit == 0)
      #expect(try await send(server, [1], token: without.resumeToken).code == "filesOff")
      try await server.setPolicy { ($0.chat, $0.maximumChatBytes) = (ChatPolicy(), 0) }
      let (_, poor) = try await server.join("poor", "Ann")
      let full = try await TestServer.request(
        "POST", server.url + "/api/chat/files", ["Authorization": "Bearer \(poor.resumeToken)"], [1])
      #expect(full.status == 409 && full["code"] as? String == "quotaReached", "\(full.text)")
      #expect(full["limit"] as? String == "maximumChatBytes", "\(full.text)")
      #expect((full["setting"] as? String)?.contains("--max-chat-kib") == true, "\(full.text)")
      let metrics = try await TestServer.request("GET", "http://127.0.0.1:\(server.server.adminPort ?? 0)/metrics").text
      for (name, count) in [("maximumChatBytes", 1), ("chatMeetingLimit", 1), ("chatFileLimit", 3)] {
        #expect(metrics.contains("parley_limited_total{limit=\"\(name)\"} \(count)\n"), "\(name)")
      }
      #expect(try await send(server, [1], token: host.resumeToken).status == 201)
      #expect(stored(server).count == 2)
    }
  }

  @Test("a file whose sender disconnects midway leaves nothing, and the end removes all")
  func leftovers() async throws {
    try await TestServer.run { server in
      let (ann, welcome) = try await server.join("daily", "Ann")
      // Half of what was said.
      let upload = Task {
        try await HTTPClient.request(
          "POST", server.url + "/api/chat/files",
          headers: ["Authorization": "Bearer \(welcome.resumeToken)", "Parley-File-Name": "big"],
          body: [UInt8](repeating: 1, count: 20 << 20), timeout: .seconds(60))
      }
      try await eventually { stored(server).isEmpty ? "no file has begun" : nil }
      upload.cancel()
      _ = try? await upload.value
      try await eventually { stored(server).count <= 1 ? nil : "more than one file" }
      #expect(try await send(server, Self.picture, token: welcome.resumeToken).status == 201)
      try ann.send(.leave)
      while try await ann.next() != nil {}
      try await eventually { stored(server).isEmpty ? nil : "left behind: \(stored(server))" }
    }
  }

  @Test("a large file is taken in pieces: the server's memory does not grow by it")
  func memory() async throws {
    try await TestServer.run({ $0.chatFiles.file = 64 << 20 }) { server in
      let (_, welcome) = try await server.join("daily", "Ann")
      let bytes = [UInt8](repeating: 5, count: 40 << 20)
      let sent = try await send(server, bytes, "big.bin", token: welcome.resumeToken)
      #expect(sent.status == 201 && sent.file?.size == bytes.count)
      let answer = try await fetch(server, try #require(sent.file).id, token: welcome.resumeToken)
      #expect(answer.body.count == bytes.count && answer.body.allSatisfy { $0 == 5 })
    }
  }

  @Test("webhooks are told of a file that everybody sees, and not of a private one")
  func webhook() async throws {
    try await TestServer.run({ $0.webhooks.lookInterval = .milliseconds(200) }) { server in
      let receiver = try WebhookReceiver()
      let store = try await server.store()
      let tenant = try await store.defaultTenant(now: Date())
      _ = try await store.transaction {
        try $0.insert(Webhook(tenant: tenant.id, url: receiver.url, events: [.chatFile], created: Date()))
      }
      await store.close()
      let (_, ann) = try await server.join("daily", "Ann")
      let (_, bob) = try await server.join("daily", "Bob")
      _ = try await send(server, [1], "private.bin", token: ann.resumeToken, to: bob.participant)
      _ = try await send(server, Self.picture, "cat.png", token: ann.resumeToken)
      try await receiver.waits("the file") { !$0.isEmpty }
      let data = receiver.posts.first?.fields["data"] as? [String: Any]
      let file = data?["file"] as? [String: Any]
      #expect(file?["name"] as? String == "cat.png" && file?["type"] as? String == "image/png")
      #expect(receiver.posts.count == 1)
      await receiver.stop()
    }
  }
}
