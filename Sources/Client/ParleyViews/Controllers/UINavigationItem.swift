#if !canImport(UIKit) || os(Linux)
import Foundation

/// The navigation bar's content for a screen.
@preconcurrency @MainActor
public final class UINavigationItem {
  private weak var owner: UIViewController?
  private var ownTitle: String?

  init(owner: UIViewController?) { self.owner = owner }

  /// An item with a title.
  public init(title: String) { ownTitle = title }

  /// The title; nil is the screen's.
  public var title: String? {
    get { ownTitle ?? owner?.title }
    set {
      ownTitle = newValue
      changed()
    }
  }
  /// A view in the title's place.
  public var titleView: UIView? { didSet { changed() } }
  /// Its title names the way back to this screen.
  public var backBarButtonItem: UIBarButtonItem? { didSet { changed() } }
  /// The item at the left.
  public var leftBarButtonItem: UIBarButtonItem? {
    get { leftBarButtonItems?.first }
    set { leftBarButtonItems = newValue.map { [$0] } }
  }
  /// The item at the right.
  public var rightBarButtonItem: UIBarButtonItem? {
    get { rightBarButtonItems?.first }
    set { rightBarButtonItems = newValue.map { [$0] } }
  }
  /// The items at the left.
  public var leftBarButtonItems: [UIBarButtonItem]? { didSet { changed() } }
  /// The items at the right, from the edge inwards.
  public var rightBarButtonItems: [UIBarButtonItem]? { didSet { changed() } }
  /// Whether there is no way back.
  public var hidesBackButton = false { didSet { changed() } }
  /// Takes the way back away or brings it again, at once.
  public func setHidesBackButton(_ hidesBackButton: Bool, animated: Bool) { self.hidesBackButton = hidesBackButton }
  /// A line above the title; kept for apps that set it, since the bar here has one line.
  public var prompt: String?

  private func changed() { owner?.navigationController?.titleChanged() }
}

/// A button in a bar.
@preconcurrency @MainActor
open class UIBarButtonItem {
  /// The look of a bar button.
  public enum Style: Int, Hashable, Sendable {
    case plain = 0
    /// Heavier: it ends something.
    case done = 2
  }

  public enum SystemItem: Int, Hashable, Sendable {
    case done = 0
    case cancel = 1
    case edit = 2
    case save = 3
    case add = 4
    /// Space that grows between items.
    case flexibleSpace = 5
    /// Room that does not.
    case fixedSpace = 6
    case camera = 15
    case play = 17
    case pause = 18
    case stop = 14

    var title: String {
      switch self {
      case .done: "Done"
      case .cancel: "Cancel"
      case .edit: "Edit"
      case .save: "Save"
      case .add: "Add"
      case .flexibleSpace, .fixedSpace: ""
      case .camera: "Camera"
      case .play: "Play"
      case .pause: "Pause"
      case .stop: "Stop"
      }
    }
  }

  /// The button it is.
  let button: UIButton
  /// Whether it can be used.
  open var isEnabled: Bool {
    get { button.isEnabled }
    set { button.isEnabled = newValue }
  }
  open var title: String? {
    get { button.title(for: .normal) }
    set { button.setTitle(newValue, for: .normal) }
  }
  /// A number to know it by.
  open var tag = 0

  private init(_ button: UIButton) { self.button = button }

  /// A button without a title.
  public convenience init() { self.init(UIButton(type: .system)) }

  /// A button that runs an action.
  public convenience init(title: String? = nil, primaryAction: UIAction?) {
    self.init(UIButton(type: .system, primaryAction: primaryAction))
    if let title { self.title = title }
  }

  /// A button with a title that calls a method of `target`, which is held weakly.
  public convenience init<T: AnyObject>(
    title: String?, style: Style, target: T, action: @escaping @MainActor (T) -> @MainActor () -> Void
  ) {
    self.init()
    self.title = title
    call(target) { target, _ in action(target)() }
  }

  /// A button with a title that calls a method of `target`, which is held weakly, with this item.
  public convenience init<T: AnyObject, Sender>(
    title: String?, style: Style, target: T, action: @escaping @MainActor (T) -> @MainActor (Sender) -> Void
  ) {
    self.init()
    self.title = title
    call(target) { target, item in if let sender = item as? Sender { action(target)(sender) } }
  }

  /// A button with a title that does nothing, such as the way back's.
  public convenience init(title: String?, style: Style, target: AnyObject?, action: Never?) {
    self.init()
    self.title = title
  }

  /// A button everybody knows that calls a method of `target`, which is held weakly.
  public convenience init<T: AnyObject>(
    barButtonSystemItem systemItem: SystemItem, target: T, action: @escaping @MainActor (T) -> @MainActor () -> Void
  ) {
    self.init(systemItem)
    call(target) { target, _ in action(target)() }
  }

  /// A button everybody knows that calls a method of `target`, which is held weakly, with this item.
  public convenience init<T: AnyObject, Sender>(
    barButtonSystemItem systemItem: SystemItem, target: T,
    action: @escaping @MainActor (T) -> @MainActor (Sender) -> Void
  ) {
    self.init(systemItem)
    call(target) { target, item in if let sender = item as? Sender { action(target)(sender) } }
  }

  /// A button everybody knows that does nothing, or room between others.
  public convenience init(barButtonSystemItem systemItem: SystemItem, target: AnyObject?, action: Never?) {
    self.init(systemItem)
  }

  private convenience init(_ systemItem: SystemItem) {
    self.init()
    title = systemItem.title
    button.isHidden = systemItem == .flexibleSpace || systemItem == .fixedSpace
  }

  private func call<T: AnyObject>(_ target: T, _ method: @escaping @MainActor (T, UIBarButtonItem) -> Void) {
    let action = UIAction { [weak self, weak target] _ in
      if let self, let target { method(target, self) }
    }
    button.addAction(action, for: .touchUpInside)
  }
}
#endif
