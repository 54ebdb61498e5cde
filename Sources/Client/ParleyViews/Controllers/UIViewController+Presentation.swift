#if !canImport(UIKit) || os(Linux)
import Foundation

extension UIViewController {
  /// The screen that is in front: the last one presented, or itself.
  var frontmost: UIViewController {
    var controller = self
    while let presented = controller.presentedViewController { controller = presented }
    return controller
  }

  /// The controller that is in the window by itself.
  private var root: UIViewController {
    var controller = self
    while let parent = controller.parent { controller = parent }
    return controller
  }

  func presentNow(_ controller: UIViewController, _ animated: Bool, _ completion: (() -> Void)?) {
    // The front screen presents; two screens over one would be one too many.
    let presenter = nearestPresenter ?? root
    guard presenter.presentedViewController == nil, controller.presentingViewController == nil, controller !== presenter
    else {
      if presenter.presentedViewController !== controller, controller.presentingViewController == nil,
        presenter.presentedViewController != nil
      {
        presenter.frontmost.presentNow(controller, animated, completion)
      }
      return
    }
    presenter.presentedViewController = controller
    controller.presentingViewController = presenter
    if let alert = controller as? UIAlertController {
      alert.show(over: presenter, animated)
    } else if let window = presenter.viewIfLoaded?.window {
      // Typed text is not for views behind.
      if let responder = UIApplication.shared.firstResponder as? UIView, responder.window === window {
        responder.resignFirstResponder()
      }
      let covers = controller.coversWindow
      if covers { presenter.disappear(animated) }
      controller.placeView(in: window)
      controller.isBeingPresented = true
      controller.appear(animated)
      controller.isBeingPresented = false
    }
    completion?()
  }

  /// The controller that presents something for this screen: itself, or one around it. A screen may have presented
  /// before it had a parent.
  private var nearestPresenter: UIViewController? {
    var controller: UIViewController? = self
    while let each = controller, each.presentedViewController == nil { controller = each.parent }
    return controller
  }

  func dismissNow(_ animated: Bool, _ completion: (() -> Void)?) {
    let presenter = nearestPresenter ?? presentingViewController ?? root.presentingViewController
    guard let presenter, let controller = presenter.presentedViewController else {
      completion?()
      return
    }
    // A screen that it presents itself goes first.
    if controller.presentedViewController != nil { controller.dismissNow(animated, nil) }
    presenter.presentedViewController = nil
    controller.presentingViewController = nil
    if let alert = controller as? UIAlertController {
      alert.hide(animated)
    } else {
      controller.isBeingDismissed = true
      controller.disappear(animated)
      controller.isBeingDismissed = false
      controller.removeView()
      if controller.coversWindow, presenter.viewIfLoaded?.window != nil { presenter.appear(animated) }
    }
    completion?()
  }

  /// Whether nothing of what is behind is seen.
  private var coversWindow: Bool {
    switch modalPresentationStyle {
    case .fullScreen, .currentContext, .custom: true
    case .pageSheet, .formSheet, .overFullScreen, .overCurrentContext, .popover, .automatic: false
    }
  }

  /// Puts the view over everything that is in the window.
  private func placeView(in window: UIWindow) {
    guard let view else { return }
    switch modalPresentationStyle {
    case .pageSheet, .formSheet, .popover, .automatic:
      let veil = UIView(frame: window.bounds)
      veil.backgroundColor = UIColor(white: 0, alpha: 0.4)
      veil.autoresizingMask = [.flexibleWidth, .flexibleHeight]
      window.addSubview(veil)
      self.veil = veil
      view.frame = window.bounds.inset(by: UIEdgeInsets(top: 44))
      view.layer.cornerRadius = 12
      view.clipsToBounds = true
    case .fullScreen, .currentContext, .custom, .overFullScreen, .overCurrentContext:
      view.frame = window.bounds
    }
    view.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    window.addSubview(view)
  }

  private func removeView() {
    veil?.removeFromSuperview()
    veil = nil
    viewIfLoaded?.removeFromSuperview()
  }

  // MARK: appearing

  /// Comes into a window as its root.
  func enter(_ window: UIWindow) {
    guard let view, view.superview !== window else { return }
    view.frame = window.bounds
    view.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    window.insertSubview(view, at: 0)
    appear(false)
    showPresented(in: window)
  }

  /// Brings what it and its children have presented before they were in a window.
  private func showPresented(in window: UIWindow) {
    for child in children { child.showPresented(in: window) }
    if let presented = presentedViewController as? UIAlertController {
      presented.show(over: self, false)
    } else if let presented = presentedViewController {
      presented.placeView(in: window)
      presented.appear(false)
    }
  }

  /// Leaves its window, with everything it presents.
  func leaveWindow() {
    for child in children where child.presentedViewController != nil { child.dismissNow(false, nil) }
    if presentedViewController != nil { dismissNow(false, nil) }
    disappear(false)
    removeView()
  }

  /// Notifies itself and its children that they are on the screen.
  func appear(_ animated: Bool) {
    guard !isAppeared, viewIfLoaded != nil || view != nil else { return }
    isAppeared = true
    viewWillAppear(animated)
    for child in visibleChildren { child.appear(animated) }
    viewIfLoaded?.layoutIfNeeded()
    if isAppeared { viewDidAppear(animated) }
  }

  /// Notifies itself and its children that they are off the screen.
  func disappear(_ animated: Bool) {
    guard isAppeared else { return }
    isAppeared = false
    viewWillDisappear(animated)
    for child in children { child.disappear(animated) }
    viewDidDisappear(animated)
  }

  private var visibleChildren: [UIViewController] {
    if let navigation = self as? UINavigationController { return navigation.topViewController.map { [$0] } ?? [] }
    return children.filter { $0.viewIfLoaded?.superview != nil }
  }
}
#endif
