#if !canImport(UIKit) || os(Linux)
public import Foundation

/// A presenter brings a window's views onto a screen.
@MainActor
protocol WindowPresenter: AnyObject {
  /// Shows what the window holds now; layout is done.
  func update(_ window: UIWindow)
  /// Lets keys go to a field, or to the window itself.
  func focus(_ view: UIView?, in window: UIWindow)
  /// Takes the window away.
  func close(_ window: UIWindow)
}

/// The root of a tree of views. It is headless until ``UIWindow/present()`` is asked to show it.
open class UIWindow: UIView {
  /// The window's presenter; nil when it is headless.
  var presenter: (any WindowPresenter)?
  /// Whether the desktop gives it the focus; so it is taken to be until the desktop says otherwise.
  private(set) var hasFocus = true
  /// Whether the desktop shows nothing of it.
  private(set) var isMinimized = false
  /// Whether an update waits for the main actor.
  private var updateIsPending = false
  private var touch: UITouch?
  private var lastTap: (position: CGPoint, time: TimeInterval, count: Int)?

  /// The name of the window on the desktop; nil is the root controller's title.
  open var title: String? { didSet { contentChanged() } }

  /// The controller whose view fills the window.
  open var rootViewController: UIViewController? {
    didSet {
      guard rootViewController !== oldValue else { return }
      if let oldValue { oldValue.leaveWindow() }
      if !isHidden { showRoot() }
      UIApplication.shared.refreshStyle()
    }
  }

  /// A window; hidden until ``makeKeyAndVisible()``.
  public override init(frame: CGRect) {
    super.init(frame: frame)
    isHidden = true
  }

