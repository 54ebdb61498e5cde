#if !canImport(UIKit) || os(Linux)
public import Foundation

/// A choice between on and off.
open class UISwitch: UIControl {
  /// Whether it is on. Setting it calls nobody.
  open var isOn = false { didSet { if isOn != oldValue { contentChanged() } } }
  /// The colour of the part that is on; kept for apps that set it.
  open var onTintColor: UIColor?

  /// A switch of the usual size, when `frame` has none.
  public override init(frame: CGRect) {
    super.init(frame: frame.size == .zero ? CGRect(origin: frame.origin, size: Self.usualSize) : frame)
  }

  /// A switch from an archive.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
    frame.size = Self.usualSize
  }

  private static let usualSize = CGSize(width: 51, height: 31)

  /// Turns it on or off.
  open func setOn(_ on: Bool, animated: Bool) { isOn = on }

  /// Turns it over, and calls who waits for ``UIControl/Event/valueChanged``.
  override func press() {
    guard isEnabled else { return }
    isOn.toggle()
    sendActions(for: [.valueChanged, .touchUpInside, .primaryActionTriggered])
  }

  open override func sizeThatFits(_ size: CGSize) -> CGSize { Self.usualSize }
}

/// Says that something is under way.
open class UIActivityIndicatorView: UIView {
  /// How large it is.
  public enum Style: Int, Hashable, Sendable {
    /// Large and white, by an older name.
    case whiteLarge = 0
    /// Small and white, by an older name.
    case white = 1
    /// Small and grey, by an older name.
    case gray = 2
    /// The smaller of two sizes.
    case medium = 100
    /// The larger of two sizes.
    case large = 101
  }

  /// How large it is.
  open var style: Style { didSet { contentChanged() } }
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var color: UIColor! = .systemGray
  /// Whether it is out of sight while it rests.
  open var hidesWhenStopped = true { didSet { contentChanged() } }
  /// Whether it turns; it is hidden otherwise if `hidesWhenStopped`.
  open private(set) var isAnimating = false

  /// An indicator in a style.
  public init(style: Style) {
    self.style = style
    let side: CGFloat = style == .large || style == .whiteLarge ? 37 : 20
    super.init(frame: CGRect(x: 0, y: 0, width: side, height: side))
  }

  /// An indicator in a style, by the older label.
  public convenience init(activityIndicatorStyle style: Style) { self.init(style: style) }

  public override init(frame: CGRect) {
    style = .medium
    super.init(frame: frame)
  }

  /// An indicator from an archive.
  public required init?(coder: NSCoder) {
    style = .medium
    super.init(coder: coder)
  }

  open func startAnimating() {
    isAnimating = true
    contentChanged()
  }

  open func stopAnimating() {
    isAnimating = false
    contentChanged()
  }
}

open class UIImageView: UIView {
  open var image: UIImage? { didSet { contentChanged() } }

  /// A view of an image, as large as it.
  public init(image: UIImage?) {
    self.image = image
    super.init(frame: CGRect(origin: .zero, size: image?.size ?? .zero))
    isUserInteractionEnabled = false
  }

  public override init(frame: CGRect) {
    super.init(frame: frame)
    isUserInteractionEnabled = false
  }

  /// A view from an archive.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
    isUserInteractionEnabled = false
  }

  /// The image's size; zero without one.
  open override func sizeThatFits(_ size: CGSize) -> CGSize { image?.size ?? .zero }
}
#endif
