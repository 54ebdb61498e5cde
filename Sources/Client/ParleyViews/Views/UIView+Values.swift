#if !canImport(UIKit) || os(Linux)
import Foundation

extension UIView {
  /// The edges and sides that change with the superview.
  public struct AutoresizingMask: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// A mask by its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The distance at the left.
    public static let flexibleLeftMargin = AutoresizingMask(rawValue: 1)
    public static let flexibleWidth = AutoresizingMask(rawValue: 2)
    /// The distance at the right.
    public static let flexibleRightMargin = AutoresizingMask(rawValue: 4)
    public static let flexibleTopMargin = AutoresizingMask(rawValue: 8)
    public static let flexibleHeight = AutoresizingMask(rawValue: 16)
    public static let flexibleBottomMargin = AutoresizingMask(rawValue: 32)
  }

  /// How content fits the view.
  public enum ContentMode: Int, Hashable, Sendable {
    /// Stretched to the view's shape.
    case scaleToFill = 0
    /// As large as it fits, whole.
    case scaleAspectFit = 1
    /// As small as it fills the view; what is outside is cut off by ``UIView/clipsToBounds``.
    case scaleAspectFill = 2
    /// Stretched; drawn again when the size changes.
    case redraw = 3
    /// In its own size, in the middle.
    case center = 4
  }
}
#endif