  /// A window from an archive: as large as the screen.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
    frame = UIScreen.main.bounds
    isHidden = true
  }

  /// Whether keys go to it.
  open var isKeyWindow: Bool { UIApplication.shared.keyWindow === self }

  /// Shows it, and lets keys go to it. It comes onto the desktop in an app that runs there, see
  /// ``UIApplication/run(_:scene:isHeadless:userInterfaceStyle:)``, or by ``present()``; else it stays headless:
  /// everything works, and nothing is drawn.
  open func makeKeyAndVisible() {
    isHidden = false
    makeKey()
    showRoot()
    if presenter == nil { UIApplication.shared.present(self) }
  }

  /// Lets keys go to it.
  open func makeKey() {
    let application = UIApplication.shared
    application.windows.removeAll { $0 === self }
    application.windows.append(self)
    application.keyWindow = self
    application.refreshStyle()
  }

  /// Takes the window away permanently.
  open func close() {
    rootViewController?.leaveWindow()
    isHidden = true
    let application = UIApplication.shared
    application.windows.removeAll { $0 === self }
    if application.keyWindow === self { application.keyWindow = application.windows.last }
    presenter?.close(self)
    presenter = nil
    application.refreshState()
    application.refreshStyle()
    application.windowClosed()
  }

  open override var next: UIResponder? { UIApplication.shared }

  private func showRoot() { rootViewController?.enter(self) }

  /// Shows the window on the desktop, where there is one.
  ///
  /// - Throws: ``ViewError`` when GTK is not installed or there is no display. The window stays headless then, and
  ///   works.
  public func present() throws(ViewError) {
    guard presenter == nil else { return }
    let presenter = try GTKPresenter(self)
    self.presenter = presenter
    makeKeyAndVisible()
    update()
    UIApplication.shared.refreshState()
    for alert in UIApplication.shared.alerts { alert.takeFocus() }
  }

  /// Whether it is on the desktop.
  public var isPresented: Bool { presenter != nil }

  /// The desktop has given it the focus or taken it away, minimised it, or shows it again.
  func desktopChanged(hasFocus: Bool? = nil, isMinimized: Bool? = nil) {
    self.hasFocus = hasFocus ?? self.hasFocus
    self.isMinimized = isMinimized ?? self.isMinimized
    UIApplication.shared.refreshState()
  }

  /// The person gave it another size, or turned it.
  func resize(to size: CGSize) {
    guard size != bounds.size else { return }
    let transition = SizeTransition()
    rootViewController?.viewWillTransition(to: size, with: transition)
    frame.size = size
    transition.finish()
    update()
  }

  // MARK: updates

  /// Brings the screen up to date when the main actor comes to it; many changes make one update.
  func setNeedsUpdate() {
    guard !updateIsPending, !isHidden else { return }
    updateIsPending = true
    Task { @MainActor [weak self] in self?.update() }
  }

  /// Lays out what asked for it, and shows it.
  func update() {
    layoutIfNeeded()
    updateIsPending = false
    presenter?.update(self)
  }

  // MARK: input

  /// Handles a touch from outside, in the window's coordinates: of the pointer, or of a test.
  ///
  /// - Parameters:
  ///   - phase: The phase of the touch.
  ///   - position: The place of the touch.
  ///   - time: In seconds of any clock; two taps within 0.4 s at about one place are a double tap.
  public func sendTouch(_ phase: UITouch.Phase, at position: CGPoint, time: TimeInterval) {
    switch phase {
    case .began:
      if let touch { end(touch, .cancelled) }
      let new = UITouch(at: position, in: self)
      if let last = lastTap, time - last.time < 0.4, abs(position.x - last.position.x) < 10,
        abs(position.y - last.position.y) < 10
      {
        new.tapCount = last.count + 1
      }
      lastTap = (position, time, new.tapCount)
      new.timestamp = time
      new.view = hitTest(position, with: nil)
      touch = new
      deliver(new)
    case .moved, .stationary, .ended, .cancelled:
      guard let touch else { return }
      touch.previousPosition = touch.position
      touch.position = position
      touch.timestamp = time
      if phase == .ended || phase == .cancelled { end(touch, phase) } else { change(touch, phase) }
    }
  }

  private func end(_ touch: UITouch, _ phase: UITouch.Phase) {
    self.touch = nil
    change(touch, phase)
  }

  private func change(_ touch: UITouch, _ phase: UITouch.Phase) {
    touch.phase = phase
    deliver(touch)
  }

  /// Gives a touch to the recognisers of its view and the views that hold it, then to the view.
  private func deliver(_ touch: UITouch) {
    let event = UIEvent(touches: [touch])
    var isTaken = false
    var isDragged = false
    var isNative = false
    var view = touch.view
    while let current = view {
      isNative = isNative || (presenter != nil && SceneBuilder.isNative(current))
      for recognizer in current.gestureRecognizers ?? [] {
        // A gesture that continues further inside doesn't scroll the views around it.
        if isDragged, recognizer is ScrollGestureRecognizer, recognizer.state == .possible {
          recognizer.state = .failed
          continue
        }
        // A press on a control means it, and not the views behind it.
        if current !== touch.view, touch.view is UIControl, recognizer is UITapGestureRecognizer { continue }
        recognizer.receive(touch, event)
        let recognised: Bool
        switch recognizer.state {
        case .began, .changed, .ended: recognised = true
        case .possible, .cancelled, .failed: recognised = false
        }
        isDragged = isDragged || recognizer.state == .began || recognizer.state == .changed
        isTaken = isTaken || (recognised && recognizer.cancelsTouchesInView)
      }
      view = current.superview
    }
    // A widget of the desktop reports its own actions.
    guard let target = touch.view, !isNative else { return }
    switch (touch.phase, isTaken) {
    case (.began, _): target.touchesBegan([touch], with: event)
    case (.moved, false): target.touchesMoved([touch], with: event)
    case (.ended, false): target.touchesEnded([touch], with: event)
    case (.moved, true), (.ended, true), (.cancelled, _): target.touchesCancelled([touch], with: event)
    case (.stationary, _): break
    }
  }

  /// Handles a turn of the wheel from outside: of the pointer, or of a test. The innermost view under it that can
  /// scroll further in that direction scrolls.
  ///
  /// - Parameters:
  ///   - distance: In points; down and to the right above 0.
  ///   - position: The pointer's place, in the window's coordinates.
  public func sendScroll(by distance: CGPoint, at position: CGPoint) {
    var view = hitTest(position, with: nil)
    while let current = view {
      // A widget of the desktop has scrolled by itself as far as it can.
      if let scrolling = current as? UIScrollView, presenter == nil || !SceneBuilder.isNative(current),
        scrolling.scroll(by: distance)
      {
        return
      }
      view = current.superview
    }
  }

  /// Takes a key from outside: of the keyboard, or of a test. It goes to the first responder, else to the frontmost
  /// controller.
  public func sendKey(_ key: UIKey, isDown: Bool = true) {
    let press = UIPress(key: key)
    let event = UIPressesEvent(presses: [press])
    let target: UIResponder =
      UIApplication.shared.firstResponder ?? rootViewController?.frontmost.viewIfLoaded ?? self
    if isDown { target.pressesBegan([press], with: event) } else { target.pressesEnded([press], with: event) }
  }
}

/// The change of a window's size, which screens follow.
@MainActor
final class SizeTransition: UIViewControllerTransitionCoordinator {
  private var steps: [((any UIViewControllerTransitionCoordinator) -> Void)?] = []
  private var ends: [((any UIViewControllerTransitionCoordinator) -> Void)?] = []

  func animate(
    alongsideTransition animation: ((any UIViewControllerTransitionCoordinator) -> Void)?,
    completion: ((any UIViewControllerTransitionCoordinator) -> Void)?
  ) -> Bool {
    steps.append(animation)
    ends.append(completion)
    return true
  }

  func finish() {
    for step in steps { step?(self) }
    for end in ends { end?(self) }
  }
}
#endif
