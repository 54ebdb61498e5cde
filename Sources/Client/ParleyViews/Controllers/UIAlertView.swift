#if !canImport(UIKit) || os(Linux)
import Foundation

/// An alert, by the older class.
@preconcurrency @MainActor
public final class UIAlertView {
  public var title: String
  public var message: String?
  public weak var delegate: (any UIAlertViewDelegate)?
  /// A number to know it by.
  public var tag = 0
  /// The place of the button that cancels; -1 when there is none.
  public var cancelButtonIndex = -1
  private var titles: [String] = []
  private var alert: UIAlertController?

  /// An alert with its buttons; the one that cancels comes first.
  public init(
    title: String?, message: String?, delegate: AnyObject?, cancelButtonTitle: String?, otherButtonTitles: String...
  ) {
    self.title = title ?? ""
    self.message = message
    self.delegate = delegate as? any UIAlertViewDelegate
    if let cancelButtonTitle { cancelButtonIndex = addButton(withTitle: cancelButtonTitle) }
    for title in otherButtonTitles { addButton(withTitle: title) }
  }

  /// An alert without buttons yet.
  public init() { title = "" }

  /// Adds a button; returns its place.
  @discardableResult
  public func addButton(withTitle title: String?) -> Int {
    titles.append(title ?? "")
    return titles.count - 1
  }

  /// How many buttons there are.
  public var numberOfButtons: Int { titles.count }
  public func buttonTitle(at buttonIndex: Int) -> String? {
    titles.indices.contains(buttonIndex) ? titles[buttonIndex] : nil
  }
  /// Whether it is on the screen.
  public var isVisible: Bool { alert != nil }

  /// Shows it over what is in front of the key window. Without any window it waits among ``UIApplication/alerts``.
  public func show() {
    guard alert == nil else { return }
    let alert = UIAlertController(title: title, message: message, preferredStyle: .alert)
    for (index, title) in titles.enumerated() {
      // The alert view lives until it is answered, as it does where the system holds it.
      alert.addAction(
        UIAlertAction(title: title, style: index == cancelButtonIndex ? .cancel : .default) { _ in
          self.answered(index)
        })
    }
    self.alert = alert
    delegate?.willPresent(self)
    let presenter = UIApplication.shared.keyWindow?.rootViewController ?? UIViewController()
    presenter.frontmost.present(alert, animated: true)
    delegate?.didPresent(self)
  }

  /// Answers with a button without the person.
  public func dismiss(withClickedButtonIndex buttonIndex: Int, animated: Bool) {
    guard let alert else { return }
    self.alert = nil
    alert.dismiss(animated: animated)
    delegate?.alertView(self, didDismissWithButtonIndex: buttonIndex)
  }

  private func answered(_ index: Int) {
    alert = nil
    delegate?.alertView(self, clickedButtonAt: index)
    delegate?.alertView(self, didDismissWithButtonIndex: index)
  }
}

/// Hears the answers to an ``UIAlertView``.
@preconcurrency @MainActor
public protocol UIAlertViewDelegate: AnyObject {
  /// A button was pressed.
  func alertView(_ alertView: UIAlertView, clickedButtonAt buttonIndex: Int)
  /// The alert has gone.
  func alertView(_ alertView: UIAlertView, didDismissWithButtonIndex buttonIndex: Int)
  /// The alert is about to come.
  func willPresent(_ alertView: UIAlertView)
  /// The alert is there.
  func didPresent(_ alertView: UIAlertView)
}

extension UIAlertViewDelegate {
  public func alertView(_ alertView: UIAlertView, clickedButtonAt buttonIndex: Int) {}
  public func alertView(_ alertView: UIAlertView, didDismissWithButtonIndex buttonIndex: Int) {}
  public func willPresent(_ alertView: UIAlertView) {}
  public func didPresent(_ alertView: UIAlertView) {}
}
#endif
