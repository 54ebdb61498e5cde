import BBMEnterprise
import BBMSupport
import Foundation
import UIKit

/// The user's chats, the one with the latest message first, and a button for a new one.
final class ChatListViewController: UITableViewController {
  private struct Row {
    let chat: BBMChat
    let title: String
    let detail: String
  }

  private let session: AppSession
  private let creator = BBMChatCreator()
  private var rows: [Row] = []
  /// A row of words below the chats, or in their place.
  private var status: String?
  private var monitor: ObservableMonitor?

  init(_ session: AppSession) {
    self.session = session
    super.init(nibName: nil, bundle: nil)
    title = "Chats"
  }

  required init?(coder: NSCoder) { nil }

  override func viewDidLoad() {
    super.viewDidLoad()
    tableView.rowHeight = 56
    navigationItem.rightBarButtonItem = UIBarButtonItem(
      title: "New Chat", style: .plain, target: self, action: ChatListViewController.askForUsers)
    monitor = ObservableMonitor(activatedWithName: "chats") { [weak self] () -> Void in self?.load() }
  }

  private func load() {
    rows = ChatModel.chats.map { chat in
      Row(chat: chat, title: ChatModel.title(of: chat, session.names), detail: detail(of: chat))
    }
    status =
      if !session.isConnected {
        "The server isn't reached. What you write is sent later."
      } else if ChatModel.isPending {
        "Loading your chats…"
      } else if rows.isEmpty {
        "You have no chats yet. “New Chat” starts one."
      } else {
        nil
      }
    tableView.reloadData()
  }

  private func detail(of chat: BBMChat) -> String {
    if chat.state == kBBMChat_StateRestore { return "Loading the history…" }
    if chat.state == kBBMChat_StateWaiting { return "Waiting for the key of this chat" }
    guard let last = BBMAccess.resolvedLastMessage(for: chat) else { return "No messages yet" }
    guard last.bbmState == kBBMStateCurrent else { return "…" }
    let text = ChatModel.text(of: last)
    return chat.numUnread > 0 ? "\(chat.numUnread) new: \(text)" : text
  }

  // MARK: chats

  private func askForUsers() {
    let alert = UIAlertController(
      title: "New Chat", message: "With whom? Several users are separated by commas.", preferredStyle: .alert)
    alert.addTextField { field in
      field.placeholder = "User IDs"
      field.accessibilityLabel = "User IDs"
      field.autocapitalizationType = .none
      field.autocorrectionType = .no
    }
    alert.addAction(UIAlertAction(title: "Cancel", style: .cancel))
    let start = UIAlertAction(title: "Start", style: .default) { [weak self, weak alert] _ in
      let users = (alert?.textFields?.first?.text ?? "").split(separator: ",")
        .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
      self?.startChat(with: users, subject: "")
    }
    alert.addAction(start)
    alert.preferredAction = start
    present(alert, animated: true)
  }

  /// Starts a chat: with one user the one chat with them, which may be there already.
  func startChat(with users: [String], subject: String) {
    guard !users.isEmpty else { return showProblem("A chat needs somebody to talk to.") }
    find(users[...], []) { [weak self] regIds in
      let started: BBMChatCreator.Callback = { chatId, reason in self?.started(chatId, reason) }
      if regIds.count == 1 {
        self?.creator.startChat(withRegId: regIds[0], subject: subject, callback: started)
      } else {
        self?.creator.startConference(withRegIds: regIds, subject: subject, callback: started)
      }
    }
  }

  private func find(_ users: ArraySlice<String>, _ found: [NSNumber], done: @escaping @MainActor ([NSNumber]) -> Void) {
    guard let user = users.first else { return done(found) }
    session.find(user) { [weak self] regId, problem in
      guard let regId else {
        self?.showProblem(problem)
        return
      }
      self?.find(users.dropFirst(), found + [regId], done: done)
    }
  }

  private func started(_ chatId: String?, _ reason: BBMChatStartFailedMessageReason) {
    if let chatId, !chatId.isEmpty { return open(chatId) }
    showProblem(
      reason == kBBMChatStartFailedMessage_ReasonInvalidInvitees
        ? "Somebody has never signed in, and has no keys yet." : "The chat could not be started. Try again later.")
  }

  func open(_ chatId: String) {
    guard let chat = BBMAccess.getChat(forId: chatId) else { return }
    _ = navigationController?.popToViewController(self, animated: false)
    navigationController?.pushViewController(ChatViewController(chat, session), animated: true)
  }

  // MARK: rows

  override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
    rows.count + (status == nil ? 0 : 1)
  }

  override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
    if indexPath.row == rows.count {
      let cell = UITableViewCell(style: .default, reuseIdentifier: nil)
      cell.textLabel?.text = status
      cell.textLabel?.textColor = .darkGray
      cell.textLabel?.numberOfLines = 0
      return cell
    }
    let cell = UITableViewCell(style: .subtitle, reuseIdentifier: nil)
    cell.textLabel?.text = rows[indexPath.row].title
    cell.detailTextLabel?.text = rows[indexPath.row].detail
    cell.accessoryType = .disclosureIndicator
    return cell
  }

  override func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
    tableView.deselectRow(at: indexPath, animated: true)
    guard rows.indices.contains(indexPath.row), let chatId = rows[indexPath.row].chat.chatId else { return }
    open(chatId)
  }
}
