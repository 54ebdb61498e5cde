#if !canImport(UIKit) || os(Linux)
public import Foundation

/// A rectangle on the screen with subviews, in front of each other in their order. Usable without any display.
@preconcurrency @MainActor
open class UIView: UIResponder {
  /// The rectangle in the superview, and the point of its own coordinates that lies at its corner.
  private var storedFrame: CGRect
  private var origin = CGPoint.zero
  var subviewList: [UIView] = []
  var needsLayout = true

  /// The view that holds this one.
  open internal(set) weak var superview: UIView?
  /// The views in this one, the one behind first.
  open var subviews: [UIView] { subviewList }
  /// The window it is in.
  open var window: UIWindow? { root as? UIWindow }
  /// The controller whose view this is.
  weak var controller: UIViewController?

  /// A view with a rectangle in its superview.
  public init(frame: CGRect) {
    storedFrame = Self.checked(frame)
    super.init()
  }

  /// A view from an archive. There are no archives here: it begins empty, as ``init(frame:)`` does.
  public required init?(coder: NSCoder) {
    storedFrame = .zero
    super.init()
  }

  /// A view of no size.
  public convenience override init() { self.init(frame: .zero) }

  /// NaN would spread through every sum; it counts as nothing.
  private static func checked(_ rect: CGRect) -> CGRect {
    func finite(_ value: CGFloat) -> CGFloat { value.isFinite ? value : 0 }
    return CGRect(
      x: finite(rect.origin.x), y: finite(rect.origin.y), width: finite(rect.size.width),
      height: finite(rect.size.height)
    ).standardized
  }

  // MARK: geometry

  /// The rectangle in the coordinates of the superview.
  open var frame: CGRect {
    get { storedFrame }
    set {
      let old = storedFrame
      storedFrame = Self.checked(newValue)
      guard storedFrame != old else { return }
      if storedFrame.size != old.size {
        resizeSubviews(from: old.size)
        setNeedsLayout()
      }
      contentChanged()
    }
  }

  /// The rectangle in the view's own coordinates. Its size is that of ``frame``; its origin scrolls what is inside.
  open var bounds: CGRect {
    get { CGRect(origin: origin, size: storedFrame.size) }
    set {
      let new = Self.checked(newValue)
      if new.origin != origin {
        origin = new.origin
        contentChanged()
      }
      guard new.size != storedFrame.size else { return }
      let middle = center
      frame = CGRect(
        x: middle.x - new.width / 2, y: middle.y - new.height / 2, width: new.width, height: new.height)
    }
  }

  /// The middle of ``frame``.
  open var center: CGPoint {
    get { CGPoint(x: storedFrame.midX, y: storedFrame.midY) }
    set {
      frame.origin = CGPoint(x: newValue.x - storedFrame.width / 2, y: newValue.y - storedFrame.height / 2)
    }
  }

  /// The edges and sides that follow when the superview changes its size.
  open var autoresizingMask: AutoresizingMask = []
  /// Whether the subviews' masks are obeyed.
  open var autoresizesSubviews = true
  /// Kept for apps that set it; there are no constraints here, so masks always count.
  open var translatesAutoresizingMaskIntoConstraints = true

  // MARK: looks

