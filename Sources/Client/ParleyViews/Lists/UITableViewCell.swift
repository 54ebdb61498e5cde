#if !canImport(UIKit) || os(Linux)
public import Foundation

/// A row of a list.
open class UITableViewCell: UIView {
  /// The content of a row.
  public enum CellStyle: Int, Hashable, Sendable {
    /// An image and a text.
    case `default` = 0
    /// A text at the left and one at the right.
    case value1 = 1
    /// A text at the left and one next to it.
    case value2 = 2
    /// A text and a smaller one below.
    case subtitle = 3
  }

  /// The mark at the right.
  public enum AccessoryType: Int, Hashable, Sendable {
    case none = 0
    /// An arrow: it leads on.
    case disclosureIndicator = 1
    /// An arrow and a button.
    case detailDisclosureButton = 2
    case checkmark = 3
    case detailButton = 4
  }

  /// How it looks when it is selected.
  public enum SelectionStyle: Int, Hashable, Sendable {
    /// A selected row looks as before.
    case none = 0
    case blue = 1
    case gray = 2
    /// As the theme has it.
    case `default` = 3
  }

  /// The content that it has room for.
  let style: CellStyle
  /// The name of its kind, by which it is used again.
  open internal(set) var reuseIdentifier: String?
  /// The view that holds the cell's content.
  public let contentView = UIView()
  open private(set) lazy var textLabel: UILabel? = content(UILabel())
  /// Its smaller text; nil in the style that has none.
  open private(set) lazy var detailTextLabel: UILabel? = style == .default ? nil : detail()
  open private(set) lazy var imageView: UIImageView? = content(UIImageView())
  /// The mark at the right.
  open var accessoryType = AccessoryType.none { didSet { setNeedsLayout() } }
  /// A view of one's own at the right.
  open var accessoryView: UIView? {
    didSet {
      oldValue?.removeFromSuperview()
      if let accessoryView { addSubview(accessoryView) }
    }
  }
  /// How it looks when it is selected.
  open var selectionStyle = SelectionStyle.default
  /// Whether it is selected.
  open var isSelected = false { didSet { if isSelected != oldValue { contentChanged() } } }
  /// Whether it is being pressed.
  open var isHighlighted = false

  private lazy var accessoryLabel = UILabel()

  /// A row in a style.
  public init(style: CellStyle, reuseIdentifier: String?) {
    self.style = style
    self.reuseIdentifier = reuseIdentifier
    super.init(frame: CGRect(x: 0, y: 0, width: 320, height: 44))
    prepare()
  }

  /// A plain row of this size.
  public convenience override init(frame: CGRect) {
    self.init(style: .default, reuseIdentifier: nil)
    self.frame = frame
  }

  public convenience init() { self.init(style: .default, reuseIdentifier: nil) }

  /// A row from an archive: how rows of a registered class are made.
  public required init?(coder: NSCoder) {
    style = .default
    super.init(coder: coder)
    frame = CGRect(x: 0, y: 0, width: 320, height: 44)
    prepare()
  }

  private func prepare() {
    clipsToBounds = true
    contentView.frame = bounds
    addSubview(contentView)
  }

  private func content<View: UIView>(_ view: View) -> View {
    contentView.addSubview(view)
    return view
  }

  private func detail() -> UILabel {
    let label = content(UILabel())
    label.font = .systemFont(ofSize: 12)
    label.textColor = .secondaryLabel
    return label
  }

  /// Selects it or not.
  open func setSelected(_ selected: Bool, animated: Bool) { isSelected = selected }
  /// Presses it or not.
  open func setHighlighted(_ highlighted: Bool, animated: Bool) { isHighlighted = highlighted }
  /// It is about to be used for another row.
  open func prepareForReuse() { isSelected = false }

  /// Places content, labels and what is at the right.
  open override func layoutSubviews() {
    var width = bounds.width
    if let accessoryView {
      width -= accessoryView.frame.width + 8
      accessoryView.center = CGPoint(x: width + accessoryView.frame.width / 2, y: bounds.midY)
    } else if accessoryType != .none {
      width -= 28
      accessoryLabel.text = accessoryType == .checkmark ? "✓" : "›"
      accessoryLabel.textColor = .secondaryLabel
      accessoryLabel.frame = CGRect(x: width, y: 0, width: 20, height: bounds.height)
      if accessoryLabel.superview == nil { addSubview(accessoryLabel) }
    } else if accessoryLabel.superview != nil {
      accessoryLabel.removeFromSuperview()
    }
    contentView.frame = CGRect(x: 0, y: 0, width: max(width, 0), height: bounds.height)
    layoutLabels()
  }

  private func layoutLabels() {
    let inner = contentView.bounds
    var left: CGFloat = 16
    // A label is made when it is first asked for, so one that has no superview was never used.
    if let imageView = contentView.subviews.compactMap({ $0 as? UIImageView }).first(where: { $0 === self.imageView }),
      imageView.image != nil
    {
      let side = max(inner.height - 12, 0)
      imageView.contentMode = .scaleAspectFit
      imageView.frame = CGRect(x: left, y: 6, width: side, height: side)
      left += side + 12
    }
    let room = max(inner.width - left - 16, 0)
    let hasDetail = style != .default && !(detailTextLabel?.text ?? "").isEmpty
    switch style {
    case .default:
      textLabel?.frame = CGRect(x: left, y: 0, width: room, height: inner.height)
    case .subtitle:
      let share = hasDetail ? inner.height * 0.55 : inner.height
      textLabel?.frame = CGRect(x: left, y: 0, width: room, height: share)
      detailTextLabel?.frame = CGRect(x: left, y: share - 4, width: room, height: max(inner.height - share, 0))
    case .value1, .value2:
      textLabel?.frame = CGRect(x: left, y: 0, width: room * 0.6, height: inner.height)
      detailTextLabel?.textAlignment = .right
      detailTextLabel?.frame = CGRect(x: left + room * 0.6, y: 0, width: room * 0.4, height: inner.height)
    }
  }
}
#endif
