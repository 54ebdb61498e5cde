import Foundation
import Testing

@testable import BBMEnterprise
@testable import Messaging
@testable import MessagingClient

/// Requests of an app about chats: hiding, detaching, retrying.
@MainActor @Suite struct ChatRequestTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bbm-" + UUID().uuidString)
  private var files: URL { folder.appendingPathComponent("files") }

  private func removeFolder() { try? FileManager.default.removeItem(at: folder) }

  private func hide(_ probe: CoreProbe) async { await probe.send("chatHide", ["chatIds": ["chat"]]) }

  @Test("a hidden chat stays so over a restart, until a message is added")
  func hiding() async {
    defer { removeFolder() }
    let first = MessengerEvent.messageAdded(CoreProbe.message("a", 1))
    var probe = await CoreProbe(folder: folder)
    await probe.receive(first)
    #expect(probe.chatFlags == "AO")
    await hide(probe)
    #expect(probe.chatFlags == "AHO")
    // The client reports everything that it has loaded as added.
    probe = await CoreProbe(folder: folder)
    await probe.receive(first)
    #expect(probe.chatFlags == "AHO")
    let second = MessengerEvent.messageAdded(CoreProbe.message("b", 2))
    await probe.receive(second)
    #expect(probe.chatFlags == "AO")
    probe = await CoreProbe(folder: folder)
    await probe.receive(first, second)
    #expect(probe.chatFlags == "AO")
  }

  @Test("a message that waited when its chat was hidden doesn't show it when it is sent")
  func hidingWithQueue() async {
    let probe = await CoreProbe()
    await probe.receive(.messageAdded(CoreProbe.message("a", nil, from: CoreProbe.own, .sending)))
    await hide(probe)
    await probe.receive(.messageChanged(CoreProbe.message("a", 1, from: CoreProbe.own)))
    #expect(probe.chatFlags == "AHO")
    await probe.receive(.messageAdded(CoreProbe.message("b", nil, from: CoreProbe.own, .sending)))
    #expect(probe.chatFlags == "AO")
  }

  @Test("a defunct chat isn't hidden, since no message would show it again")
  func hidingDefunct() async {
    let probe = await CoreProbe(state: .defunct)
    await hide(probe)
    #expect(probe.chatFlags == "AO" && probe.chatState == "Defunct")
  }

  @Test("a detached file and preview stay away until the app asks for the file")
  func detaching() async throws {
    defer { removeFolder() }
    var probe = await CoreProbe(folder: folder)
    let message = CoreProbe.message("a", 1, thumbnail: "AQID")
    await probe.receive(.messageAdded(message))
    let thumb = try #require(probe.message("1")?["thumb"] as? String)
    #expect(FileManager.default.contents(atPath: thumb) == Data([1, 2, 3]))
    let path = files.appendingPathComponent("chat-1.jpg").path
    try Data([4]).write(to: URL(fileURLWithPath: path))
    let done = FileProgress(
      chat: CoreProbe.chat, cookie: "a", isUpload: false, bytes: 1, total: 1, state: .done, path: path)
    await probe.receive(.fileProgress(done))
    #expect(probe.message("1")?["file"] as? String == path)
    await probe.send(
      "chatMessageDetach", ["chatId": "chat", "messageId": "1", "detachFile": true, "detachThumb": true])
    // A mark of the recipient, another run, and the end of a download that was under way.
    let read = MessengerEvent.messageChanged(CoreProbe.message("a", 1, .read, thumbnail: "AQID"))
    await probe.receive(read, .fileProgress(done))
    #expect(probe.message("1")?["file"] is NSNull && probe.message("1")?["thumb"] is NSNull)
    #expect([thumb, path].allSatisfy { !FileManager.default.fileExists(atPath: $0) })
    probe = await CoreProbe(folder: folder)
    await probe.receive(.messageAdded(message))
    #expect(probe.message("1")?["thumb"] is NSNull && probe.message("1")?["file"] is NSNull)
    await probe.send("chatMessageFileDownload", ["chatId": "chat", "messageId": "1"])
    try Data([4]).write(to: URL(fileURLWithPath: path))
    await probe.receive(.fileProgress(done))
    #expect(probe.message("1")?["file"] as? String == path)
  }

  @Test("detaching the file that the app has sent leaves it where the app has it")
  func detachingOwn() async throws {
    defer { removeFolder() }
    let probe = await CoreProbe(folder: folder)
    let path = folder.appendingPathComponent("holiday.jpg").path
    try Data([1]).write(to: URL(fileURLWithPath: path))
    await probe.receive(.messageAdded(CoreProbe.message("a", 1, from: CoreProbe.own)))
    probe.core.chats[CoreProbe.chat]?.local.files["a"] = path
    await probe.send("chatMessageDetach", ["chatId": "chat", "messageId": "1", "detachFile": true])
    #expect(probe.core.chats[CoreProbe.chat]?.local.files == [:] && FileManager.default.fileExists(atPath: path))
  }

  @Test("a retry asks again for downloads that have failed, and for no others")
  func retrying() async {
    let probe = await CoreProbe()
    func progress(_ cookie: String, _ state: FileProgress.State, isUpload: Bool = false) -> MessengerEvent {
      .fileProgress(
        FileProgress(chat: CoreProbe.chat, cookie: cookie, isUpload: isUpload, bytes: 0, total: 1, state: state))
    }
    for (number, cookie) in ["a", "b", "c"].enumerated() {
      await probe.receive(.messageAdded(CoreProbe.message(cookie, UInt64(number) + 1)))
    }
    await probe.receive(
      progress("a", .failed), progress("b", .failed), progress("b", .done), progress("c", .failed, isUpload: true))
    #expect(probe.core.failedDownloads.keys.sorted() == ["a"])
    await probe.send("retryServerRequests", [:])
    #expect(probe.core.failedDownloads.isEmpty)
  }

  @Test("a participant whose message has come doesn't type any more")
  func typing() async {
    let probe = await CoreProbe()
    await probe.receive(.typing(CoreProbe.chat, from: CoreProbe.ben, tag: nil))
    #expect(probe.elements("typing", key: "userUri").keys.sorted() == ["bbmpim://user/id/9"])
    await probe.receive(.messageAdded(CoreProbe.message("a", nil, from: CoreProbe.own, .sending)))
    #expect(probe.elements("typing", key: "userUri").count == 1)
    await probe.receive(.messageAdded(CoreProbe.message("b", 1)))
    #expect(probe.elements("typing", key: "userUri").isEmpty && probe.core.typing.isEmpty)
  }
}
