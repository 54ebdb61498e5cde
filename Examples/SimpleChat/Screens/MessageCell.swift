import Foundation
import UIKit

/// A message in its bubble: the user's own at the right, others' at the left with their name.
final class MessageCell: UITableViewCell {
  struct Line {
    let text: String
    let name: String?
    /// How far it has come, in small letters below the text.
    let note: String
    let isOwn: Bool
  }

  private let bubble = UIView()
  private let nameLabel = UILabel()
  private let messageLabel = UILabel()
  private let noteLabel = UILabel()
  private var isOwn = false

  func show(_ line: Line) {
    isOwn = line.isOwn
    nameLabel.text = line.name
    nameLabel.isHidden = line.name == nil
    nameLabel.font = .boldSystemFont(ofSize: 12)
    nameLabel.textColor = .darkGray
    messageLabel.text = line.text
    messageLabel.numberOfLines = 0
    noteLabel.text = line.note
    noteLabel.isHidden = line.note.isEmpty
    noteLabel.font = .systemFont(ofSize: 11)
    noteLabel.textColor = .darkGray
    noteLabel.textAlignment = line.isOwn ? .right : .left
    bubble.backgroundColor =
      line.isOwn ? UIColor(red: 0.85, green: 0.92, blue: 1, alpha: 1) : UIColor(white: 0.93, alpha: 1)
    bubble.layer.cornerRadius = 12
    contentView.addSubview(bubble)
    for label in [nameLabel, messageLabel, noteLabel] { bubble.addSubview(label) }
  }

  private var top: CGFloat { nameLabel.isHidden ? 7 : 24 }
  private var bottom: CGFloat { noteLabel.isHidden ? 7 : 22 }

  private func textSize(_ width: CGFloat) -> CGSize {
    messageLabel.sizeThatFits(CGSize(width: max(min(width - 72, 440), 40), height: 0))
  }

  override func sizeThatFits(_ size: CGSize) -> CGSize {
    CGSize(width: size.width, height: top + textSize(size.width).height + bottom + 6)
  }

  override func layoutSubviews() {
    super.layoutSubviews()
    let text = textSize(bounds.width)
    let small = [nameLabel, noteLabel].map { $0.isHidden ? 0 : $0.sizeThatFits(.zero).width }
    let width = min(max(text.width, small[0], small[1]).rounded(.up) + 24, max(bounds.width - 20, 0))
    let height = top + text.height.rounded(.up) + bottom
    bubble.frame = CGRect(x: isOwn ? bounds.width - width - 10 : 10, y: 3, width: width, height: height)
    let inner = max(width - 20, 0)
    nameLabel.frame = CGRect(x: 10, y: 4, width: inner, height: 18)
    messageLabel.frame = CGRect(x: 10, y: top, width: inner, height: text.height.rounded(.up) + 1)
    noteLabel.frame = CGRect(x: 10, y: height - 20, width: inner, height: 16)
  }
}
