#if !canImport(UIKit) || os(Linux)
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
  /// Whether a bar is seen at the side while it scrolls.
  open var showsVerticalScrollIndicator = true { didSet { contentChanged() } }
  /// Whether a bar is seen below while it scrolls.
  open var showsHorizontalScrollIndicator = true { didSet { contentChanged() } }
  /// Whether it can be pulled past its end; kept for apps that set it.
  open var alwaysBounceVertical = false

  /// The drag that scrolls it.
  public let panGestureRecognizer: UIPanGestureRecognizer = ScrollGestureRecognizer()
  /// Whether a person drags it.
  public internal(set) var isDragging = false
  var areBarsSeen = false
  var hidingOfBars: Task<Void, Never>?

  /// A view that scrolls; what is outside is hidden.
  public override init(frame: CGRect) {
    super.init(frame: frame)
    prepare()
  }

  /// A view from an archive.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
    prepare()
  }

  private func prepare() {
    clipsToBounds = true
    panGestureRecognizer.addTarget(self, action: UIScrollView.drag)
    addGestureRecognizer(panGestureRecognizer)
  }

  /// Scrolls so that a point of the content lies at the view's corner.
  open func setContentOffset(_ contentOffset: CGPoint, animated: Bool) { self.contentOffset = contentOffset }

  /// Scrolls by a distance, as far as the content goes; false when it does not move.
  func scroll(by distance: CGPoint) -> Bool {
    guard isScrollEnabled else { return false }
    func moved(_ offset: CGFloat, _ by: CGFloat, _ start: CGFloat, _ end: CGFloat) -> CGFloat {
      // An offset that an app has set beyond the ends stays there until it is moved back.
      by > 0 ? max(offset, min(offset + by, end)) : by < 0 ? min(offset, max(offset + by, start)) : offset
    }
    let old = contentOffset
    let (left, top) = (-contentInset.left, -contentInset.top)
    contentOffset = CGPoint(
      x: moved(old.x, distance.x, left, max(contentSize.width - bounds.width + contentInset.right, left)),
      y: moved(old.y, distance.y, top, max(contentSize.height - bounds.height + contentInset.bottom, top)))
    guard contentOffset != old else { return false }
    flashScrollIndicators()
    return true
  }

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
