#if !canImport(UIKit) || os(Linux)
import Foundation

/// How an alert looks: a box over a dark veil, with a button for each answer. An alert lies in the middle of the
/// window, a sheet at its lower edge, both away from its edges; what is higher than the window scrolls.
final class AlertView: UIView {
  private static let margin: CGFloat = 16
  private static let padding: CGFloat = 20
  private static let gap: CGFloat = 8
  private static let buttonHeight: CGFloat = 38
  private static let fieldHeight: CGFloat = 36

  let box = UIScrollView()
  private let title = UILabel()
  private let message = UILabel()
  private var fields: [UITextField] = []
  private var buttons: [(button: UIButton, action: UIAlertAction)] = []
  private let isSheet: Bool

  init(_ alert: UIAlertController) {
    isSheet = alert.preferredStyle == .actionSheet
    super.init(frame: .zero)
    backgroundColor = UIColor(white: 0, alpha: 0.4)
    accessibilityLabel = [alert.title, alert.message].compactMap { $0 }.joined(separator: " ")
    box.backgroundColor = .systemBackground
    box.layer.cornerRadius = 12
    addSubview(box)
    set(title, alert.title, .boldSystemFont(ofSize: 16))
    set(message, alert.message, .systemFont(ofSize: 14))
    fields = alert.textFields ?? []
    for field in fields {
      box.addSubview(field)
      field.addAction(
        UIAction { [weak alert] _ in
          if let alert, let action = alert.returnAction { alert.choose(action) }
        }, for: .editingDidEndOnExit)
    }
    let preferred = alert.returnAction
    for action in alert.shownActions {
      let button = UIButton(type: .system)
      button.setTitle(action.title, for: .normal)
      button.isEnabled = action.isEnabled
      if action === preferred { button.titleLabel?.font = .boldSystemFont(ofSize: UIFont.buttonFontSize) }
      if action.style == .destructive { button.setTitleColor(.systemRed, for: .normal) }
      button.addAction(UIAction { [weak alert] _ in alert?.choose(action) }, for: .touchUpInside)
      action.onChange = { [weak button, weak action] in button?.isEnabled = action?.isEnabled ?? false }
      box.addSubview(button)
      buttons.append((button, action))
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

  /// As large as the longest word allows, so that none is broken that fits a little smaller.
  private static func titleFont(for text: String, width: CGFloat) -> UIFont {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    let fonts = [16, 15, 14, 13].map { UIFont.boldSystemFont(ofSize: $0) }
    let fitting = fonts.first { font in
      words.allSatisfy {
        TextMetrics.size(of: $0, font: font, width: .greatestFiniteMagnitude, lines: 1).width <= width
      }
    }
    return fitting ?? fonts[0]
  }

  /// The first receiver of keys: the first field, or the button that the return key presses, or the first button.
  func firstStop(_ preferred: UIAlertAction?) -> UIView? {
    fields.first { $0.isEnabled } ?? buttons.first { $0.action === preferred }?.button
      ?? buttons.first { $0.button.isEnabled }?.button
  }

  override func layoutSubviews() {
    let width = max(min(isSheet ? 400 : 320, bounds.width - 2 * Self.margin), 0)
    let inner = max(width - 2 * Self.padding, 0)
    var y = Self.padding
    title.font = Self.titleFont(for: title.text ?? "", width: inner)
    for label in [title, message] where label.superview != nil {
      let height = label.sizeThatFits(CGSize(width: inner, height: 0)).height.rounded(.up)
      label.frame = CGRect(x: Self.padding, y: y, width: inner, height: height)
      y += height + Self.gap
    }
    for field in fields {
      field.frame = CGRect(x: Self.padding, y: y, width: inner, height: Self.fieldHeight)
      y += Self.fieldHeight + Self.gap
    }
    if y > Self.padding { y += Self.gap }
    let half = (inner - Self.gap) / 2
    if buttons.count == 2, !isSheet, buttons.allSatisfy({ $0.button.sizeThatFits(.zero).width <= half }) {
      // Two answers stand next to each other, the one that cancels at the left.
      for (index, (button, _)) in buttons.reversed().enumerated() {
        button.frame = CGRect(
          x: Self.padding + CGFloat(index) * (half + Self.gap), y: y, width: half, height: Self.buttonHeight)
      }
      y += Self.buttonHeight
    } else {
      for (button, _) in buttons {
        button.frame = CGRect(x: Self.padding, y: y, width: inner, height: Self.buttonHeight)
        y += Self.buttonHeight + Self.gap
      }
      if !buttons.isEmpty { y -= Self.gap }
    }
    y += Self.padding
    box.contentSize = CGSize(width: width, height: y)
    let height = max(min(y, bounds.height - 2 * Self.margin), 0)
    let top = isSheet ? bounds.height - height - Self.margin : ((bounds.height - height) / 2).rounded()
    box.frame = CGRect(x: ((bounds.width - width) / 2).rounded(), y: top, width: width, height: height)
    // Scrolled no further than there is.
    box.contentOffset.y = min(box.contentOffset.y, y - height)
  }
}
#endif
