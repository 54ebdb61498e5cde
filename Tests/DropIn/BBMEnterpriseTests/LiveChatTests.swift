import Foundation
import TestSupport
import Testing

@testable import BBMEnterprise
@testable import Messaging
@testable import MessagingClient

/// Chats of apps at a real server.
@MainActor @Suite(.serialized) struct LiveChatTests {
  /// Writes down answers of the service.
  @MainActor private final class Listener: BBMIncomingMessageListener {
    var heard: [String] = []
    func receivedIncomingMessage(_ incomingMessage: BBMJSONMessage!) {
      if let result = incomingMessage as? BBMPinResultMessage {
        let pins = (result.pins as? [[String: Any]] ?? []).map { "\($0["regId"] ?? "") \($0["pin"] ?? "")" }
        heard += [result.cookie, result.result] + pins
      } else if let refusal = incomingMessage as? BBMChatStartFailedMessage {
        heard.append("\(refusal.reason == kBBMChatStartFailedMessage_ReasonAlreadyExists) \(refusal.chatId ?? "")")
      }
    }
  }

  private func start(_ phone: Phone, with other: Phone) {
    let invitee = BBMChatStartMessage_Invitees()
    invitee.regId = other.regId
    let start: BBMChatStartMessage = BBMChatStartMessage(invitees: [invitee])
    // With the cookie of before, the service would take it for the same request again.
    (start.isOneToOne, start.cookie) = (true, UUID().uuidString)
    phone.service.sendMessage(toService: start)
  }

  /// The one chat of an app, once it is there.
  private func chat(of phone: Phone) async throws -> BBMChat {
    let chats: BBMLiveList = phone.service.model().chat
    try await wait(for: "the chat") { chats.observableArray.count == 1 }
    return try #require(chats.observableArray.first as? BBMChat)
  }

  private func send(_ text: String, _ phone: Phone, _ chatId: String) {
    let message: BBMChatMessageSendMessage = BBMChatMessageSendMessage(chatId: chatId, tag: "Text")
    message.content = text
    phone.service.sendMessage(toService: message)
  }

  private func state(_ phone: Phone, _ chatId: String, _ number: UInt64) -> BBMChatMessageState? {
    let message = phone.service.model().chatMessage[BBMChatMessageKey(chatId: chatId, messageId: number)]
    let found = message as? BBMChatMessage
    return found?.bbmState == kBBMStateCurrent ? found?.state : nil
  }

  @Test("a message that can't be sent is Failed until deleted, and no recall does that")
  func failed() async throws {
    try await CallServer.run { server in
      let ann = try await server.phone("ann")
      let ben = try await server.phone("ben")
      start(ann, with: ben)
      let chat = try await chat(of: ann)
      let chatId = try #require(chat.chatId)
      send(String(repeating: "a", count: 2_001), ann, chatId)
      try await wait(for: "the failure") { state(ann, chatId, 1) == kBBMChatMessage_StateFailed }
      send("short", ann, chatId)
      try await wait(for: "the message that others get") {
        [kBBMChatMessage_StateSent, kBBMChatMessage_StateDelivered].contains(state(ann, chatId, 1))
      }
      // The failed one is behind those that have numbers.
      try await wait(for: "the failed one's new place") { state(ann, chatId, 2) == kBBMChatMessage_StateFailed }
      ann.service.sendMessage(toService: BBMChatMessageDestroyMessage(chatId: chatId))
      ann.service.sendMessage(toService: BBMChatMessageDeleteMessage(chatId: chatId, messageId: 2))
      try await wait(for: "the failed one to go") { chat.lastMessage == 1 }
      let key = BBMChatMessageKey(chatId: chatId, messageId: 1)
      let first = try #require(ann.service.model().chatMessage[key] as? BBMChatMessage)
      try await wait(for: "the recall of all messages") { first.recall == kBBMChatMessage_RecallRecalled }
    }
  }

  @Test("PINs come from the service; starting a hidden 1:1 chat shows it again")
  func pinsAndHiding() async throws {
    try await CallServer.run { server in
      let ann = try await server.phone("ann")
      let ben = try await server.phone("ben")
      let listener = Listener()
      ann.service.add(listener, forMessageNames: ["pinResult", "chatStartFailed"])
      let request: BBMRequestPinMessage = BBMRequestPinMessage(regIds: [ben.regId])
      request.cookie = "pins"
      ann.service.sendMessage(toService: request)
      try await wait(for: "the PIN") { !listener.heard.isEmpty }
      let pin = "\(ben.regId) \(ben.service.model().globalLocalPin ?? "")"
      #expect(listener.heard == ["pins", "Success", pin])

      start(ann, with: ben)
      let chat = try await chat(of: ann)
      ann.service.sendMessage(toService: BBMChatHideMessage(chatIds: [chat.chatId]))
      try await wait(for: "the chat to hide") { chat.isHiddenFlagSet }
      start(ann, with: ben)
      try await wait(for: "the refusal: \(listener.heard)") { listener.heard.last == "true \(chat.chatId ?? "")" }
      try await wait(for: "the chat to show") { !chat.isHiddenFlagSet }
    }
  }
}
