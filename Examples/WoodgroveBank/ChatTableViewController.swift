import Foundation
import UIKit

/// The lines of a chat: the customer's at the right, the agent's at the left, and between them what happens.
class ChatTableViewController: UIViewController, UITableViewDataSource {
  private enum Line {
    case own(name: String, text: String)
    case participant(name: String, text: String)
    case status(String)
  }

  private let table = UITableView(frame: .zero, style: .plain)
  private var lines: [Line] = []

  override func viewDidLoad() {
    super.viewDidLoad()
    view.backgroundColor = .white
    table.dataSource = self
    table.rowHeight = UITableView.automaticDimension
    table.separatorStyle = .none
    table.allowsSelection = false
    table.frame = view.bounds
    table.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    view.addSubview(table)
  }

  func addMessage(_ text: String, from name: String?, isOwn: Bool) {
    let name = name ?? "You"
    add(isOwn ? .own(name: name, text: text) : .participant(name: name, text: text))
  }

  func addStatus(_ text: String) { add(.status(text)) }

  private func add(_ line: Line) {
    lines.append(line)
    table.reloadData()
    table.scrollToRow(at: IndexPath(row: lines.count - 1, section: 0), at: .bottom, animated: true)
  }

  func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { lines.count }

  func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
    let cell = ChatCell(style: .default, reuseIdentifier: nil)
    switch lines[indexPath.row] {
    case .own(let name, let text): cell.show(text, name: name, .bankPale, place: 1)
    case .participant(let name, let text): cell.show(text, name: name, UIColor(white: 0.93, alpha: 1), place: 0)
    case .status(let text): cell.show(text, name: nil, nil, place: 0.5)
    }
    return cell
  }
}

/// A line in its bubble.
final class ChatCell: UITableViewCell {
  private let bubble = UIView()
  private let nameLabel = BankLabel("", font: .boldSystemFont(ofSize: 12), color: .bankGrey)
  private let messageLabel = BankLabel("")
  private var place: CGFloat = 0

  /// Shows a text; `place` is where it lies, from 0 at the left to 1 at the right.
  func show(_ text: String, name: String?, _ color: UIColor?, place: CGFloat) {
    self.place = place
    nameLabel.text = name
    nameLabel.isHidden = name == nil
    messageLabel.text = text
    if color == nil {
      messageLabel.textColor = .bankGrey
      messageLabel.textAlignment = .center
      messageLabel.font = .systemFont(ofSize: 13)
    }
    bubble.backgroundColor = color
    bubble.layer.cornerRadius = 10
    contentView.addSubview(bubble)
    for label in [nameLabel, messageLabel] { bubble.addSubview(label) }
  }

  private var top: CGFloat { nameLabel.isHidden ? 6 : 24 }

  private func messageSize(_ width: CGFloat) -> CGSize {
    messageLabel.sizeThatFits(CGSize(width: max(min(width - 64, 480), 40), height: 0))
  }

  override func sizeThatFits(_ size: CGSize) -> CGSize {
    CGSize(width: size.width, height: top + messageSize(size.width).height + 14)
  }

  override func layoutSubviews() {
    super.layoutSubviews()
    let text = messageSize(bounds.width)
    let name = nameLabel.isHidden ? 0 : nameLabel.sizeThatFits(.zero).width
    let width = max(text.width, name).rounded(.up) + 22
    let height = top + text.height.rounded(.up) + 8
    bubble.frame = CGRect(x: 10 + (bounds.width - 20 - width) * place, y: 3, width: width, height: height)
    nameLabel.frame = CGRect(x: 10, y: 4, width: width - 20, height: 18)
    messageLabel.frame = CGRect(x: 10, y: top, width: width - 20, height: text.height.rounded(.up) + 2)
  }
}
