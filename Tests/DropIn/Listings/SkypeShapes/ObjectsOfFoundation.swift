// The SDK's objects are NSObjects, in arrays, sets and comparisons of Foundation's.
import Foundation
import SkypeForBusiness

enum ObjectsOfFoundation {
  static func areObjects(_ conversation: SfBConversation) -> Bool {
    let objects: [NSObject] = [conversation, conversation.historyService, conversation.chatService]
    let set: Set<NSObject> = Set(objects + [conversation])
    return objects[0].isEqual(conversation) && (conversation.audioService as Any) is NSObject && set.count == 3
  }
}
