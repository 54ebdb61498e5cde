#if !canImport(UIKit) || os(Linux)
public import Foundation

/// A screen: its view, what it presents, and how it goes to the next one.
open class UIViewController: UIResponder {
  /// How it is presented. A sheet leaves a rim of what is behind it; every other style fills the window.
  open var modalPresentationStyle: UIModalPresentationStyle = .fullScreen
  /// How it comes in; at once here.
  open var modalTransitionStyle: UIModalTransitionStyle = .coverVertical
  /// Whether it is light or dark, of a window's root controller: all windows of the app are so. In others it is kept
  /// for apps that set it.
  open var overrideUserInterfaceStyle = UIUserInterfaceStyle.unspecified {
    didSet { UIApplication.shared.refreshStyle() }
  }
  /// The name of the screen.
  open var title: String? {
    didSet {
      navigationController?.titleChanged()
      viewIfLoaded?.contentChanged()
    }
  }
  /// The storyboard it was made from.
  open internal(set) weak var storyboard: UIStoryboard?
  /// The controllers whose views are in its own.
  open internal(set) var children: [UIViewController] = []
  /// The controller whose view holds its own.
  open internal(set) weak var parent: UIViewController?
  open internal(set) var presentedViewController: UIViewController?
  open internal(set) weak var presentingViewController: UIViewController?
  /// The navigation controller it is in.
  open var navigationController: UINavigationController? { nearest() }
  /// The navigation bar's content for it.
  open private(set) lazy var navigationItem = UINavigationItem(owner: self)
  /// Whether it comes because it is presented: true in its `viewWillAppear` and `viewDidAppear` then.
  open internal(set) var isBeingPresented = false
  /// Whether it goes because it is dismissed: true in its `viewWillDisappear` and `viewDidDisappear` then.
  open internal(set) var isBeingDismissed = false
  /// Whether it comes because a navigation controller gets it.
  open internal(set) var isMovingToParent = false
  /// Whether it goes because its navigation controller goes back, and not on.
  open internal(set) var isMovingFromParent = false
  /// Whether it is on the screen.
  var isAppeared = false
  /// The layer that darkens the screen behind it, and keeps touches from it, while it is a sheet.
  var veil: UIView?
  /// Its segues when it comes from no storyboard.
  var segues: [String: SegueMaker] = [:]

  private var loaded: UIView?
  private var isLoading = false

  /// A screen. Nibs do not exist here, so both names are ignored.
  public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { super.init() }

  /// A screen from an archive: how a registered class is made.
  public required init?(coder: NSCoder) { super.init() }

  public convenience override init() { self.init(nibName: nil, bundle: nil) }

  // MARK: view

