// A screen that makes room for a phone's keyboard, and a view that has a height of its own but no width.
import UIKit

class TypingScreen: UIViewController {
  private(set) var height: CGFloat = 0

  override func viewDidLoad() {
    super.viewDidLoad()
    NotificationCenter.default.addObserver(
      self, selector: TypingScreen.shown, name: UIResponder.keyboardWillShowNotification, object: nil)
  }

  func shown(_ notification: Notification) {
    let frame = notification.userInfo?[UIResponder.keyboardFrameEndUserInfoKey] as? NSValue
    height = frame?.cgRectValue.height ?? 0
  }
}

class StripView: UIView {
  override var intrinsicContentSize: CGSize { CGSize(width: UIView.noIntrinsicMetric, height: 44) }
}
