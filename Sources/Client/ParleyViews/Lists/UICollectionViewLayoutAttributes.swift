#if !canImport(UIKit) || os(Linux)
public import Foundation

/// The position that a layout gives a cell, and how the cell is seen there.
@preconcurrency @MainActor
open class UICollectionViewLayoutAttributes {
  open var indexPath: IndexPath
  /// The cell's rectangle in the content.
  open var frame = CGRect.zero
  /// How opaque it is.
  open var alpha: CGFloat = 1
  /// Cells with higher values are in front.
  open var zIndex = 0
  /// Whether it isn't seen.
  open var isHidden = false

  /// Of the cell at a path.
  public required init(forCellWith indexPath: IndexPath) { self.indexPath = indexPath }

  /// The same values in an object of its own, so that a layout can change what its superclass returned. A subclass
  /// adds its properties to the copy.
  open func copy(with zone: NSZone?) -> Any {
    let copy = type(of: self).init(forCellWith: indexPath)
    (copy.frame, copy.alpha, copy.zIndex, copy.isHidden) = (frame, alpha, zIndex, isHidden)
    return copy
  }
  /// ``copy(with:)`` by the name that every object has.
  public func copy() -> Any { copy(with: nil) }

  /// Its size; the middle stays.
  open var size: CGSize {
    get { frame.size }
    set {
      frame = CGRect(
        x: frame.midX - newValue.width / 2, y: frame.midY - newValue.height / 2, width: newValue.width,
        height: newValue.height)
    }
  }

  open var center: CGPoint {
    get { CGPoint(x: frame.midX, y: frame.midY) }
    set { frame.origin = CGPoint(x: newValue.x - frame.width / 2, y: newValue.y - frame.height / 2) }
  }

  /// Its place with (0, 0) as the corner.
  open var bounds: CGRect {
    get { CGRect(origin: .zero, size: frame.size) }
    set { size = newValue.size }
  }
}

extension CGRect {
  /// Whether more than an edge is in both.
  func overlaps(_ other: CGRect) -> Bool {
    minX < other.maxX && other.minX < maxX && minY < other.maxY && other.minY < maxY
  }
}
#endif
