import Foundation
import UIKit

/// The visible texts and the possible actions.
@MainActor struct Screen {
  let views: [UIView]
  let alert: UIAlertController?

  init(_ window: UIWindow) {
    var views: [UIView] = []
    func collect(_ view: UIView) {
      guard !view.isHidden, view.alpha > 0 else { return }
      views.append(view)
      for each in view.subviews { collect(each) }
    }
    window.layoutIfNeeded()
    // A modal screen hides those behind it.
    var front = window.rootViewController
    while let next = front?.presentedViewController, !(next is UIAlertController) { front = next }
    if let view = front?.view { collect(view) }
    self.views = views
    alert = UIApplication.shared.alerts.last
  }

  var texts: [String] {
    views.compactMap { view in
      switch view {
      case let label as UILabel: label.text
      case let text as UITextView: text.text
      default: nil
      }
    }.filter { !$0.isEmpty }
  }

  var buttons: [UIButton] { views.compactMap { $0 as? UIButton } }
  var fields: [UITextField] { views.compactMap { $0 as? UITextField } }
  var switches: [UISwitch] { views.compactMap { $0 as? UISwitch } }
  var tables: [UITableView] { views.compactMap { $0 as? UITableView } }

  /// As values for a line of JSON.
  var description: [String: Any] {
    var fields: [String: String] = [:]
    for field in self.fields { fields[field.placeholder ?? ""] = field.text ?? "" }
    var described: [String: Any] = [
      "texts": texts, "fields": fields, "buttons": buttons.filter(\.isEnabled).map { $0.currentTitle ?? "" },
      "disabled": buttons.filter { !$0.isEnabled }.map { $0.currentTitle ?? "" },
      "views": views.filter { $0.superview != nil && !($0 is UIControl) }.compactMap(\.accessibilityLabel),
      "on": switches.filter(\.isOn).map { $0.accessibilityLabel ?? "" },
    ]
    if let alert {
      described["alert"] = [
        "title": alert.title ?? "", "message": alert.message ?? "", "answers": alert.actions.map { $0.title ?? "" },
      ]
    }
    return described
  }
}
