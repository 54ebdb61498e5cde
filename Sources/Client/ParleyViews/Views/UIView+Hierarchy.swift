#if !canImport(UIKit) || os(Linux)
import Foundation

// The work behind the methods of ``UIView``. The methods stand in the class, since those of an extension can't be
// overridden.
extension UIView {
  /// The view at the top of its tree that it is in: its window, where it is in one.
  var root: UIView {
    var view = self
    while !(view is UIWindow), let superview = view.superview { view = superview }
    return view
  }

  func exchange(_ index1: Int, _ index2: Int) {
    guard subviewList.indices.contains(index1), subviewList.indices.contains(index2) else { return }
    subviewList.swapAt(index1, index2)
    contentChanged()
  }

  func reorder(_ view: UIView, _ insert: (inout [UIView]) -> Void) {
    guard view.superview === self else { return }
    subviewList.removeAll { $0 === view }
    insert(&subviewList)
    contentChanged()
  }

  func isInside(_ view: UIView) -> Bool {
    var current: UIView? = self
    while let each = current {
      if each === view { return true }
      current = each.superview
    }
    return false
  }

  func find(_ tag: Int) -> UIView? {
    if self.tag == tag { return self }
    for view in subviewList {
      if let found = view.viewWithTag(tag) { return found }
    }
    return nil
  }

  func leaveSuperview() {
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
  func place(_ view: UIView, _ index: ([UIView]) -> Int) {
    // A view inside itself would be a tree without an end.
    guard !isInside(view) else { return }
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
  func attach(_ recognizer: UIGestureRecognizer) {
    recognizer.view?.removeGestureRecognizer(recognizer)
    recognizer.view = self
    gestureRecognizers = (gestureRecognizers ?? []) + [recognizer]
  }

  func detach(_ recognizer: UIGestureRecognizer) {
    guard recognizer.view === self else { return }
    recognizer.view = nil
    gestureRecognizers?.removeAll { $0 === recognizer }
  }

  func endTyping(_ force: Bool) -> Bool {
    guard let responder = UIApplication.shared.firstResponder as? UIView, responder.isDescendant(of: self) else {
      return true
    }
    if !responder.resignFirstResponder(), force { UIApplication.shared.firstResponder = nil }
    return !responder.isFirstResponder
  }
}
#endif
