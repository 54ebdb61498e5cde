// Subclasses of the helpers, which apps had as source, with an initialiser that calls the helper's.
import SkypeForBusiness
import UIKit

class CountingHelper: SfBConversationHelper {
  private(set) var changes = 0
  override func changeSpeakerEndpoint() {
    changes += 1
    super.changeSpeakerEndpoint()
  }
  override func changeActiveCamera() throws {
    changes += 1
    try super.changeActiveCamera()
  }
}

class NamedHandler: ChatHandler {
  let name: String
  init(_ name: String, _ conversation: SfBConversation, _ delegate: ChatHandlerDelegate) {
    self.name = name
    super.init(conversation: conversation, delegate: delegate, userInfo: ["KeyPath": name])
  }
}
