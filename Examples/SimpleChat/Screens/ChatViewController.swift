import BBMEnterprise
import BBMSupport
import Foundation
import UIKit

/// A chat: its messages in bubbles, who types, and a field to write. A message that is chosen can be recalled, deleted
/// or, with a file, saved.
final class ChatViewController: UIViewController, UITableViewDataSource, UITableViewDelegate {
  private let chat: BBMChat
  private let session: AppSession
  private let saver = FileSaver()
  private let table = UITableView(frame: .zero, style: .plain)
  private let typingLabel = UILabel()
  private let field = UITextField()
  private let sendButton = UIButton(type: .system)
  private let fileButton = UIButton(type: .system)
  private var messages: [BBMChatMessage] = []
  private var monitor: ObservableMonitor?
  private var typingMonitor: ObservableMonitor?
  private var lastTyping = Date.distantPast
  private var isVisible = false

  init(_ chat: BBMChat, _ session: AppSession) {
    self.chat = chat
    self.session = session
    super.init(nibName: nil, bundle: nil)
  }

  required init?(coder: NSCoder) { nil }

  override func viewDidLoad() {
    super.viewDidLoad()
    view.backgroundColor = .white
    table.dataSource = self
    table.delegate = self
    table.rowHeight = UITableView.automaticDimension
    table.separatorStyle = .none
    typingLabel.font = .systemFont(ofSize: 12)
    typingLabel.textColor = .darkGray
    field.placeholder = "Message"
    field.accessibilityLabel = "Message"
    field.borderStyle = .roundedRect
    field.addTarget(self, action: ChatViewController.edited, for: .editingChanged)
    field.addTarget(self, action: ChatViewController.sendText, for: .primaryActionTriggered)
    sendButton.setTitle("Send", for: .normal)
    sendButton.addTarget(self, action: ChatViewController.sendText, for: .touchUpInside)
    fileButton.setTitle("File", for: .normal)
    fileButton.addTarget(self, action: ChatViewController.askForFile, for: .touchUpInside)
    for each in [table, typingLabel, field, sendButton, fileButton] as [UIView] { view.addSubview(each) }
    monitor = ObservableMonitor(activatedWithName: "chat") { [weak self] () -> Void in self?.load() }
    typingMonitor = ObservableMonitor(activatedWithName: "typing") { [weak self] () -> Void in self?.showTyping() }
  }

  override func viewDidLayoutSubviews() {
    super.viewDidLayoutSubviews()
    let size = view.bounds.size
    let y = max(size.height - 48, 0)
    table.frame = CGRect(x: 0, y: 0, width: size.width, height: max(y - 24, 0))
    typingLabel.frame = CGRect(x: 14, y: y - 22, width: max(size.width - 28, 0), height: 18)
    fileButton.frame = CGRect(x: 8, y: y, width: 56, height: 40)
    field.frame = CGRect(x: 70, y: y, width: max(size.width - 150, 0), height: 40)
    sendButton.frame = CGRect(x: size.width - 74, y: y, width: 66, height: 40)
  }

  override func viewDidAppear(_ animated: Bool) {
    super.viewDidAppear(animated)
    isVisible = true
    ChatActions.read(chat)
  }

  override func viewWillDisappear(_ animated: Bool) {
    super.viewWillDisappear(animated)
    isVisible = false
  }

  // MARK: what the model says

  private func load() {
    title = ChatModel.title(of: chat, session.names)
    let isWritable = chat.state != kBBMChat_StateDefunct && chat.bbmState != kBBMStateMissing
    for each in [field, sendButton, fileButton] as [UIControl] { each.isEnabled = isWritable }
    // A message that was deleted leaves its number.
    messages = ChatModel.messages(of: chat).filter { $0.bbmState != kBBMStateMissing }
    if isVisible { ChatActions.read(chat) }
    // The cells' values are read here, so that the monitor depends on them.
    for message in messages { _ = line(of: message) }
    table.reloadData()
    if !messages.isEmpty {
      table.scrollToRow(at: IndexPath(row: messages.count - 1, section: 0), at: .bottom, animated: false)
    }
  }

  private func showTyping() {
    let people = ChatModel.typing(in: chat).map { session.names.name(of: $0) ?? "Somebody" }
    typingLabel.text = people.isEmpty ? "" : people.sorted().joined(separator: ", ") + " is typing…"
  }

