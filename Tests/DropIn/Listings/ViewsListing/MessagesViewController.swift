// Code of apps as they are: language mode 5, plain classes, no annotation. That it compiles as it stands is half of the
// test.

import UIKit

/// A list of messages with buttons in its bar, as the screens of chats are.
class MessagesViewController: UITableViewController {
  var messages = ["Hello", "Are you there?"]
  private(set) var pressed: [String] = []
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  private(set) var muteButton: UIBarButtonItem!

  override func viewDidLoad() {
    super.viewDidLoad()
    title = "Messages"
    muteButton = UIBarButtonItem(title: "Mute", style: .plain, target: self, action: MessagesViewController.mute)
    let refresh = UIBarButtonItem(
      title: "Refresh", style: .plain, target: self, action: MessagesViewController.refresh)
    let space = UIBarButtonItem(barButtonSystemItem: .flexibleSpace, target: nil, action: nil)
    let add = UIBarButtonItem(barButtonSystemItem: .add, target: self, action: MessagesViewController.add)
    navigationItem.rightBarButtonItems = [muteButton, space, refresh, add]
    navigationItem.leftBarButtonItem = UIBarButtonItem(
      barButtonSystemItem: .done, target: self, action: MessagesViewController.done)
    navigationItem.backBarButtonItem = UIBarButtonItem(title: "Back", style: .plain, target: nil, action: nil)
  }

  func mute(_ sender: UIBarButtonItem) {
    sender.title = sender.title == "Mute" ? "Unmute" : "Mute"
    pressed.append("mute")
  }

  func add(_ sender: Any?) {
    messages.append("New")
    pressed.append("add \(sender is UIBarButtonItem)")
    tableView.reloadData()
  }

  func refresh() { pressed.append("refresh") }
  func done() { pressed.append("done") }

  override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { return messages.count }

  override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
    guard indexPath.row > 0 else { return UITableViewCell() }
    let cell = MessageCell()
    cell.show(messages[indexPath.row])
    return cell
  }
}

/// A row with a view of its own.
class MessageCell: UITableViewCell {
  let bubble = UILabel()

  override init(style: UITableViewCell.CellStyle, reuseIdentifier: String?) {
    super.init(style: style, reuseIdentifier: reuseIdentifier)
    contentView.addSubview(bubble)
  }

  required init?(coder aDecoder: NSCoder) {
    super.init(coder: aDecoder)
  }

  func show(_ message: String) {
    bubble.text = message
    let button = UIButton(type: .roundedRect)
    button.setTitle("Reply", for: .normal)
    accessoryView = button
  }
}
