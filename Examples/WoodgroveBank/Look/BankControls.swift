import Foundation
import UIKit

extension UIColor {
  static let bank = UIColor(red: 0.04, green: 0.35, blue: 0.29, alpha: 1)
  /// Text of less weight.
  static let bankGrey = UIColor(white: 0.33, alpha: 1)
  /// The colour of buttons that end something.
  static let bankRed = UIColor(red: 0.7, green: 0.11, blue: 0.14, alpha: 1)
  /// The background of text that belongs together.
  static let bankPale = UIColor(red: 0.91, green: 0.95, blue: 0.93, alpha: 1)
  static let bankText = UIColor(white: 0.1, alpha: 1)
}

/// A line or lines of text.
final class BankLabel: UILabel {
  init(_ text: String, font: UIFont = .systemFont(ofSize: 15), color: UIColor = .bankText) {
    super.init(frame: .zero)
    self.text = text
    self.font = font
    textColor = color
    numberOfLines = 0
  }

  required init?(coder: NSCoder) { super.init(coder: coder) }
}

/// A line to type, which says what belongs into it.
final class BankField: UITextField {
  init(_ name: String) {
    super.init(frame: .zero)
    placeholder = name
    accessibilityLabel = name
    borderStyle = .roundedRect
    font = .systemFont(ofSize: 15)
  }

  required init?(coder: NSCoder) { super.init(coder: coder) }
}

/// A button: filled for what the screen is for, plain for the rest.
final class BankButton: UIButton {
  private var isPrimary = true
  private var color = UIColor.bank

  init(_ title: String, isPrimary: Bool = true, color: UIColor = .bank) {
    self.isPrimary = isPrimary
    self.color = color
    super.init(frame: .zero)
    setTitle(title, for: .normal)
    setFont(16)
    layer.cornerRadius = 8
    paint()
  }

  required init?(coder: NSCoder) { super.init(coder: coder) }

  override var isEnabled: Bool { didSet { paint() } }

  /// A title that is too long for a narrow window is written smaller.
  override func layoutSubviews() {
    super.layoutSubviews()
    for size in stride(from: 16.0, through: 10, by: -1) {
      setFont(size)
      if sizeThatFits(bounds.size).width - 8 <= bounds.width { return }
    }
  }

  private func setFont(_ size: CGFloat) {
    titleLabel?.font = .systemFont(ofSize: size, weight: isPrimary ? .semibold : .regular)
  }

  private func paint() {
    if isPrimary { backgroundColor = isEnabled ? color : UIColor(white: 0.88, alpha: 1) }
    setTitleColor(isPrimary ? .white : color, for: .normal)
    setTitleColor(UIColor(white: 0.38, alpha: 1), for: .disabled)
  }
}

/// A switch with its name.
final class SwitchRow: UIView {
  private let label = BankLabel("")
  private let toggle = UISwitch()

  init(_ name: String) {
    super.init(frame: .zero)
    label.text = name
    toggle.accessibilityLabel = name
    addSubview(label)
    addSubview(toggle)
  }

  required init?(coder: NSCoder) { super.init(coder: coder) }

  var isOn: Bool {
    get { toggle.isOn }
    set { toggle.isOn = newValue }
  }

  override func sizeThatFits(_ size: CGSize) -> CGSize { CGSize(width: size.width, height: 36) }

  override func layoutSubviews() {
    let side = toggle.frame.size
    toggle.frame.origin = CGPoint(x: bounds.width - side.width, y: (bounds.height - side.height) / 2)
    label.frame = CGRect(x: 0, y: 0, width: max(toggle.frame.minX - 8, 0), height: bounds.height)
  }
}
