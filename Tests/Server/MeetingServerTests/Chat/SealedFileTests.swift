import Foundation
import Signaling
import TestSupport
import Testing
import Transport

@testable import MeetingServer

/// Files of encrypted meetings, as their server handles them: ciphertext without a name.
@Suite("Files in encrypted meetings", .serialized)
struct SealedFileTests {
  private func post(
    _ server: TestServer, _ path: String, token: String, _ body: [UInt8], _ more: [String: String] = [:]
  )
    async throws -> TestAnswer
  {
    var headers: HTTPHeaders = ["Authorization": "Bearer \(token)"]
    for (name, value) in more { headers[name] = value }
    return try await TestServer.request("POST", server.url + "/api/chat/files" + path, headers, body)
  }

  private func upload(_ server: TestServer, _ bytes: [UInt8], token: String, to: String? = nil) async throws
    -> ChatFile?
  {
    var headers = ["Parley-File-Name": "salaries.png"]
    if let to { headers["Parley-File-To"] = to }
    let answer = try await post(server, "", token: token, bytes, headers)
    return try? SignalingDecoder().decode([String: ChatFile].self, from: answer.body)["file"]
  }

  private func announce(_ server: TestServer, _ id: String, token: String, _ text: String) async throws -> TestAnswer {
    let body = Array(#"{"text":"\#(text)"}"#.utf8)
    return try await post(server, "/\(id)", token: token, body, ["Content-Type": "application/json"])
  }

  private func stored(_ server: TestServer) -> [String] {
    let all = FileManager.default.enumerator(atPath: server.folder + "/data/chat-files")
    return (all?.compactMap { $0 as? String } ?? []).filter { $0.contains("/f_") }
  }

  @Test("threat 61: an upload has a neutral name and type, and comes by a sealed message")
  func sealed() async throws {
    try await TestServer.run({ $0.chatFiles.file = 1 << 20 }) { server in
      let (_, ann) = try await server.join("daily", "Ann", e2ee: true)
      let (ben, benWelcome) = try await server.join("daily", "Ben", e2ee: true)
      // It begins as a picture, which the server doesn't look for.
      let bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 3, count: 500)
      let file = try #require(try await upload(server, bytes, token: ann.resumeToken))
      #expect(file.name == "file" && file.type == ChatFile.unknownType && file.size == bytes.count)
      // Nobody can fetch it before, and nobody else can send its message.
      let token: HTTPHeaders = ["Authorization": "Bearer \(benWelcome.resumeToken)"]
      #expect(try await server.get("/api/chat/files/\(file.id)", headers: token).status == 404)
      #expect(try await announce(server, file.id, token: benWelcome.resumeToken, "c2VhbGVk").status == 404)
      for text in ["", "no base64!", String(repeating: "A", count: 3_000)] {
        #expect(try await announce(server, file.id, token: ann.resumeToken, text).status == 400)
      }
      #expect(try await announce(server, file.id, token: ann.resumeToken, "c2VhbGVk").status == 201)
      #expect(try await announce(server, file.id, token: ann.resumeToken, "c2VhbGVk").status == 404, "once")
      let entry = try await ben.first { if case .chat(let entry) = $0 { entry } else { nil } }
      #expect(entry.text == "c2VhbGVk" && entry.file == file && entry.from == ann.participant)
      let answer = try await server.get("/api/chat/files/\(file.id)", headers: token)
      #expect(answer.body == bytes && answer.headers["content-type"] == ChatFile.unknownType)
      #expect(answer.headers["content-disposition"]?.hasPrefix("attachment; filename=\"file\"") == true)

      // The limit is that of the content; a sealed one is a little longer.
      let longest = EncryptionLimits.sealedFileBytes(of: 1 << 20)
      #expect(longest == (1 << 20) + 16 * 16)
      #expect(try await upload(server, [UInt8](repeating: 1, count: longest), token: ann.resumeToken) != nil)
      #expect(
        try await post(server, "", token: ann.resumeToken, [UInt8](repeating: 1, count: longest + 1)).status == 413)
    }
  }

  @Test("files whose message never comes are few, and go with their sender")
  func held() async throws {
    try await TestServer.run { server in
      let (ann, welcome) = try await server.join("daily", "Ann", e2ee: true)
      let (_, _) = try await server.join("daily", "Ben", e2ee: true)
      for _ in 0..<ParticipantChat.maximumUploads {
        #expect(try await upload(server, [1, 2, 3], token: welcome.resumeToken) != nil)
      }
      #expect(try await post(server, "", token: welcome.resumeToken, [1]).status == 429)
      #expect(stored(server).count == ParticipantChat.maximumUploads)
      try ann.send(.leave)
      try await eventually { stored(server).isEmpty ? nil : "left behind: \(stored(server))" }
    }
  }

  @Test("a file waits for its message for a minute, even if its sender sends nothing more")
  func holding() throws {
    let room = try EncryptedRoom(isEncrypted: true)
    try room.join("ann", e2ee: true)
    func hold(_ id: String) throws {
      let file = ChatFile(id: id, name: "file", type: ChatFile.unknownType, size: 1)
      try room.request { try $0.holdFile(file, of: "ann", to: nil, origin: nil) }
    }
    func announce(_ id: String) -> Bool {
      let sent = try? room.request { try $0.addHeldFile(id, text: "c2VhbGVk", of: "ann", origin: nil) }
      return sent?.entry.file?.id == id
    }
    try hold("f_1")
    room.pass(.seconds(30))
    try hold("f_2")
    room.pass(.seconds(29))
    #expect(announce("f_1") && room.removedFiles.isEmpty)
    room.pass(.seconds(31))
    #expect(room.removedFiles == ["f_2"] && !announce("f_2"))
    #expect(room.machine.roster["ann"]?.chatting.heldFiles.isEmpty == true)
  }

  @Test("threat 62: an encrypted meeting's poll comes sealed; its audit entry shows none")
  func polls() throws {
    let sealed = PollDraft(question: String(repeating: "A", count: 8_000), options: ["1", "2"])
    var polls = PollTable()
    #expect(throws: PollTable.Refusal.badQuestion) { _ = try polls.create(sealed) }
    let id = try polls.create(sealed, isSealed: true)
    #expect(polls.info(id, moderates: false)?.question == sealed.question)
    for question in ["Lunch at twelve?", "", String(repeating: "A", count: 9_000)] {
      #expect(throws: PollTable.Refusal.notSealed) {
        _ = try polls.create(PollDraft(question: question, options: ["1", "2"]), isSealed: true)
      }
    }
    let room = try EncryptedRoom(isEncrypted: true)
    let ann = try room.join("ann", e2ee: true, role: .organizer)
    room.send(
      .room(.createPoll(PollDraft(question: "c2VhbGVkIHdvcmRz", options: ["1", "2"])), id: 1), from: ann, id: 1)
    let questions = ann.drain().compactMap { if case .room(.poll(let poll)) = $0 { poll.question } else { nil } }
    #expect(questions == ["c2VhbGVkIHdvcmRz"])
    #expect(room.records.contains { $0.contains("createPoll") })
    #expect(!room.records.contains { $0.contains("createPoll") && $0.contains("c2VhbGVkIHdvcmRz") })
  }
}
