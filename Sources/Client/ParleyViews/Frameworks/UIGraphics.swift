#if !canImport(UIKit) || os(Linux)
public import Foundation

/// The contexts that this thread has begun, the current one last.
private final class ContextStack {
  var contexts: [CGContext?] = []

  static var current: ContextStack {
    let (key, thread) = ("parley.graphics", Thread.current)
    if let stack = thread.threadDictionary[key] as? ContextStack { return stack }
    let stack = ContextStack()
    thread.threadDictionary[key] = stack
    return stack
  }
}

/// Begins an image of a size in points, whose origin is above. `scale` of 0 is that of the screen.
/// ``UIGraphicsEndImageContext()`` ends it, on the same thread.
public func UIGraphicsBeginImageContextWithOptions(_ size: CGSize, _ opaque: Bool, _ scale: CGFloat) {
  let context = CGContext(size: size, scale: scale > 0 ? scale : 1)
  if opaque {
    context?.setFillColor(red: 0, green: 0, blue: 0, alpha: 1)
    context?.fill(CGRect(origin: .zero, size: size))
  }
  ContextStack.current.contexts.append(context)
}

/// Begins an image of a size in points.
public func UIGraphicsBeginImageContext(_ size: CGSize) { UIGraphicsBeginImageContextWithOptions(size, false, 1) }

/// The context of the image that was begun; nil without one, or where it would have no size.
public func UIGraphicsGetCurrentContext() -> CGContext? { ContextStack.current.contexts.last ?? nil }

/// The image as drawn so far.
public func UIGraphicsGetImageFromCurrentImageContext() -> UIImage? {
  UIGraphicsGetCurrentContext()?.makeImage().map { UIImage(cgImage: $0) }
}

/// Ends the innermost image that was begun on this thread.
public func UIGraphicsEndImageContext() { _ = ContextStack.current.contexts.popLast() }

extension UIView {
  /// Draws the view and everything in it into the current context, as ``snapshot()`` does. False when it can't be
  /// drawn.
  @discardableResult
  public func drawHierarchy(in rect: CGRect, afterScreenUpdates afterUpdates: Bool) -> Bool {
    guard UIGraphicsGetCurrentContext() != nil, let image = try? snapshot() else { return false }
    image.draw(in: rect)
    return true
  }
}
#endif
