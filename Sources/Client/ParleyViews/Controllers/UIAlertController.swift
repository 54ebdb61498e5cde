#if !canImport(UIKit) || os(Linux)
public import Foundation

/// One of the answers to an alert.
@preconcurrency @MainActor
public final class UIAlertAction {
  /// The kind of an answer.
  public enum Style: Int, Hashable, Sendable {
    case `default` = 0
    /// Leaves everything as it was.
    case cancel = 1
    case destructive = 2
  }

  public let title: String?
  public let style: Style
  /// Whether it can be given.
  public var isEnabled = true { didSet { onChange?() } }
  var onChange: (@MainActor () -> Void)?
  let handler: (@MainActor (UIAlertAction) -> Void)?

  public init(title: String?, style: Style, handler: (@MainActor (UIAlertAction) -> Void)? = nil) {
    self.title = title
    self.style = style
    self.handler = handler
  }
}

/// A question to the person: an alert in the middle, or a sheet of choices.
///
/// It stays among ``UIApplication/alerts`` until a person, or ``choose(_:)``, answers it.
open class UIAlertController: UIViewController {
  /// The place of an alert.
  public enum Style: Int, Hashable, Sendable {
    /// As a sheet of choices.
    case actionSheet = 0
    case alert = 1
  }

  /// In the middle or from below.
  public let preferredStyle: Style
  /// The text below the title.
  open var message: String?
  /// The answers in the order they were added.
  public private(set) var actions: [UIAlertAction] = []
  /// The answer that the return key gives.
  open var preferredAction: UIAlertAction?
  /// The fields in the order they were added; nil when there are none.
  public private(set) var textFields: [UITextField]?
  /// The receiver of keys before the alert.
  private weak var earlierResponder: UIResponder?

  /// A question without answers yet.
  public init(title: String?, message: String?, preferredStyle: Style) {
    self.preferredStyle = preferredStyle
    self.message = message
    super.init(nibName: nil, bundle: nil)
    self.title = title
  }

  /// An alert from an archive.
  public required init?(coder: NSCoder) {
    preferredStyle = .alert
    super.init(coder: coder)
  }

  open func addAction(_ action: UIAlertAction) { actions.append(action) }

  /// Adds a field, which the closure sets up. Sheets have none.
  open func addTextField(configurationHandler: ((UITextField) -> Void)? = nil) {
    guard preferredStyle == .alert else { return }
    let field = UITextField(frame: CGRect(x: 0, y: 0, width: 238, height: 34))
    field.borderStyle = .roundedRect
    configurationHandler?(field)
    textFields = (textFields ?? []) + [field]
  }

  /// The answers in the order in which they are shown: cancelling comes last.
  var shownActions: [UIAlertAction] { actions.filter { $0.style != .cancel } + actions.filter { $0.style == .cancel } }

  /// Answers as the person does: takes the alert away, and calls the answer's closure. Tests use it, too. Does nothing
  /// when the alert is not presented, or the answer is not one of its own or cannot be given.
  public func choose(_ action: UIAlertAction) {
    guard let presenter = presentingViewController, action.isEnabled, actions.contains(where: { $0 === action }) else {
      return
    }
    if presenter.presentedViewController === self { presenter.dismissNow(true, nil) }
    action.handler?(action)
  }

  /// The answer that the return key gives.
  var returnAction: UIAlertAction? { preferredAction ?? (preferredStyle == .alert ? shownActions.first : nil) }

  /// The escape key cancels, and the return key gives the preferred answer.
  open override func pressesBegan(_ presses: Set<UIPress>, with event: UIPressesEvent?) {
    switch presses.first?.key?.characters {
    case "\u{1B}": cancel()
    case "\r", "\n": if let returnAction { choose(returnAction) }
    default: super.pressesBegan(presses, with: event)
    }
  }

  /// Closes it as the escape key does: with the answer that cancels, else with the only one of an alert. One that has
  /// to be answered stays.
  func cancel() {
    if let action = actions.first(where: { $0.style == .cancel }) {
      choose(action)
    } else if preferredStyle == .actionSheet {
      presentingViewController?.dismissNow(true, nil)
    } else if actions.count == 1 {
      choose(actions[0])
    }
  }

  func show(over presenter: UIViewController, _ animated: Bool) {
    let application = UIApplication.shared
    if !application.alerts.contains(where: { $0 === self }) { application.alerts.append(self) }
    guard let window = presenter.viewIfLoaded?.window ?? application.keyWindow else { return }
    let responder = application.firstResponder
    // Without it keys would go to what is behind.
    if responder?.resignFirstResponder() == true { earlierResponder = responder }
    view.frame = window.bounds
    view.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    window.addSubview(view)
    appear(animated)
    takeFocus()
  }

  /// Lets keys go to the first field or to a button, if it is the one in front.
  func takeFocus() {
    guard presentedViewController == nil, let window = viewIfLoaded?.window,
      let stop = (view as? AlertView)?.firstStop(returnAction)
    else { return }
    if !stop.becomeFirstResponder() { window.presenter?.focus(stop, in: window) }
  }

  func hide(_ animated: Bool) {
    UIApplication.shared.alerts.removeAll { $0 === self }
    disappear(animated)
    viewIfLoaded?.removeFromSuperview()
    let responder = earlierResponder as? UIView
    earlierResponder = nil
    if UIApplication.shared.firstResponder == nil, responder?.window != nil { responder?.becomeFirstResponder() }
  }

  /// Makes what a window shows: a box over a dark veil.
  open override func loadView() { view = AlertView(self) }
}
#endif
