#if !canImport(UIKit) || os(Linux)
public import Foundation

/// A cell of a collection.
open class UICollectionViewCell: UIView {
  /// The name of its kind, by which it is used again.
  open internal(set) var reuseIdentifier: String?
  /// The view that holds the cell's content.
  public let contentView = UIView(frame: .zero)
  /// Whether it is selected.
  open var isSelected = false
  /// Whether it is being pressed.
  open var isHighlighted = false
  /// The view behind its content.
  open var backgroundView: UIView? {
    didSet {
      oldValue?.removeFromSuperview()
      guard let backgroundView else { return }
      backgroundView.frame = bounds
      backgroundView.autoresizingMask = [.flexibleWidth, .flexibleHeight]
      insertSubview(backgroundView, at: 0)
    }
  }

  public override init(frame: CGRect) {
    super.init(frame: frame)
    prepare()
  }

  /// A cell from an archive: how a registered class is made.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
    prepare()
  }

  private func prepare() {
    contentView.frame = bounds
    contentView.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    addSubview(contentView)
  }

  /// It is about to be used for another item.
  open func prepareForReuse() {}

  /// The layout has put it somewhere.
  open func apply(_ layoutAttributes: UICollectionViewLayoutAttributes) {}
}
#endif
