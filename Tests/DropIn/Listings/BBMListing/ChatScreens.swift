// Apps unwrap by force, as the SDKs' samples do.
// swift-format-ignore-file: NeverForceUnwrap, NeverUseImplicitlyUnwrappedOptionals

import BBMEnterprise
import UIKit

/// The list of chats, and the messages of one, as chat apps of the SDK write them.
class ChatsScreen: UIViewController {
  var chatsMonitor: ObservableMonitor!
  var chats: [BBMChat] = []
  var names: [String] = []

  override func viewDidLoad() {
    super.viewDidLoad()
    chatsMonitor = ObservableMonitor.init(activatedWithName: "chatsMonitor") {
      [weak self] () -> Void in
      let all = BBMEnterpriseService.shared().model().chat.observableArray! as! [BBMChat]
      self?.chats = all.filter { !$0.isHiddenFlagSet && $0.state != kBBMChat_StateDefunct }
      self?.names = all.map { chat in
        let participants = BBMAccess.participants(for: chat).observableArray as! [BBMChatParticipant]
        guard let user = participants.first?.resolvedUserUri, user.bbmState != kBBMStatePending else { return "" }
        return user.regId.stringValue
      }
    }
  }
}

class ChatScreen: UIViewController {
  var chat: BBMChat?
  var messages: [BBMChatMessage] = []
  var lines: [String] = []
  var chatMonitor: ObservableMonitor?
  var pollMonitor: ObservableMonitor?
  var votes: String?

  func show() {
    chatMonitor = ObservableMonitor.init(activatedWithName: "messageMonitor") {
      [weak self] () -> Void in
      guard let screen = self, let chat = screen.chat else { return }
      var isPending = false
      let last: UInt64 = chat.lastMessage
      let first: UInt64 = chat.numMessages > 0 ? last - chat.numMessages + 1 : 0
      var messages = [BBMChatMessage]()
      let map: BBMLiveMap = BBMEnterpriseService.shared().model().chatMessage
      for number in first...last {
        let key: BBMChatMessageKey = BBMChatMessageKey.init(chatId: chat.chatId, messageId: number)
        let message: BBMChatMessage = map[key] as! BBMChatMessage
        isPending = isPending || message.bbmState == kBBMStatePending
        guard message.tag != nil && message.tag == "Text" else { continue }
        messages.append(message)
      }
      if isPending == false {
        screen.messages = messages
        screen.lines = messages.map { ChatScreen.mark($0) + " " + $0.content }
      }
    }
  }

  static func mark(_ message: BBMChatMessage) -> String {
    switch message.state {
    case kBBMChatMessage_StateSending: return "..."
    case kBBMChatMessage_StateSent: return "S"
    case kBBMChatMessage_StateDelivered: return "D"
    case kBBMChatMessage_StateRead: return "R"
    case kBBMChatMessage_StateFailed: return "F"
    default: return "?"
    }
  }

  func send(_ text: String) {
    let message: BBMChatMessageSendMessage = BBMChatMessageSendMessage(chatId: chat!.chatId, tag: "Text")
    message.content = text
    BBMEnterpriseService.shared().sendMessage(toService: message)
  }

  func vote(for message: BBMChatMessage) {
    let vote: BBMChatMessageSendMessage = BBMChatMessageSendMessage(chatId: message.chatId, tag: "Vote")
    let ref: BBMChatMessageSendMessage_Ref = BBMChatMessageSendMessage_Ref.init(
      messageId: message.messageId, tag: "Vote")
    vote.ref = [ref]
    BBMEnterpriseService.shared().sendMessage(toService: vote)
    var localData: [AnyHashable: Any]
    if message.localData == nil {
      localData = [AnyHashable: Any]()
    } else {
      localData = message.localData
    }
    localData["vote"] = true
    let elements: [String: Any] = [
      "messageId": String(message.messageId), "chatId": message.chatId!, "localData": localData,
    ]
    let change = BBMRequestListChangeMessage.init(elements: [elements], type: "chatMessage")
    BBMEnterpriseService.shared().sendMessage(toService: change)
  }

  func count(of message: BBMChatMessage) {
    let criteria: BBMChatMessageCriteria = BBMChatMessageCriteria()
    criteria.chatId = message.chatId
    let ref: BBMChatMessageCriteria_Ref = BBMChatMessageCriteria_Ref()
    ref.tag = "Vote"
    ref.messageId = message.messageId
    criteria.ref = ref
    let refs: BBMLiveList = BBMEnterpriseService.shared().model().chatMessage(with: criteria)
    pollMonitor = ObservableMonitor.init(
      activatedWithName: "voteMonitor",
      selfTerminatingBlock: {
        [weak self] () -> Bool in
        guard let screen = self else { return true }
        if refs.bbmState == kBBMStatePending { return false }
        var list = ""
        for ref in refs.array as! [BBMChatMessage] {
          let user: BBMUser = ref.resolvedSenderUri
          list += user.uri + ";"
        }
        screen.votes = String(refs.count) + " " + list
        return true
      })
  }
}

/// Starts chats, and waits for the service in the way of an app.
class Switchboard {
  let creator = BBMChatCreator()
  var serviceMonitor: ObservableMonitor?
  var isReady = false
  var chatId: String?
  var reason: BBMChatStartFailedMessageReason?

  func waitForService() {
    serviceMonitor = ObservableMonitor(activatedWithName: "ServiceMonitor") {
      [weak self] () -> Bool in
      if BBMEnterpriseService.shared().serviceState == kBBMCoreServiceStateStarted {
        self?.isReady = true
        return true
      }
      return false
    }
  }

  func start(_ regIds: String, _ subject: String) {
    let numbers = regIds.components(separatedBy: ",").map { NSNumber(value: Int64($0)!) }
    creator.startConference(withRegIds: numbers as [Any], subject: subject) {
      chatId, failReason in
      self.chatId = chatId
      self.reason = failReason
    }
  }
}
