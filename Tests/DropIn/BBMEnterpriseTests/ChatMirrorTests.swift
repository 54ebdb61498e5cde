import Foundation
import Testing

@testable import BBMEnterprise
@testable import Messaging
@testable import MessagingClient

/// A chat of the client as elements of the data model.
@MainActor @Suite struct ChatMirrorTests {
  private let own = RegID(7)

  private func mirror() -> ChatMirror {
    ChatMirror(
      Chat(
        id: ChatID("chat"), isOneToOne: false, invitePolicy: .adminsOnly, state: .ready, subject: "Lunch",
        data: #"{"colour":"blue"}"#,
        participants: [
          ChatParticipant(regId: own, state: .active, isAdmin: true),
          ChatParticipant(regId: RegID(9), state: .pending, isAdmin: false),
        ], lastMessage: MessageNumber(0), firstMessage: MessageNumber(1), unread: 0))
  }

  private func message(_ cookie: String, _ number: UInt64?, from sender: UInt64 = 7) -> Message {
    Message(
      chat: ChatID("chat"), cookie: cookie, number: number.map { MessageNumber($0) }, sender: RegID(sender),
      isIncoming: sender != 7, time: MessageTime(milliseconds: 5_000), state: number == nil ? .sending : .sent,
      stateIsPartial: false, isUnverified: sender != 7, isSealed: false, isRecalled: false,
      content: MessageContent(tag: "Text", text: cookie))
  }

  private func ids(_ elements: [[String: Any]]) -> [String] {
    elements.map { "\($0["messageId"] ?? "") \($0["content"] ?? "") \($0["state"] ?? "")" }
  }

  @Test("waiting messages stand behind numbered ones, and move when one comes before them")
  func queued() {
    var mirror = mirror()
    mirror.put(message("a", nil))
    var changes = mirror.messageChanges(around: message("a", nil), all: false, own: own)
    #expect(ids(changes.added) == ["1 a Sending"] && mirror.element(own: own)["lastMessage"] as? String == "1")
    // Somebody else was faster.
    let other = message("b", 1, from: 9)
    mirror.put(other)
    changes = mirror.messageChanges(around: other, all: false, own: own)
    #expect(ids(changes.changed) == ["1 b Sent"] && ids(changes.added) == ["2 a Sending"] && changes.gone.isEmpty)
    #expect(changes.changed.first?["flags"] as? String == "IU")
    let sent = message("a", 2)
    mirror.put(sent)
    changes = mirror.messageChanges(around: sent, all: false, own: own)
    #expect(ids(changes.changed) == ["2 a Sent"] && changes.added.isEmpty && changes.gone.isEmpty)
    #expect(mirror.message(2)?.cookie == "a" && mirror.message(3) == nil)
  }

  @Test("a failed message keeps its place among those that wait, until it is discarded")
  func failed() {
    var mirror = mirror()
    for cookie in ["a", "b"] {
      mirror.put(message(cookie, nil))
      _ = mirror.messageChanges(around: nil, all: false, own: own)
    }
    var failed = message("a", nil)
    failed.state = .failed
    mirror.put(failed)
    mirror.local.files["a"] = "/holiday.jpg"
    var changes = mirror.messageChanges(around: nil, all: false, own: own)
    #expect(ids(changes.changed) == ["1 a Failed"] && changes.changed.first?["fileState"] as? String == "Failed")
    mirror.removeQueued("a")
    changes = mirror.messageChanges(around: nil, all: false, own: own)
    #expect(ids(changes.changed) == ["1 b Sending"] && changes.gone.map { $0["messageId"] as? String } == ["2"])
  }

  @Test("the chat has its flags and numbers, and no local user among its participants")
  func element() {
    var mirror = mirror()
    mirror.put(message("b", 4, from: 9))
    let element = mirror.element(own: own)
    #expect(
      element["flags"] as? String == "A" && element["numMessages"] as? String == "4"
        && element["invitePolicy"] as? String == "AdminsOnly" && element["state"] as? String == "Ready"
        && (element["data"] as? [String: Any])?["colour"] as? String == "blue"
        && element["lastActivity"] as? String == "5")
    var people = mirror.peopleChanges(own: own)
    #expect(people.changed.map { $0["userUri"] as? String } == ["bbmpim://user/id/9"] && people.gone.isEmpty)
    mirror.chat.participants.removeLast()
    people = mirror.peopleChanges(own: own)
    #expect(people.changed.isEmpty && people.gone.map { $0["userUri"] as? String } == ["bbmpim://user/id/9"])
    #expect(WireNames.regId("bbmpim://user/id/0", own: own) == own && WireNames.uri(own, own: own).hasSuffix("/0"))
  }
}
