import Foundation
import UIKit
import SkypeForBusiness

extension SfBAlert {
  /// Shows the alert over whatever is on the screen. The sample calls everything an error, even news.
  func show() {
    let level: String
    switch self.level {
    case .error: level = "Error"
    case .warning: level = "Warning"
    case .info: level = "Info"
    }
    Journal.note("alert", ["level": level, "type": "\(type)", "code": "\((error as NSError).code)"])
    UIApplication.shared.keyWindow?.rootViewController?
      .showAlert("Error: \(typeName)", error.localizedDescription, answer: "Ok")
  }

  /// The type with a capital first letter, as it is written in documents: `SignIn`.
  private var typeName: String {
    let name = "\(type)"
    return name.prefix(1).uppercased() + name.dropFirst()
  }
}

extension UIViewController {
  /// An alert with one answer.
  func showAlert(
    _ title: String, _ message: String, answer: String, then done: (@MainActor () -> Void)? = nil
  ) {
    let alert = UIAlertController(title: title, message: message, preferredStyle: .alert)
    alert.addAction(UIAlertAction(title: answer, style: .default) { _ in done?() })
    present(alert, animated: true)
  }
}

extension String {
  /// Whether nothing but blanks is in it.
  var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
