#if !canImport(UIKit) || os(Linux)
import Foundation

extension UIView {
  func layOut() {
    // A layout may ask for another one. One that asks for ever must not hang the app.
    for _ in 0..<8 where needsLayout {
      needsLayout = false
      controller?.viewWillLayoutSubviews()
      layoutSubviews()
      controller?.viewDidLayoutSubviews()
    }
    for view in subviewList { view.layoutIfNeeded() }
  }

  /// Lets the subviews follow a change of the size, by their masks.
  func resizeSubviews(from old: CGSize) {
    guard autoresizesSubviews, old != bounds.size else { return }
    for view in subviewList where !view.autoresizingMask.isEmpty { view.resize(from: old, to: bounds.size) }
  }

  private func resize(from old: CGSize, to new: CGSize) {
    let mask = autoresizingMask
    let across = Self.resized(
      start: frame.minX, length: frame.width, old: old.width, new: new.width,
      flexible: (
        mask.contains(.flexibleLeftMargin), mask.contains(.flexibleWidth), mask.contains(.flexibleRightMargin)
      ))
    let down = Self.resized(
      start: frame.minY, length: frame.height, old: old.height, new: new.height,
      flexible: (
        mask.contains(.flexibleTopMargin), mask.contains(.flexibleHeight), mask.contains(.flexibleBottomMargin)
      ))
    frame = CGRect(x: across.start, y: down.start, width: across.length, height: down.length)
  }

  /// The place of a side after the superview's changed. The flexible parts share the change in proportion to their
  /// size, and evenly when they had none.
  private static func resized(
    start: CGFloat, length: CGFloat, old: CGFloat, new: CGFloat, flexible: (before: Bool, inside: Bool, after: Bool)
  ) -> (start: CGFloat, length: CGFloat) {
    let count = [flexible.before, flexible.inside, flexible.after].count { $0 }
    guard count > 0 else { return (start, length) }
    let after = old - start - length
    let total = (flexible.before ? start : 0) + (flexible.inside ? length : 0) + (flexible.after ? after : 0)
    func change(_ part: CGFloat) -> CGFloat {
      total > 0 ? (new - old) * part / total : (new - old) / CGFloat(count)
    }
    return (
      start + (flexible.before ? change(start) : 0),
      max(length + (flexible.inside ? change(length) : 0), 0)
    )
  }
}

extension UIView {
  /// Its origin in the coordinates of the root of its tree.
  func offsetFromRoot() -> CGPoint {
    var offset = CGPoint.zero
    var view: UIView? = self
    while let current = view {
      offset.x -= current.bounds.minX
      offset.y -= current.bounds.minY
      // The window's place on the screen is not part of its own coordinates.
      if current is UIWindow { break }
      offset.x += current.frame.minX
      offset.y += current.frame.minY
      view = current.superview
    }
    return offset
  }
}
#endif
