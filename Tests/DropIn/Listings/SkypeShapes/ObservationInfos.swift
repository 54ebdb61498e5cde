// An observer asks whether anybody observes before it takes itself away, of the SDK's objects and of its own screen.
import SkypeForBusiness
import UIKit

class WatchingScreen: UIViewController {
  var conversation: SfBConversation?
  private(set) var names: [String] = []

  func watch() {
    conversation?.addObserver(self, forKeyPath: "canLeave", options: [.initial, .new], context: nil)
  }

  func stop() {
    if conversation?.observationInfo != nil { conversation?.removeObserver(self, forKeyPath: "canLeave") }
    if observationInfo != nil { names.append("own") }
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?, context: UnsafeMutableRawPointer?
  ) { names.append(keyPath ?? "") }
}