  /// Its view, which is loaded when it is first asked for.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var view: UIView! {
    get {
      loadViewIfNeeded()
      return loaded
    }
    set {
      loaded?.controller = nil
      loaded = newValue
      newValue?.controller = self
    }
  }

  /// Its view, if it is loaded.
  open var viewIfLoaded: UIView? { loaded }
  /// Whether its view is loaded.
  open var isViewLoaded: Bool { loaded != nil }

  /// Loads the view if it is not.
  open func loadViewIfNeeded() {
    guard loaded == nil, !isLoading else { return }
    isLoading = true
    loadView()
    if loaded == nil { view = UIView(frame: UIScreen.main.bounds) }
    isLoading = false
    viewDidLoad()
  }

  /// Makes the view. The usual one is plain, with what the storyboard's screen of this name puts into it.
  open func loadView() {
    let view = UIView(frame: UIScreen.main.bounds)
    view.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    view.backgroundColor = .systemBackground
    self.view = view
  }

  /// The view was loaded.
  open func viewDidLoad() {}
  /// The view is about to come onto the screen.
  open func viewWillAppear(_ animated: Bool) {}
  /// It is on the screen.
  open func viewDidAppear(_ animated: Bool) {}
  /// It is about to leave the screen.
  open func viewWillDisappear(_ animated: Bool) {}
  open func viewDidDisappear(_ animated: Bool) {}
  /// Its subviews are about to be placed.
  open func viewWillLayoutSubviews() {}
  /// Called after the layout of its views.
  open func viewDidLayoutSubviews() {}
  /// The window is about to change its size, or turned from upright to wide.
  open func viewWillTransition(to size: CGSize, with coordinator: any UIViewControllerTransitionCoordinator) {
    for child in children { child.viewWillTransition(to: size, with: coordinator) }
    presentedViewController?.viewWillTransition(to: size, with: coordinator)
  }
  /// The app has become light or dark.
  open func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?) {}
  /// Memory is short; never called here.
  open func didReceiveMemoryWarning() {}

  /// Whether keys may go to it.
  open override var canBecomeFirstResponder: Bool { false }
  /// The superview of its view, or who presents it.
  open override var next: UIResponder? { loaded?.superview ?? parent ?? presentingViewController }

  // MARK: segues

  /// Goes on by a segue: ``prepare(for:sender:)`` is called, then the next screen comes.
  ///
  /// - Precondition: The segue was registered, as a storyboard file on Apple systems must have it.
  open func performSegue(withIdentifier identifier: String, sender: Any?) { follow(identifier, sender) }
  /// Whether a segue shall happen.
  open func shouldPerformSegue(withIdentifier identifier: String, sender: Any?) -> Bool { true }
  /// A segue is about to happen: what the next screen needs is handed over here.
  open func prepare(for segue: UIStoryboardSegue, sender: Any?) {}

  // MARK: presenting

  /// Presents another screen, an alert or a sheet. It is there when this returns; `completion` is called then.
  open func present(
    _ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (() -> Void)? = nil
  ) { presentNow(viewControllerToPresent, flag, completion) }

  /// Takes away what it presents, or itself where it presents nothing. `completion` is called when this returns.
  open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) { dismissNow(flag, completion) }

  /// Shows another screen: in its navigation controller where it has one, else over itself.
  open func show(_ vc: UIViewController, sender: Any?) {
    if let navigationController {
      navigationController.pushViewController(vc, animated: true)
    } else {
      present(vc, animated: true)
    }
  }

  // MARK: children

  /// Takes a controller whose view will be in this one's.
  open func addChild(_ childController: UIViewController) {
    guard childController !== self, childController.parent !== self else { return }
    childController.removeFromParent()
    childController.willMove(toParent: self)
    children.append(childController)
    childController.parent = self
  }

  open func removeFromParent() {
    guard let parent else { return }
    parent.children.removeAll { $0 === self }
    self.parent = nil
    didMove(toParent: nil)
  }

  /// The parent is about to change.
  open func willMove(toParent parent: UIViewController?) {}
  /// The parent has changed. A container calls it when the child's view is in place.
  open func didMove(toParent parent: UIViewController?) {
    if let parent { if parent.isAppeared { appear(false) } } else { disappear(false) }
  }
}

/// How a screen is presented.
public enum UIModalPresentationStyle: Int, Hashable, Sendable {
  case fullScreen = 0
  case pageSheet = 1
  case formSheet = 2
  /// Filling the presenting view.
  case currentContext = 3
  /// As the app has it.
  case custom = 4
  /// Filling the window; what is behind stays.
  case overFullScreen = 5
  /// Filling the presenting view; what is behind stays.
  case overCurrentContext = 6
  case popover = 7
  /// As the system has it: a sheet.
  case automatic = -2
}

/// How a screen comes in; at once here.
public enum UIModalTransitionStyle: Int, Hashable, Sendable {
  case coverVertical = 0
  case flipHorizontal = 1
  case crossDissolve = 2
  /// A page that is turned.
  case partialCurl = 3
}

/// Lets a screen change together with its window.
@preconcurrency @MainActor
public protocol UIViewControllerTransitionCoordinator: AnyObject {
  /// Makes changes with the window's, and calls `completion` when it has its new size.
  @discardableResult
  func animate(
    alongsideTransition animation: ((any UIViewControllerTransitionCoordinator) -> Void)?,
    completion: ((any UIViewControllerTransitionCoordinator) -> Void)?
  ) -> Bool
}
#endif
