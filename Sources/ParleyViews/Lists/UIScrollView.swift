#if !canImport(UIKit)
public import Foundation

/// A view whose content may be larger than itself.
open class UIScrollView: UIView {
  /// How large the content is.
  open var contentSize = CGSize.zero { didSet { if contentSize != oldValue { contentChanged() } } }
  /// The point of the content at the view's corner.
  open var contentOffset: CGPoint {
    get { bounds.origin }
    set { bounds.origin = newValue }
  }
  /// Room around the content.
  open var contentInset = UIEdgeInsets.zero { didSet { contentChanged() } }
  /// Whether people can scroll.
  open var isScrollEnabled = true
  /// Whether a bar is seen at the side; kept for apps that set it.
  open var showsVerticalScrollIndicator = true
  /// Whether a bar is seen below; kept for apps that set it.
  open var showsHorizontalScrollIndicator = true
  /// Whether it can be pulled past its end; kept for apps that set it.
  open var alwaysBounceVertical = false

  /// A view that scrolls; what is outside is hidden.
  public override init(frame: CGRect) {
    super.init(frame: frame)
    clipsToBounds = true
  }

  /// A view from an archive.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
    clipsToBounds = true
  }

  /// Scrolls so that a point of the content lies at the view's corner.
  open func setContentOffset(_ contentOffset: CGPoint, animated: Bool) { self.contentOffset = contentOffset }

  /// Scrolls as little as needed for a rectangle of the content to be seen.
  open func scrollRectToVisible(_ rect: CGRect, animated: Bool) {
    var offset = contentOffset
    if rect.maxY > offset.y + bounds.height { offset.y = rect.maxY - bounds.height }
    if rect.minY < offset.y { offset.y = rect.minY }
    if rect.maxX > offset.x + bounds.width { offset.x = rect.maxX - bounds.width }
    if rect.minX < offset.x { offset.x = rect.minX }
    contentOffset = offset
  }
}
#endif
