import Basics
import MeetingServer
import TestSupport
import Testing

@testable import Parley

/// The chat beyond writing, against a live server.
@MainActor @Suite(.serialized) struct ChatTests {
  @Test("another client sees changed, deleted and typed messages and files; chat is saved")
  func chat() async throws {
    try await LiveServer.run(configure: { $0.isDevelopment = true }) { server in
      let ann = try Meeting("\(server.url)/talk", token: Secret("moderator_token"), name: "Ann")
      let ben = try Meeting("\(server.url)/talk", token: Secret("devtoken"), name: "Ben")
      let witness = Witness(ann)
      try await ann.join()
      try await ben.join()
      ben.setTyping(true)
      try await wait(for: "Ben's typing: \(witness.events)") { witness.saw("Ben types true") }
      try ben.send(chat: "helo")
      try await wait(for: "the message") { ben.chat.count == 1 && ann.chat.count == 1 }
      try await ben.edit(ben.chat[0], text: "hello")
      try await wait(for: "the change") { ann.chat[0].text == "hello" && witness.saw("chatChanged hello") }

      let bytes = [UInt8]((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
      let sent = try await ben.send(file: bytes, name: "../numbers Ä.bin")
      try await wait(for: "the file") { ann.chat.last?.file == sent.file }
      let file = try #require(ann.chat.last?.file)
      #expect(file.name == "numbers Ä.bin" && file.size == bytes.count)
      #expect(try await ann.download(file) == bytes)
      let text = String(decoding: try await ann.exportChat(), as: UTF8.self)
      #expect(text.contains("Ben: hello (edited)") && text.contains("(file) numbers Ä.bin"))
      await #expect(throws: JoinError.self) { _ = try await ben.exportChat() }
      await #expect(throws: JoinError.self) {
        _ = try await ben.send(file: [UInt8](repeating: 0, count: ben.chatFileLimit + 1), name: "big")
      }

      let last = try #require(ann.chat.last)
      try await ann.delete(last)
      try await wait(for: "the deletion at Ben's") { ben.chat.last?.deleted == .host }
      await #expect(throws: JoinError.self) { _ = try await ben.download(file) }
      await ann.leave()
      await ben.leave()
    }
  }
}
