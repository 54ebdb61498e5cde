import Foundation

@testable import BBMEnterprise
@testable import Messaging
@testable import MessagingClient

/// A core without a service: it gets events of the client, and what it gives the app is kept.
@MainActor final class CoreProbe {
  static let chat = ChatID("chat")
  static let own = RegID(7)
  static let ben = RegID(9)

  let core = MessagingCore()
  private(set) var heard: [(name: String, body: [String: Any])] = []

  /// A core with a chat of two. Another one with the same folder is as another run of the app.
  init(folder: URL? = nil, state: Chat.State = .ready) async {
    core.folder = folder
    core.deliver = { [weak self] message in
      self?.heard += message.map { ($0.key, $0.value as? [String: Any] ?? [:]) }
    }
    var status = SetupStatus()
    status.regId = Self.own
    await receive(.status(status), .chatAdded(Self.known(state)))
  }

  static func known(_ state: Chat.State = .ready) -> Chat {
    Chat(
      id: chat, isOneToOne: true, invitePolicy: .participantsOnly, state: state, subject: nil, data: nil,
      participants: [own, ben].map { ChatParticipant(regId: $0, state: .active, isAdmin: true) },
      lastMessage: MessageNumber(0), firstMessage: MessageNumber(1), unread: 0)
  }

  static func message(
    _ cookie: String, _ number: UInt64?, from sender: RegID = ben, _ state: Message.State = .sent,
    thumbnail: String? = nil, time: Int64 = 5_000
  ) -> Message {
    Message(
      chat: chat, cookie: cookie, number: number.map { MessageNumber($0) }, sender: sender, isIncoming: sender != own,
      time: MessageTime(milliseconds: time), state: state, stateIsPartial: false, isUnverified: false, isSealed: false,
      isRecalled: false, content: MessageContent(tag: "Text", text: cookie, thumbnail: thumbnail))
  }

  func receive(_ events: MessengerEvent...) async {
    for event in events { core.receive(event) }
    await settled()
  }

  func send(_ name: String, _ body: [String: Any]) async {
    core.send([name: body])
    await settled()
  }

  /// The core gives its messages in one step of the main actor's queue, which comes before later ones.
  private func settled() async { await Task { @MainActor in }.value }

  /// The elements of a list as the app has them now.
  func elements(_ type: String, key: String) -> [String: [String: Any]] {
    var all: [String: [String: Any]] = [:]
    for (name, body) in heard where body["type"] as? String == type {
      for element in body["elements"] as? [[String: Any]] ?? [] {
        let id = element[key] as? String ?? ""
        if name == "listRemove" { all[id] = nil } else { all[id, default: [:]].merge(element) { $1 } }
      }
    }
    return all
  }

  var chatFlags: String? { elements("chat", key: "chatId")["chat"]?["flags"] as? String }
  var chatState: String? { elements("chat", key: "chatId")["chat"]?["state"] as? String }
  func message(_ id: String) -> [String: Any]? { elements("chatMessage", key: "messageId")[id] }
}
