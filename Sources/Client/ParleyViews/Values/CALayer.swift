#if !canImport(UIKit) || os(Linux)
public import Foundation

/// How the rectangle of a view is drawn: its corners and its border.
@preconcurrency @MainActor
open class CALayer {
  weak var view: UIView?

  /// A layer; views make their own, by ``UIView/layerClass``.
  public required init() {}

  /// How far corners are rounded.
  open var cornerRadius: CGFloat = 0 { didSet { view?.contentChanged() } }
  /// How wide the border is; 0 for none.
  open var borderWidth: CGFloat = 0 { didSet { view?.contentChanged() } }
  /// The border's colour; nil is black.
  open var borderColor: CGColor? { didSet { view?.contentChanged() } }
  /// Whether what lies outside the rectangle is hidden.
  open var masksToBounds: Bool {
    get { view?.clipsToBounds ?? false }
    set { view?.clipsToBounds = newValue }
  }
  /// The colour behind the view's content.
  open var backgroundColor: CGColor? {
    get { view?.backgroundColor }
    set { view?.backgroundColor = newValue }
  }
  /// The view's rectangle in the coordinates of its superview.
  open var frame: CGRect {
    get { view?.frame ?? .zero }
    set { view?.frame = newValue }
  }
  /// The view's rectangle in its own coordinates.
  open var bounds: CGRect { view?.bounds ?? .zero }
}

/// A layer that shows video. SDKs draw video to one.
///
/// A view for that overrides ``UIView/layerClass``:
///
/// ```swift
/// class VideoTarget: UIView {
///   override class var layerClass: AnyClass { CAEAGLLayer.self }
/// }
/// ```
open class CAEAGLLayer: CALayer {
  /// The destination of the frames.
  public let surface = VideoSurface()

  /// A layer without a frame.
  public required init() { super.init() }
}
#endif
