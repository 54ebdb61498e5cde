#if !canImport(UIKit) || os(Linux)
public import Foundation

open class UILabel: UIView {
  open var text: String? { didSet { if text != oldValue { contentChanged() } } }
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var font: UIFont! = .systemFont(ofSize: UIFont.labelFontSize) { didSet { contentChanged() } }
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var textColor: UIColor! = .label { didSet { contentChanged() } }
  /// How lines lie in the view.
  open var textAlignment: NSTextAlignment = .natural { didSet { contentChanged() } }
  /// The most lines; 0 is as many as it takes.
  open var numberOfLines = 1 { didSet { contentChanged() } }
  /// The treatment of text that is too long.
  open var lineBreakMode: NSLineBreakMode = .byTruncatingTail { didSet { contentChanged() } }
  /// Whether it can be read as active; kept as a look.
  open var isEnabled = true { didSet { contentChanged() } }
  /// Whether text is made smaller to fit; kept for apps that set it.
  open var adjustsFontSizeToFitWidth = false

  /// A label; touches go through it.
  public override init(frame: CGRect) {
    super.init(frame: frame)
    isUserInteractionEnabled = false
  }

  /// A label from an archive.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
    isUserInteractionEnabled = false
  }

  /// The size of the text, in lines no longer than `size` is wide.
  open override func sizeThatFits(_ size: CGSize) -> CGSize {
    let width = numberOfLines == 1 || size.width <= 0 ? CGFloat.greatestFiniteMagnitude : size.width
    return TextMetrics.size(of: text ?? "", font: font ?? .systemFont(ofSize: 17), width: width, lines: numberOfLines)
  }

  /// The size of the text on one line, or on lines as long as the view is wide.
  open override var intrinsicContentSize: CGSize { sizeThatFits(bounds.size) }
}
#endif
