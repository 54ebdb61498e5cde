// A method that takes a notification as the class.
import OpenTok

class CallsScreen: UIViewController {
  static let changed = Notification.Name("CallsChanged")
  private(set) var actions: [String] = []

  override func viewWillAppear(_ animated: Bool) {
    super.viewWillAppear(animated)
    NotificationCenter.default.addObserver(
      self, selector: CallsScreen.callsChanged(notification:), name: CallsScreen.changed, object: nil)
  }
  override func viewDidDisappear(_ animated: Bool) {
    super.viewDidDisappear(animated)
    NotificationCenter.default.removeObserver(self)
  }
  func callsChanged(notification: NSNotification) {
    actions.append(notification.userInfo?["action"] as? String ?? "none")
  }
}
