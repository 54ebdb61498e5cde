// Delegates of the helpers that leave methods out, all of them or all but one.
import Foundation
import SkypeForBusiness

class QuietDelegate: NSObject, SfBConversationHelperDelegate, ChatHandlerDelegate {}

class MessagesAlone: NSObject, ChatHandlerDelegate {
  var texts: [String] = []
  func chatHandler(_ chatHandler: ChatHandler, didReceiveMessage message: SfBMessageActivityItem) {
    texts.append(message.text)
  }
}

class AlertsInOldSpelling: NSObject, SfBAlertDelegate {
  var types: [SfBAlertType] = []
  func didReceiveAlert(_ alert: SfBAlert) { types.append(alert.type) }
}
