#if !canImport(UIKit) || os(Linux)
import Foundation

extension UIView {
  /// The window it is in.
  public var window: UIWindow? {
    var view: UIView? = self
    while let current = view {
      if let window = current as? UIWindow { return window }
      view = current.superview
    }
    return nil
  }

  /// Adds a view in front of all others; it leaves the superview it had.
  public func addSubview(_ view: UIView) { place(view) { $0.count } }

  /// Adds a view at a place in the order; places outside it count as the nearest.
  public func insertSubview(_ view: UIView, at index: Int) { place(view) { min(max(index, 0), $0.count) } }

  /// Adds a view right before a subview; before all when `sibling` is none.
  public func insertSubview(_ view: UIView, aboveSubview sibling: UIView) {
    place(view) { views in views.firstIndex { $0 === sibling }.map { $0 + 1 } ?? views.count }
  }

  /// Adds a view right behind a subview; behind all when `sibling` is none.
  public func insertSubview(_ view: UIView, belowSubview sibling: UIView) {
    place(view) { views in views.firstIndex { $0 === sibling } ?? 0 }
  }

  /// Lets two subviews change places.
  public func exchangeSubview(at index1: Int, withSubviewAt index2: Int) {
    guard subviewList.indices.contains(index1), subviewList.indices.contains(index2) else { return }
    subviewList.swapAt(index1, index2)
    contentChanged()
  }

  /// Brings a subview in front of the others.
  public func bringSubviewToFront(_ view: UIView) { reorder(view) { $0.append(view) } }

  /// Sends a subview behind the others.
  public func sendSubviewToBack(_ view: UIView) { reorder(view) { $0.insert(view, at: 0) } }

  private func reorder(_ view: UIView, _ insert: (inout [UIView]) -> Void) {
    guard view.superview === self else { return }
    subviewList.removeAll { $0 === view }
    insert(&subviewList)
    contentChanged()
  }

  /// Whether it is `view` or somewhere in it.
  public func isDescendant(of view: UIView) -> Bool {
    var current: UIView? = self
    while let each = current {
      if each === view { return true }
      current = each.superview
    }
    return false
  }

  /// The first view with that number: itself, or the first found in its subviews.
  public func viewWithTag(_ tag: Int) -> UIView? {
    if self.tag == tag { return self }
    for view in subviewList {
      if let found = view.viewWithTag(tag) { return found }
    }
    return nil
  }

  /// Takes it out of its superview.
  public func removeFromSuperview() {
    guard let old = superview else { return }
    let window = window
    willMove(toSuperview: nil)
    if window != nil { forEachView { $0.willMove(toWindow: nil) } }
    old.willRemoveSubview(self)
    if let responder = UIApplication.shared.firstResponder as? UIView, responder.isDescendant(of: self) {
      responder.resignFirstResponder()
    }
    old.subviewList.removeAll { $0 === self }
    superview = nil
    didMoveToSuperview()
    if window != nil { forEachView { $0.didMoveToWindow() } }
    old.setNeedsLayout()
  }

  /// Puts `view` where `index` says in the list without it.
  private func place(_ view: UIView, _ index: ([UIView]) -> Int) {
    // A view inside itself would be a tree without an end.
    guard !isDescendant(of: view) else { return }
    let oldWindow = view.window
    let newWindow = window
    if view.superview !== self {
      view.willMove(toSuperview: self)
      if oldWindow !== newWindow { view.forEachView { $0.willMove(toWindow: newWindow) } }
      if let old = view.superview {
        old.willRemoveSubview(view)
        old.subviewList.removeAll { $0 === view }
        old.setNeedsLayout()
      }
    } else {
      subviewList.removeAll { $0 === view }
    }
    let moved = view.superview !== self
    subviewList.insert(view, at: index(subviewList))
    view.superview = self
    if moved {
      view.didMoveToSuperview()
      if oldWindow !== newWindow { view.forEachView { $0.didMoveToWindow() } }
      didAddSubview(view)
      setNeedsLayout()
      view.setNeedsLayout()
    }
    contentChanged()
  }

  /// Calls `body` with itself and every view in it.
  func forEachView(_ body: (UIView) -> Void) {
    body(self)
    for view in subviewList { view.forEachView(body) }
  }
}

extension UIView {
  /// Lets a recogniser watch the view.
  public func addGestureRecognizer(_ recognizer: UIGestureRecognizer) {
    recognizer.view?.removeGestureRecognizer(recognizer)
    recognizer.view = self
    gestureRecognizers = (gestureRecognizers ?? []) + [recognizer]
  }

  /// Lets it watch no more.
  public func removeGestureRecognizer(_ recognizer: UIGestureRecognizer) {
    guard recognizer.view === self else { return }
    recognizer.view = nil
    gestureRecognizers?.removeAll { $0 === recognizer }
  }

  /// Ends the typing into a field that is in this view; false when the field refuses.
  @discardableResult
  public func endEditing(_ force: Bool) -> Bool {
    guard let responder = UIApplication.shared.firstResponder as? UIView, responder.isDescendant(of: self) else {
      return true
    }
    if !responder.resignFirstResponder(), force { UIApplication.shared.firstResponder = nil }
    return !responder.isFirstResponder
  }
}
#endif