  private func line(of message: BBMChatMessage) -> MessageCell.Line {
    guard message.bbmState == kBBMStateCurrent else {
      return MessageCell.Line(text: "…", name: nil, note: "", isOwn: false)
    }
    let isOwn = !message.isIncomingFlagSet
    var notes: [String] = []
    if message.isUnverifiedFlagSet { notes.append("The sender's signature could not be checked") }
    if let progress = ChatModel.progress(of: message), progress.total > 0 {
      notes.append("\(progress.bytes * 100 / progress.total) %")
    } else if message.tag == "File", let size = message.fileSize, size.uint64Value > 0 {
      notes.append("\(size) bytes")
      if message.fileState == kBBMChatMessage_FileStateFailed { notes.append("Download failed") }
    }
    if isOwn { notes.append(ChatModel.mark(message)) }
    let name = isOwn ? nil : session.names.name(of: message.resolvedSenderUri) ?? "…"
    return MessageCell.Line(
      text: ChatModel.text(of: message), name: name, note: notes.filter { !$0.isEmpty }.joined(separator: " · "),
      isOwn: isOwn)
  }

  // MARK: what the user does

  private func edited() {
    guard let chatId = chat.chatId, field.hasText, Date().timeIntervalSince(lastTyping) > 4 else { return }
    lastTyping = Date()
    ChatActions.typing(in: chatId)
  }

  private func sendText() {
    let text = (field.text ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    guard let chatId = chat.chatId, !text.isEmpty else { return }
    // The service takes 2,000 characters, which are code points.
    guard text.unicodeScalars.count <= 2_000 else { return showProblem("A message has at most 2,000 characters.") }
    field.text = ""
    ChatActions.send(text, to: chatId)
  }

  private func askForFile() {
    askForPath("Send File", "Which file? It may have 128 MB.", "Send", "") { [weak self] path in
      guard let self, let chatId = chat.chatId else { return }
      guard FileManager.default.isReadableFile(atPath: path) else {
        return showProblem("The file \(path) can't be read.")
      }
      ChatActions.sendFile(path, to: chatId)
    }
  }

  private func askForPath(
    _ title: String, _ text: String, _ answer: String, _ path: String, done: @escaping @MainActor (String) -> Void
  ) {
    let alert = UIAlertController(title: title, message: text, preferredStyle: .alert)
    alert.addTextField { field in
      field.placeholder = "Path"
      field.accessibilityLabel = "Path"
      field.text = path
      field.autocapitalizationType = .none
      field.autocorrectionType = .no
    }
    alert.addAction(UIAlertAction(title: "Cancel", style: .cancel))
    let action = UIAlertAction(title: answer, style: .default) { [weak alert] _ in
      let path = (alert?.textFields?.first?.text ?? "").trimmingCharacters(in: .whitespaces)
      if !path.isEmpty { done((path as NSString).expandingTildeInPath) }
    }
    alert.addAction(action)
    alert.preferredAction = action
    present(alert, animated: true)
  }

  private func askAbout(_ message: BBMChatMessage) {
    guard let chatId = chat.chatId, message.bbmState == kBBMStateCurrent else { return }
    let id = message.messageId
    let sheet = UIAlertController(title: ChatModel.text(of: message), message: nil, preferredStyle: .actionSheet)
    let isRecalled = message.recall == kBBMChatMessage_RecallRecalled
    if message.tag == "File", !isRecalled {
      sheet.addAction(UIAlertAction(title: "Save File", style: .default) { [weak self] _ in self?.askToSave(message) })
    }
    if !message.isIncomingFlagSet, !isRecalled {
      sheet.addAction(
        UIAlertAction(title: "Recall for Everybody", style: .destructive) { _ in ChatActions.recall(id, in: chatId) })
    }
    sheet.addAction(
      UIAlertAction(title: "Delete on My Devices", style: .destructive) { _ in ChatActions.delete(id, in: chatId) })
    sheet.addAction(UIAlertAction(title: "Cancel", style: .cancel))
    present(sheet, animated: true)
  }

  private func askToSave(_ message: BBMChatMessage) {
    let suggested = "~/" + ChatModel.fileName(of: message)
    askForPath("Save File", "Where?", "Save", suggested) { [weak self] path in
      self?.saver.save(message, to: path) { problem in
        if let problem { self?.showProblem(problem) }
      }
    }
  }

  // MARK: rows

  func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { max(messages.count, 1) }

  func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
    let cell = MessageCell(style: .default, reuseIdentifier: nil)
    if messages.isEmpty {
      cell.show(MessageCell.Line(text: "No messages yet.", name: nil, note: "", isOwn: false))
    } else {
      cell.show(line(of: messages[indexPath.row]))
    }
    return cell
  }

  func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
    tableView.deselectRow(at: indexPath, animated: true)
    if messages.indices.contains(indexPath.row) { askAbout(messages[indexPath.row]) }
  }
}
