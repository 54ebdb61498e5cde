#if !canImport(UIKit) || os(Linux)
import Foundation

extension UIView {
  /// Which of its edges and sides change with the superview.
  public struct AutoresizingMask: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// A mask by its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The distance at the left.
    public static let flexibleLeftMargin = AutoresizingMask(rawValue: 1)
    /// The width.
    public static let flexibleWidth = AutoresizingMask(rawValue: 2)
    /// The distance at the right.
    public static let flexibleRightMargin = AutoresizingMask(rawValue: 4)
    /// The distance above.
    public static let flexibleTopMargin = AutoresizingMask(rawValue: 8)
    /// The height.
    public static let flexibleHeight = AutoresizingMask(rawValue: 16)
    /// The distance below.
    public static let flexibleBottomMargin = AutoresizingMask(rawValue: 32)
  }

  /// How a picture lies in the view.
  public enum ContentMode: Int, Hashable, Sendable {
    /// Stretched to the view's shape.
    case scaleToFill = 0
    /// As large as it fits, whole.
    case scaleAspectFit = 1
    /// As small as it fills the view; what is outside is cut off by ``UIView/clipsToBounds``.
    case scaleAspectFill = 2
    /// Stretched; drawn anew when the size changes.
    case redraw = 3
    /// In its own size, in the middle.
    case center = 4
  }
}
#endif
