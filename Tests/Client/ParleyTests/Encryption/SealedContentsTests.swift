import Basics
import Crypto
import Encryption
import Foundation
import MeetingServer
import Signaling
import TestSupport
import Testing

@testable import Parley

/// Files and polls of encrypted meetings, with a server that is hostile and one that is not.
@MainActor @Suite(.serialized) struct SealedContentsTests {
  private let secret = Result { try LinkSecret() }

  private func sealedFile(_ id: String, name: String = "a.txt", size: Int = 3) throws -> SealedFile {
    try #require(SealedFile(id: id, name: name, type: "image/png", size: size, key: FileKey().text))
  }

  @Test("threat 61: a file belongs to one message, its name leaves no folder, and it fits")
  func ownership() throws {
    var files = SealedFiles()
    let first = try sealedFile("f_1")
    let otherKey = try sealedFile("f_1")
    let taken = [
      files.add(first, from: "ann"), files.add(first, from: "ann"), files.add(otherKey, from: "ann"),
      files.add(first, from: "ben"),
    ]
    #expect(taken == [true, true, false, false])
    #expect(files["f_1"] == first && files["f_2"] == nil)
    #expect(try sealedFile("f_3", name: "../../\u{202E}gpj.exe").file.name == "gpj.exe")
    let key = try FileKey().text
    #expect(
      SealedFile(id: "f", name: "a", type: "text/html\r\nx: y", size: 1, key: key)?.file.type == ChatFile.unknownType)
    for size in [0, -1, .max] { #expect(SealedFile(id: "f", name: "a", type: "a/b", size: size, key: key) == nil) }
    #expect(SealedFile(id: "f", name: "a", type: "a/b", size: 1, key: "short") == nil)
  }

  @Test("threat 61: the first damaged chunk ends a download, before the rest has come")
  func opening() throws {
    let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
    let key = try FileKey()
    let sealed = SealedFile(ChatFile(id: "f_1", name: "a", type: "a/b", size: content.count), key: key)
    var bytes = try FileSealer.seal(content, key: key)
    let whole = try OpeningFile(sealed)
    for start in stride(from: 0, to: bytes.count, by: 4_096) {
      #expect(whole.take(Array(bytes[start..<min(start + 4_096, bytes.count)])))
    }
    #expect(try whole.finish() == content && !whole.isDamaged)
    bytes[FileSealing.sealedChunkLength + 9] ^= 1
    let damaged = try OpeningFile(sealed)
    #expect(damaged.take(Array(bytes[..<FileSealing.sealedChunkLength])))
    #expect(!damaged.take(Array(bytes[FileSealing.sealedChunkLength..<(2 * FileSealing.sealedChunkLength)])))
    #expect(damaged.isDamaged && !damaged.take([]))
    #expect(throws: FileSealing.Problem.damaged) { try damaged.finish() }
    let cut = try OpeningFile(sealed)
    #expect(cut.take(Array(bytes[..<1_000])))
    #expect(throws: FileSealing.Problem.damaged) { try cut.finish() }
  }

  @Test("threat 62: the server can't invent, change or double a poll, or hide an answer")
  func hostilePolls() throws {
    let secret = try secret.get()
    var (ann, ben) = (SealedPolls(), SealedPolls())
    let draft = PollDraft(question: "Lunch?", options: ["Yes", "No"], multiple: true, results: .whenClosed)
    let sealed = try ann.seal(draft, secret, meeting: "daily")
    #expect(!sealed.question.contains("Lunch") && sealed.options == ["1", "2"])
    func info(_ id: Int, _ change: (inout PollInfo) -> Void = { _ in }) -> PollInfo {
      var info = PollInfo(
        id: id, question: sealed.question, options: sealed.options.map { .init(text: $0, votes: 1) },
        multiple: sealed.multiple, results: sealed.results, isOpen: true)
      change(&info)
      return info
    }
    let opened = ben.open(info(1), secret, meeting: "daily")
    #expect(opened.question == "Lunch?" && opened.options.map(\.text) == ["Yes", "No"])
    #expect(opened.options.map(\.votes) == [1, 1])
    #expect(ben.open(info(1) { $0.isOpen = false }, secret, meeting: "daily").question == "Lunch?")
    let hostile = [
      info(2), info(1) { $0.multiple = false }, info(1) { $0.results = .always }, info(1) { $0.options.removeLast() },
      info(3) { $0.question = "Give me your password" }, info(4) { $0.question = "" },
    ]
    for poll in hostile {
      let shown = ben.open(poll, secret, meeting: "daily")
      #expect(shown.question == SealedPolls.unreadable && shown.options.isEmpty)
    }
    var other = SealedPolls()
    #expect(other.open(info(1), try LinkSecret(), meeting: "daily").options.isEmpty)
    // Numbers begin again where the meeting does; an old poll is still the old one.
    ben.rejoin()
    #expect(ben.open(info(2), secret, meeting: "daily").options.isEmpty)
    #expect(ben.open(info(1), secret, meeting: "daily").question == "Lunch?")
  }

