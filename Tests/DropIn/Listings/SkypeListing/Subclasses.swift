// Subclasses and doubles that an app makes of the SDK's classes, and the exact types that it asks for.
import SkypeForBusiness
import UIKit

/// A class of which the app makes no object.
class LoudSpeaker: SfBSpeaker {
  override var activeEndpoint: SfBSpeakerEndpoint {
    get { super.activeEndpoint }
    set { super.activeEndpoint = newValue }
  }
}

/// A service that tests of an app put in the place of a real one.
class ServiceDouble: SfBConversationService {
  var starts = 0
  override var canStart: Bool { true }
  override func start() throws { starts += 1 }
}

enum ExactTypes {
  static func objects(_ conversation: SfBConversation) -> Bool {
    let objects: [NSObject] = [conversation, conversation.historyService, conversation.chatService]
    return objects[0].isEqual(conversation) && (conversation.audioService as Any) is NSObject
  }
  @MainActor static var paths: [AnyKeyPath] {
    let error: KeyPath<SfBAlert, Error> = \.error
    let speaker: KeyPath<SfBConversation, SfBParticipant?> = \.dominantSpeaker
    let channels: ReferenceWritableKeyPath<SfBConfigurationManager, UInt32> = \.maxVideoChannels
    return [error, speaker, channels]
  }
}
