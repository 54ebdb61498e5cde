// A screen that ends its call when it is left, and not when another one covers it.
import OpenTok

class LeavingScreen: UIViewController {
  private(set) var log: [String] = []

  override func viewWillAppear(_ animated: Bool) {
    super.viewWillAppear(animated)
    log.append(isBeingPresented ? "presented" : isMovingToParent ? "pushed" : "back")
  }
  override func viewWillDisappear(_ animated: Bool) {
    super.viewWillDisappear(animated)
    log.append(isBeingDismissed ? "dismissed" : isMovingFromParent ? "popped" : "covered")
  }
}
