import Foundation
import UIKit
import SkypeForBusiness

/// A conversation in text with the agent.
class ChatViewController: UIViewController {
  var conversation: SfBConversation?

  private let dateLabel = BankLabel("", font: .systemFont(ofSize: 12))
  private let balanceLabel = BankLabel(AccountsTableViewController.balance, font: .boldSystemFont(ofSize: 12))
  private let bar = UIView()
  private let chatTable = ChatTableViewController()
  private let messageField = BankField("Message to the agent")
  private let sendButton = BankButton("Send")
  private let endButton = BankButton("End", color: .bankRed)
  private var chatHandler: ChatHandler?
  private var kvo = 0

  override func viewDidLoad() {
    super.viewDidLoad()
    title = "Text chat"
    view.backgroundColor = .white
    navigationItem.hidesBackButton = true
    endButton.isEnabled = false
    endButton.addTarget(self, action: ChatViewController.endChat, for: .touchUpInside)

    let formatter = DateFormatter()
    formatter.dateStyle = .medium
    dateLabel.text = formatter.string(from: Date())
    bar.backgroundColor = .bankPale
    for each in [dateLabel, balanceLabel, endButton] { bar.addSubview(each) }
    addChild(chatTable)
    for each in [bar, chatTable.view, messageField, sendButton] as [UIView?] { each.map(view.addSubview) }
    chatTable.didMove(toParent: self)
    chatTable.addStatus("Waiting for an agent")

    sendButton.isEnabled = false
    sendButton.addTarget(self, action: ChatViewController.sendMessage, for: .touchUpInside)
    messageField.addTarget(self, action: ChatViewController.sendMessage, for: .primaryActionTriggered)

    guard let conversation else { return }
    conversation.alertDelegate = self
    conversation.addObserver(self, forKeyPath: "canLeave", options: .initial, context: &kvo)
    chatHandler = ChatHandler(
      conversation: conversation, delegate: self, userInfo: ["displayName": Settings.displayName])
  }

  override func viewDidLayoutSubviews() {
    super.viewDidLayoutSubviews()
    let size = view.bounds.size
    bar.frame = CGRect(x: 0, y: 0, width: size.width, height: 48)
    dateLabel.frame = CGRect(x: 16, y: 5, width: max(size.width - 98, 0), height: 18)
    balanceLabel.frame = CGRect(x: 16, y: 24, width: max(size.width - 98, 0), height: 18)
    endButton.frame = CGRect(x: size.width - 76, y: 6, width: 64, height: 36)
    let y = size.height - 50
    chatTable.view.frame = CGRect(x: 0, y: 48, width: size.width, height: max(y - 54, 0))
    sendButton.frame = CGRect(x: size.width - 92, y: y, width: 80, height: 38)
    messageField.frame = CGRect(x: 12, y: y, width: max(size.width - 116, 0), height: 38)
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?, context: UnsafeMutableRawPointer?
  ) {
    guard keyPath == "canLeave" else { return }
    endButton.isEnabled = conversation?.canLeave ?? false
  }

  func sendMessage() {
    guard let chatHandler, sendButton.isEnabled, let message = messageField.text, !message.isBlank else { return }
    var error: NSError?
    chatHandler.sendMessage(message, error: &error)
    if let error { return showAlert("ERROR!", error.localizedDescription, answer: "Ok") }
    messageField.text = ""
    chatTable.addMessage(
      message, from: chatHandler.userInfo.flatMap { $0 as? [String: String] }?["displayName"], isOwn: true)
  }

  func endChat() {
    do {
      try conversation?.leave()
    } catch {
      // Only while canLeave is false, and then the button is disabled.
      showAlert("ERROR!", "Could Not Leave Meeting", answer: "Ok")
    }
  }

  /// The conversation is over, whoever ended it.
  private func close() {
    conversation?.removeObserver(self, forKeyPath: "canLeave", context: &kvo)
    chatHandler = nil
    navigationController?.popViewController(animated: true)
  }
}

extension ChatViewController: ChatHandlerDelegate {
  func chatHandler(_ chatHandler: ChatHandler, didReceiveMessage message: SfBMessageActivityItem) {
    Journal.note("message", ["text": message.text])
    let name = message.sender?.displayName ?? ""
    chatTable.addMessage(message.text, from: name.isEmpty ? "Agent" : name, isOwn: false)
  }

  func chatHandler(
    _ chatHandler: ChatHandler, chatService: SfBChatService, didChangeCanSendMessage canSendMessage: Bool
  ) {
    Journal.note("canSendMessage", ["value": "\(canSendMessage)"])
    sendButton.isEnabled = canSendMessage
    if canSendMessage {
      chatTable.addStatus("now you can send a message")
    } else if conversation?.state == .established {
      chatTable.addStatus("you can send no messages for now")
    }
  }

  func chatHandler(_ chatHandler: ChatHandler, conversation: SfBConversation, didChange state: SfBConversationState) {
    Journal.note("conversation", ["state": "\(state)"])
    switch state {
    case .inLobby: chatTable.addStatus("You are in the lobby: please wait.")
    case .idle: close()
    case .establishing, .established: break
    }
  }
}

extension ChatViewController: SfBAlertDelegate {
  func didReceive(_ alert: SfBAlert) { alert.show() }
}