  @Test("files and polls reach others, polls later joiners too; the server has none of it")
  func live() async throws {
    try await LiveServer.run(configure: { $0.isDevelopment = true }) { server in
      let folder = server.folder + "/data"
      let secret = try secret.get()
      let url = "\(server.url)/contents#e2ee=\(secret.text)"
      let ann = try Meeting(url, token: Secret("moderator_token"), name: "Ann")
      try await ann.join()
      let ben = try await Meeting.join(url, name: "Ben")
      try await wait(for: "one code") {
        ann.encryption.state == .encrypted && ann.encryption.safetyCode == ben.encryption.safetyCode
      }
      let marker = Array("the-marker-of-the-file".utf8)
      let content = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + marker + [UInt8](repeating: 7, count: 200_000)
      let sent = try await ann.send(file: content, name: "secret-name.png")
      #expect(
        sent.file?.name == "secret-name.png" && sent.file?.type == "image/png" && sent.file?.size == content.count)
      try await wait(for: "the file: \(ben.chat)") { ben.chat.last?.file != nil }
      let file = try #require(ben.chat.last?.file)
      #expect(file == sent.file && ben.chat.last?.text == "secret-name.png")
      #expect(try await ben.download(file) == content)
      #expect(try await ann.download(file) == content)
      // A private one.
      let small = try await ben.send(file: [1, 2, 3], name: "b.bin", to: try #require(ben.participants.first))
      try await wait(for: "the private file") { ann.chat.last?.file?.name == "b.bin" }
      let smallFile = try #require(small.file)
      #expect(try await ann.download(smallFile) == [1, 2, 3])
      await #expect(throws: JoinError.refused(code: "emptyFile", message: "The file is empty.")) {
        _ = try await ann.send(file: [], name: "empty")
      }

      try await ann.createPoll("the-marker-of-the-poll?", options: ["first-answer", "second-answer"])
      try await wait(for: "the poll: \(ben.polls)") { ben.polls.first?.question == "the-marker-of-the-poll?" }
      let poll = try #require(ben.polls.first)
      #expect(poll.options.map(\.text) == ["first-answer", "second-answer"])
      try await ben.vote(in: poll.id, for: [1])
      try await wait(for: "the vote") { ann.polls.first?.options.map(\.votes) == [0, 1] }
      await #expect(throws: JoinError.self) { try await ann.createPoll("?", options: ["a", "a"]) }
      let cem = try await Meeting.join(url, name: "Cem")
      #expect(cem.polls.first?.question == "the-marker-of-the-poll?")
      #expect(cem.chat.allSatisfy { $0.file == nil && $0.text == MessageSealing.unreadable })

      // A server that says something in the place of a deleted message.
      var deleted = try #require(ben.chat.first)
      (deleted.deleted, deleted.text, deleted.file) = (.host, "pay me", file)
      let shown = try #require(ben.opened(deleted, isHistory: false))
      #expect(shown.text.isEmpty && shown.file == nil && shown.deleted == .host)

      // The server's disk.
      let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
      let files = all.map { "\(folder)/\($0)" }.compactMap { FileManager.default.contents(atPath: $0) }
      #expect(files.count > 2)
      for needle in ["the-marker-of-the-file", "secret-name", "the-marker-of-the-poll", "first-answer", secret.text] {
        #expect(!files.contains { $0.range(of: Data(needle.utf8)) != nil }, "the server has \(needle)")
      }
      // A sender that claims more than the meeting takes.
      let claimed = try sealedFile("f_claimed", size: ben.chatFileLimit + 1)
      #expect(ben.secret?.files.add(claimed, from: "ann") == true)
      await #expect {
        _ = try await ben.download(claimed.file)
      } throws: {
        ($0 as? JoinError)?.code == "fileTooLarge"
      }
      // A server that has changed the content.
      let stored = try #require(all.first { $0.contains("/\(file.id)") }.map { "\(folder)/\($0)" })
      var bytes = try Data(contentsOf: URL(filePath: stored))
      bytes[70_000] ^= 1
      try bytes.write(to: URL(filePath: stored))
      await #expect {
        _ = try await ben.download(file)
      } throws: {
        ($0 as? JoinError)?.code == "damagedFile"
      }
      for meeting in [cem, ben, ann] { await meeting.leave() }
    }
  }
}
