#if !canImport(UIKit) || os(Linux)
public import Foundation

open class UIButton: UIControl {
  /// The look of a button.
  public enum ButtonType: Int, Hashable, Sendable {
    /// Only what it holds.
    case custom = 0
    /// As buttons of the system look.
    case system = 1
    /// Of the system, for details.
    case detailDisclosure = 2
    /// Of the system, for information.
    case infoLight = 3
    /// Of the system, for information, dark.
    case infoDark = 4
    /// Of the system, to add contacts.
    case contactAdd = 5
    /// Of the system, to close.
    case close = 7

    /// The old name of ``system``.
    public static var roundedRect: ButtonType { .system }
  }

  private var titles: [UIControl.State: String] = [:]
  private var colors: [UIControl.State: UIColor] = [:]
  private var images: [UIControl.State: UIImage] = [:]

  open private(set) var buttonType: ButtonType = .custom

  private lazy var label: UILabel = {
    let label = UILabel()
    label.font = .systemFont(ofSize: UIFont.buttonFontSize)
    label.textAlignment = .center
    return label
  }()

  /// The label that shows the title, with the title of the present state. Set the title by ``setTitle(_:for:)``, not
  /// here.
  open var titleLabel: UILabel? {
    label.text = currentTitle
    return label
  }

  /// A button with nothing on it.
  public override init(frame: CGRect) { super.init(frame: frame) }

  /// A button from an archive.
  public required init?(coder: NSCoder) { super.init(coder: coder) }

  /// A button that looks like a type.
  public convenience init(type buttonType: ButtonType) {
    self.init(frame: .zero)
    self.buttonType = buttonType
    if buttonType == .close { setTitle("Close", for: .normal) }
  }

  /// A button that runs an action and shows its title.
  public convenience init(type buttonType: ButtonType = .system, primaryAction: UIAction?) {
    self.init(type: buttonType)
    guard let primaryAction else { return }
    setTitle(primaryAction.title, for: .normal)
    setImage(primaryAction.image, for: .normal)
    addAction(primaryAction, for: .primaryActionTriggered)
  }

  /// Sets the title for a state; a state without one has the normal one's.
  open func setTitle(_ title: String?, for state: UIControl.State) {
    titles[state] = title
    contentChanged()
  }
  /// The title of a state.
  open func title(for state: UIControl.State) -> String? { titles[state] ?? titles[.normal] }
  /// Sets the title's colour for a state.
  open func setTitleColor(_ color: UIColor?, for state: UIControl.State) {
    colors[state] = color
    contentChanged()
  }
  /// The title's colour in a state.
  open func titleColor(for state: UIControl.State) -> UIColor? { colors[state] ?? colors[.normal] }
  /// Sets the image for a state; without one it is that of `normal`.
  open func setImage(_ image: UIImage?, for state: UIControl.State) {
    images[state] = image
    contentChanged()
  }
  /// The image of a state; without one that of `normal`.
  open func image(for state: UIControl.State) -> UIImage? { images[state] ?? images[.normal] }

  /// The title it shows.
  open var currentTitle: String? { title(for: state) }
  open var currentTitleColor: UIColor? { titleColor(for: state) }
  open var currentImage: UIImage? { image(for: state) }

  /// The size of the title or the image, and room around it.
  open override func sizeThatFits(_ size: CGSize) -> CGSize {
    let text = TextMetrics.size(
      of: currentTitle ?? "", font: titleLabel?.font ?? .systemFont(ofSize: UIFont.buttonFontSize),
      width: .greatestFiniteMagnitude, lines: 1)
    let picture = currentImage?.size ?? .zero
    return CGSize(width: text.width + picture.width + 24, height: max(text.height, picture.height) + 12)
  }

  /// The size of the title or the image, and room around it.
  open override var intrinsicContentSize: CGSize { sizeThatFits(bounds.size) }
}
#endif
