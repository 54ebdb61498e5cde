#if !canImport(UIKit) || os(Linux)
public import Foundation

/// The bar above the screens of a ``UINavigationController``.
open class UINavigationBar: UIView {
  private let titleLabel = UILabel()
  private let back = UIButton(type: .system)
  private let line = UIView()
  private var shown: [UIView] = []

  public override init(frame: CGRect) {
    super.init(frame: frame)
    prepare()
  }

  /// A bar from an archive.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
    prepare()
  }

  private func prepare() {
    backgroundColor = .secondarySystemBackground
    titleLabel.font = .boldSystemFont(ofSize: 17)
    titleLabel.textAlignment = .center
    line.backgroundColor = .separator
    back.accessibilityIdentifier = "back"
  }

  /// Shows a screen's item; `backTitle` is nil when there is no way back.
  func show(_ item: UINavigationItem, backTitle: String?, onBack: UIAction) {
    for view in subviews { view.removeFromSuperview() }
    titleLabel.text = item.title
    let middle = item.titleView ?? titleLabel
    var left = (item.leftBarButtonItems ?? []).map(\.button)
    if left.isEmpty, let backTitle, !item.hidesBackButton {
      back.setTitle("‹ \(backTitle)", for: .normal)
      back.addAction(onBack, for: .touchUpInside)
      left = [back]
    }
    let right = (item.rightBarButtonItems ?? []).map(\.button)
    var x: CGFloat = 8
    for button in left {
      button.sizeToFit()
      button.frame = CGRect(x: x, y: 5, width: button.frame.width, height: 34)
      x = button.frame.maxX + 4
      addSubview(button)
    }
    var end = bounds.width - 8
    for button in right {
      button.sizeToFit()
      button.frame = CGRect(x: end - button.frame.width, y: 5, width: button.frame.width, height: 34)
      button.autoresizingMask = .flexibleLeftMargin
      end = button.frame.minX - 4
      addSubview(button)
    }
    let margin = max(x, bounds.width - end)
    middle.frame = CGRect(x: margin, y: 0, width: max(bounds.width - 2 * margin, 0), height: bounds.height)
    middle.autoresizingMask = .flexibleWidth
    addSubview(middle)
    line.frame = CGRect(x: 0, y: bounds.height - 1, width: bounds.width, height: 1)
    line.autoresizingMask = .flexibleWidth
    addSubview(line)
  }
}

/// Screens that lie over each other, with a bar that names the one in front and leads back.
open class UINavigationController: UIViewController {
  private static let barHeight: CGFloat = 44

  public let navigationBar = UINavigationBar(frame: CGRect(x: 0, y: 0, width: 375, height: 44))
  private var stack: [UIViewController] = []
  private lazy var backAction = UIAction(identifier: .init("back")) { [weak self] _ in
    self?.popViewController(animated: true)
  }

  /// A controller with its first screen.
  public init(rootViewController: UIViewController) {
    super.init(nibName: nil, bundle: nil)
    stack = [rootViewController]
    addChild(rootViewController)
  }

  /// A controller without a screen yet.
  public override init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
    super.init(nibName: nibNameOrNil, bundle: nibBundleOrNil)
  }

  /// A controller from an archive.
  public required init?(coder: NSCoder) { super.init(coder: coder) }

  /// The screens, the one behind first.
  open var viewControllers: [UIViewController] {
    get { stack }
    set { setViewControllers(newValue, animated: false) }
  }
  /// The screen in front.
  open var topViewController: UIViewController? { stack.last }
  /// The screen in front, or what it presents.
  open var visibleViewController: UIViewController? { presentedViewController ?? stack.last }

  /// Whether the bar is out of sight.
  open var isNavigationBarHidden = false { didSet { if isViewLoaded { arrange() } } }
  /// Shows or hides the bar.
  open func setNavigationBarHidden(_ hidden: Bool, animated: Bool) { isNavigationBarHidden = hidden }

  /// Places the bar and the first screen.
  open override func viewDidLoad() {
    super.viewDidLoad()
    navigationBar.frame = CGRect(x: 0, y: 0, width: view.bounds.width, height: Self.barHeight)
    navigationBar.autoresizingMask = .flexibleWidth
    view.addSubview(navigationBar)
    showTop()
  }

  /// Goes on to a screen.
  open func pushViewController(_ viewController: UIViewController, animated: Bool) {
    guard !stack.contains(where: { $0 === viewController }) else { return }
    change(animated) { $0.append(viewController) }
  }

  /// Goes back by one screen; returns the one that is left.
  @discardableResult
  open func popViewController(animated: Bool) -> UIViewController? {
    guard stack.count > 1 else { return nil }
    let last = stack.last
    change(animated) { $0.removeLast() }
    return last
  }

  /// Goes back to the first screen; returns those that are left.
  @discardableResult
  open func popToRootViewController(animated: Bool) -> [UIViewController]? {
    guard stack.count > 1 else { return nil }
    let left = Array(stack.dropFirst())
    change(animated) { $0.removeLast($0.count - 1) }
    return left
  }

  /// Goes back to a screen; returns those that are left.
  @discardableResult
  open func popToViewController(_ viewController: UIViewController, animated: Bool) -> [UIViewController]? {
    guard let index = stack.firstIndex(where: { $0 === viewController }), index + 1 < stack.count else { return nil }
    let left = Array(stack[(index + 1)...])
    change(animated) { $0.removeLast($0.count - index - 1) }
    return left
  }

  open func setViewControllers(_ viewControllers: [UIViewController], animated: Bool) {
    change(animated) { $0 = viewControllers }
  }

  private func change(_ animated: Bool, _ body: (inout [UIViewController]) -> Void) {
    let before = stack
    body(&stack)
    let old = before.last
    if let old, old !== stack.last {
      old.isMovingFromParent = !stack.contains { $0 === old }
      old.disappear(animated)
      old.isMovingFromParent = false
    }
    for controller in before where !stack.contains(where: { $0 === controller }) {
      controller.viewIfLoaded?.removeFromSuperview()
      controller.removeFromParent()
    }
    for controller in stack where controller.parent !== self { addChild(controller) }
    guard isViewLoaded else { return }
    if old !== stack.last { old?.viewIfLoaded?.removeFromSuperview() }
    showTop()
    guard isAppeared, let top = stack.last else { return }
    top.isMovingToParent = !before.contains { $0 === top }
    top.appear(animated)
    top.isMovingToParent = false
  }

  private func showTop() {
    guard let top = stack.last, let topView = top.view else { return }
    topView.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    if topView.superview !== view { view.insertSubview(topView, at: 0) }
    arrange()
    titleChanged()
  }

  private func arrange() {
    navigationBar.isHidden = isNavigationBarHidden
    let top = isNavigationBarHidden ? 0 : Self.barHeight
    stack.last?.viewIfLoaded?.frame = view.bounds.inset(by: UIEdgeInsets(top: top))
  }

  /// Shows the title and the items of the screen in front.
  func titleChanged() {
    guard isViewLoaded, let top = stack.last else { return }
    let previous = stack.count > 1 ? stack[stack.count - 2] : nil
    let back = previous.map { $0.navigationItem.backBarButtonItem?.title ?? $0.navigationItem.title ?? "Back" }
    navigationBar.show(top.navigationItem, backTitle: back, onBack: backAction)
  }
}

extension UIViewController {
  /// The nearest parent of a kind.
  func nearest<Container: UIViewController>() -> Container? {
    var controller = parent
    while let current = controller {
      if let container = current as? Container { return container }
      controller = current.parent
    }
    return nil
  }
}
#endif