  /// Whether it and everything in it is out of sight and touch.
  open var isHidden = false { didSet { if isHidden != oldValue { contentChanged() } } }
  /// How opaque it and everything in it is, 0 to 1.
  open var alpha: CGFloat = 1 { didSet { if alpha != oldValue { contentChanged() } } }
  /// The colour behind its content; nil is none.
  open var backgroundColor: UIColor? { didSet { if backgroundColor != oldValue { contentChanged() } } }
  /// The colour of what can be pressed; nil is the superview's.
  open var tintColor: UIColor? { didSet { if tintColor != oldValue { contentChanged() } } }
  /// Whether what lies outside the rectangle is hidden.
  open var clipsToBounds = false { didSet { if clipsToBounds != oldValue { contentChanged() } } }
  /// Whether it is light or dark, of a window or the view of its root controller: all windows of the app are so, since
  /// a desktop has one theme for them. Unspecified is as the app is, see
  /// ``UIApplication/run(_:scene:isHeadless:userInterfaceStyle:)``. In other views it is kept for apps that set it.
  open var overrideUserInterfaceStyle = UIUserInterfaceStyle.unspecified {
    didSet { UIApplication.shared.refreshStyle() }
  }
  /// Whether it promises to fill its rectangle; kept for apps that set it.
  open var isOpaque = true
  /// How content fits it.
  open var contentMode: ContentMode = .scaleToFill { didSet { if contentMode != oldValue { contentChanged() } } }
  /// The kind of ``layer`` it makes.
  open class var layerClass: AnyClass { CALayer.self }
  /// Its corners and border.
  public private(set) lazy var layer: CALayer = {
    let layer = (Self.layerClass as? CALayer.Type ?? CALayer.self).init()
    layer.view = self
    if let surface = (layer as? CAEAGLLayer)?.surface { follow(surface) }
    return layer
  }()

  /// The destination of its video; nil if it isn't a view for video.
  var videoSurface: VideoSurface? { (layer as? CAEAGLLayer)?.surface }

  // MARK: finding and touching

  /// A number by which ``viewWithTag(_:)`` finds it.
  open var tag = 0
  /// Whether touches reach it.
  open var isUserInteractionEnabled = true
  /// Whether more than one finger counts; here there is one pointer.
  open var isMultipleTouchEnabled = false
  /// The recognisers that watch it.
  open internal(set) var gestureRecognizers: [UIGestureRecognizer]?

  /// The text for a screen reader; nil is the view's text.
  open var accessibilityLabel: String? { didSet { contentChanged() } }
  /// A name by which tests find it.
  open var accessibilityIdentifier: String?
  /// Whether a screen reader stops here.
  open var isAccessibilityElement = false

  /// The controller whose view this is, or the superview.
  open override var next: UIResponder? { controller ?? superview }

  // MARK: the tree

  /// Adds a view in front of all others; it leaves the superview it had.
  open func addSubview(_ view: UIView) { place(view) { $0.count } }
  /// Adds a view at a place in the order; places outside it count as the nearest.
  open func insertSubview(_ view: UIView, at index: Int) { place(view) { min(max(index, 0), $0.count) } }
  /// Adds a view right before a subview; before all when `sibling` is none.
  open func insertSubview(_ view: UIView, aboveSubview sibling: UIView) {
    place(view) { views in views.firstIndex { $0 === sibling }.map { $0 + 1 } ?? views.count }
  }
  /// Adds a view right behind a subview; behind all when `sibling` is none.
  open func insertSubview(_ view: UIView, belowSubview sibling: UIView) {
    place(view) { views in views.firstIndex { $0 === sibling } ?? 0 }
  }
  /// Lets two subviews change places.
  open func exchangeSubview(at index1: Int, withSubviewAt index2: Int) { exchange(index1, index2) }
  /// Brings a subview in front of the others.
  open func bringSubviewToFront(_ view: UIView) { reorder(view) { $0.append(view) } }
  /// Sends a subview behind the others.
  open func sendSubviewToBack(_ view: UIView) { reorder(view) { $0.insert(view, at: 0) } }
  /// Takes it out of its superview.
  open func removeFromSuperview() { leaveSuperview() }
  /// Whether it is `view` or somewhere in it.
  open func isDescendant(of view: UIView) -> Bool { isInside(view) }
  /// The first view with that number: itself, or the first found in its subviews.
  open func viewWithTag(_ tag: Int) -> UIView? { find(tag) }
  /// Lets a recogniser watch the view.
  open func addGestureRecognizer(_ recognizer: UIGestureRecognizer) { attach(recognizer) }
  /// Lets it watch no more.
  open func removeGestureRecognizer(_ recognizer: UIGestureRecognizer) { detach(recognizer) }
  /// Ends the typing into a field that is in this view; false when the field refuses.
  @discardableResult
  open func endEditing(_ force: Bool) -> Bool { endTyping(force) }

