#if !canImport(UIKit)
import Foundation

/// How an alert looks in a window without a desktop: a box over a dark veil, with a button for each answer.
final class AlertView: UIView {
  private static let buttonHeight: CGFloat = 44
  private static let width: CGFloat = 270

  private let box = UIView()
  private let title = UILabel()
  private let message = UILabel()
  private var fields: [UITextField] = []
  private var buttons: [UIButton] = []
  private let isSheet: Bool

  init(_ alert: UIAlertController) {
    isSheet = alert.preferredStyle == .actionSheet
    super.init(frame: .zero)
    backgroundColor = UIColor(white: 0, alpha: 0.4)
    box.backgroundColor = .systemBackground
    box.layer.cornerRadius = 12
    box.clipsToBounds = true
    addSubview(box)
    set(title, alert.title, .boldSystemFont(ofSize: 16))
    set(message, alert.message, .systemFont(ofSize: 13))
    fields = alert.textFields ?? []
    for field in fields { box.addSubview(field) }
    for action in alert.shownActions {
      let button = UIButton(type: .system)
      button.setTitle(action.title, for: .normal)
      button.isEnabled = action.isEnabled
      if action.style == .destructive { button.setTitleColor(.systemRed, for: .normal) }
      button.addAction(UIAction { [weak alert] _ in alert?.choose(action) }, for: .touchUpInside)
      box.addSubview(button)
      buttons.append(button)
    }
  }

  required init?(coder: NSCoder) {
    isSheet = false
    super.init(coder: coder)
  }

  private func set(_ label: UILabel, _ text: String?, _ font: UIFont) {
    label.text = text
    label.font = font
    label.textAlignment = .center
    label.numberOfLines = 0
    if !(text ?? "").isEmpty { box.addSubview(label) }
  }

  override func layoutSubviews() {
    let width = isSheet ? max(bounds.width - 16, 0) : min(Self.width, bounds.width)
    var y: CGFloat = 16
    for label in [title, message] where label.superview != nil {
      let height = label.sizeThatFits(CGSize(width: width - 32, height: 0)).height
      label.frame = CGRect(x: 16, y: y, width: width - 32, height: height)
      y += height + 6
    }
    for field in fields {
      field.frame = CGRect(x: 16, y: y, width: width - 32, height: 34)
      y += 40
    }
    y += 8
    if buttons.count == 2, !isSheet {
      // Two answers stand beside each other, the one that cancels at the left.
      for (index, button) in buttons.reversed().enumerated() {
        button.frame = CGRect(x: CGFloat(index) * width / 2, y: y, width: width / 2, height: Self.buttonHeight)
      }
      y += Self.buttonHeight
    } else {
      for button in buttons {
        button.frame = CGRect(x: 0, y: y, width: width, height: Self.buttonHeight)
        y += Self.buttonHeight
      }
    }
    let top = isSheet ? bounds.height - y - 8 : (bounds.height - y) / 2
    box.frame = CGRect(x: (bounds.width - width) / 2, y: max(top, 0), width: width, height: y)
  }
}
#endif
