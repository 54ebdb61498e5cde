import Testing

@testable import BBMEnterprise
@testable import Messaging
@testable import MessagingClient

/// A service that lies, as an app hears of it. That each lie is noticed is shown by the client's tests of this name.
@MainActor @Suite struct HostileServiceTests {
  private let chat = ChatID("chat")
  private let ben = RegID(9)

  /// The messages that the module gives the app for events of the client.
  private func given(_ events: [MessengerEvent], _ name: String) async -> [[String: Any]] {
    let core = MessagingCore()
    var heard: [[String: Any]] = []
    core.deliver = { heard += $0.filter { $0.key == name }.compactMap { $0.value as? [String: Any] } }
    for event in events { core.receive(event) }
    // The core gives them in one step of the main actor's queue, which comes before later ones.
    await Task { @MainActor in }.value
    return withExtendedLifetime(core) { heard }
  }

  private func fields(_ warning: SecurityWarning) async -> [String: String] {
    let heard = await given([.warning(warning)], "securityWarning")
    #expect(heard.count == 1)
    return (heard.first ?? [:]).compactMapValues { $0 as? String }
  }

  @Test("each thing that a hostile service does has its kind of warning")
  func kinds() async {
    let number = MessageNumber(3)
    let about = ["chatId": "chat", "messageId": "3"]
    let expected: [(SecurityWarning, [String: String])] = [
      (.keysChanged(ben), ["kind": "keysChanged", "regId": "9"]),
      (.ownKeysDiffer, ["kind": "ownKeysDiffer"]),
      (.replayed(chat, number), ["kind": "replayed"].merging(about) { $1 }),
      (.numberReused(chat, number), ["kind": "numberReused"].merging(about) { $1 }),
      (.reordered(chat, number), ["kind": "reordered"].merging(about) { $1 }),
      (.forked(chat, number), ["kind": "forked"].merging(about) { $1 }),
      (.vaultRolledBack, ["kind": "vaultRolledBack"]),
      (.withheld(chat, from: ben, count: 2), ["kind": "withheld", "chatId": "chat", "regId": "9"]),
      (.missing(chat, from: ben, count: 2), ["kind": "missing", "chatId": "chat", "regId": "9"]),
      (.wrongSignature(chat, number), ["kind": "wrongSignature"].merging(about) { $1 }),
      (.wrongKeyEnvelope(chat), ["kind": "wrongKeyEnvelope", "chatId": "chat"]),
      (.unknownKeyHolders(chat, [ben]), ["kind": "unknownKeyHolders", "chatId": "chat"]),
    ]
    for (warning, fields) in expected {
      #expect(await self.fields(warning) == fields)
    }
  }

  @Test("a message with a wrong signature is in the list with the flag U")
  func unverified() async {
    func message(_ number: UInt64, isUnverified: Bool) -> MessengerEvent {
      .messageAdded(
        Message(
          chat: chat, cookie: "m\(number)", number: MessageNumber(number), sender: ben, isIncoming: true,
          time: MessageTime(milliseconds: 5_000), state: .sent, stateIsPartial: false, isUnverified: isUnverified,
          isSealed: false, isRecalled: false, content: MessageContent(tag: "Text", text: "text \(number)")))
    }
    let known = Chat(
      id: chat, isOneToOne: false, invitePolicy: .adminsOnly, state: .ready, subject: nil, data: nil,
      participants: [ChatParticipant(regId: ben, state: .active, isAdmin: true)], lastMessage: MessageNumber(0),
      firstMessage: MessageNumber(1), unread: 0)
    let events = [MessengerEvent.chatAdded(known), message(1, isUnverified: false), message(2, isUnverified: true)]
    let added = await given(events, "listAdd").filter { $0["type"] as? String == "chatMessage" }
    let elements = added.flatMap { $0["elements"] as? [[String: Any]] ?? [] }
    let found = elements.map { "\($0["content"] ?? "") \($0["flags"] ?? "")" }
    #expect(found == ["text 1 I", "text 2 IU"])
  }
}