  // MARK: layout

  /// Asks for ``layoutSubviews()`` before the view is shown next.
  open func setNeedsLayout() {
    needsLayout = true
    contentChanged()
  }
  /// Lays out now what asked for it: this view and those in it.
  open func layoutIfNeeded() { layOut() }
  /// Takes on the size that ``sizeThatFits(_:)`` answers.
  open func sizeToFit() { bounds.size = sizeThatFits(bounds.size) }
  /// The margins that other things may lie over; here nothing does.
  open var safeAreaInsets: UIEdgeInsets { .zero }
  /// Places the subviews. Called before the view is shown after ``setNeedsLayout()`` or a change of its size;
  /// subclasses override it.
  open func layoutSubviews() {}

  /// The size it would like to have; subclasses override it.
  open func sizeThatFits(_ size: CGSize) -> CGSize { bounds.size }

  /// The size its content needs; negative where it needs none.
  open var intrinsicContentSize: CGSize { CGSize(width: Self.noIntrinsicMetric, height: Self.noIntrinsicMetric) }
  /// The width or height of a view that has none by itself.
  nonisolated public static let noIntrinsicMetric: CGFloat = -1

  /// The app has become light or dark; colours of the system, and those that come in pairs, follow by themselves.
  open func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?) {}

  // MARK: moving

  /// A subview was added.
  open func didAddSubview(_ subview: UIView) {}
  /// A subview is about to be removed.
  open func willRemoveSubview(_ subview: UIView) {}
  /// The superview is about to change.
  open func willMove(toSuperview newSuperview: UIView?) {}
  /// The superview has changed.
  open func didMoveToSuperview() {}
  /// The window is about to change.
  open func willMove(toWindow newWindow: UIWindow?) {}
  /// The window has changed.
  open func didMoveToWindow() {}

  // MARK: places

  /// A point of this view's in the coordinates of another in the same tree; nil stands for the window.
  open func convert(_ point: CGPoint, to view: UIView?) -> CGPoint {
    let (here, there) = (offsetFromRoot(), view?.offsetFromRoot() ?? .zero)
    return CGPoint(x: point.x + here.x - there.x, y: point.y + here.y - there.y)
  }
  /// A point of another view's in this one's coordinates; nil stands for the window.
  open func convert(_ point: CGPoint, from view: UIView?) -> CGPoint {
    let (here, there) = (offsetFromRoot(), view?.offsetFromRoot() ?? .zero)
    return CGPoint(x: point.x + there.x - here.x, y: point.y + there.y - here.y)
  }
  /// A rectangle of this view's in the coordinates of another in the same tree; nil stands for the window.
  open func convert(_ rect: CGRect, to view: UIView?) -> CGRect {
    CGRect(origin: convert(rect.origin, to: view), size: rect.size)
  }
  /// A rectangle of another view's in this one's coordinates; nil stands for the window.
  open func convert(_ rect: CGRect, from view: UIView?) -> CGRect {
    CGRect(origin: convert(rect.origin, from: view), size: rect.size)
  }

  /// Whether a point in its own coordinates is inside.
  open func point(inside point: CGPoint, with event: UIEvent?) -> Bool { bounds.contains(point) }

  /// The frontmost view at a point in its own coordinates that touches can reach.
  open func hitTest(_ point: CGPoint, with event: UIEvent?) -> UIView? {
    guard isUserInteractionEnabled, !isHidden, alpha >= 0.01, self.point(inside: point, with: event) else { return nil }
    for subview in subviewList.reversed() {
      if let hit = subview.hitTest(subview.convert(point, from: self), with: event) { return hit }
    }
    return self
  }

  /// Its content has changed: the window is updated when the main actor comes to it.
  func contentChanged() { window?.setNeedsUpdate() }

  /// Marks its content as changed.
  open func setNeedsDisplay() { contentChanged() }
  /// Marks its content as changed.
  open func setNeedsDisplay(_ rect: CGRect) { contentChanged() }
}
#endif
