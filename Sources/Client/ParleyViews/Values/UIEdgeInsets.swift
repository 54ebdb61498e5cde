#if !canImport(UIKit) || os(Linux)
public import Foundation

/// Distances from the four edges of a rectangle.
public struct UIEdgeInsets: Hashable, Sendable {
  /// The distances in points.
  public var top, left, bottom, right: CGFloat

  /// Insets by their four distances.
  public init(top: CGFloat = 0, left: CGFloat = 0, bottom: CGFloat = 0, right: CGFloat = 0) {
    self.top = top
    self.left = left
    self.bottom = bottom
    self.right = right
  }

  /// No distance at all.
  public static let zero = UIEdgeInsets()
}

extension CGRect {
  /// The rectangle without what the insets take away.
  public func inset(by insets: UIEdgeInsets) -> CGRect {
    CGRect(
      x: minX + insets.left, y: minY + insets.top, width: max(width - insets.left - insets.right, 0),
      height: max(height - insets.top - insets.bottom, 0))
  }
}
#endif
