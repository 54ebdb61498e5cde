// One list of what have a superclass in common: services, parts of a participant, items of the history.
import SkypeForBusiness

enum KindsOfServices {
  static func startable(_ conversation: SfBConversation) -> [SfBConversationService] {
    let services: [SfBConversationService] = [
      conversation.chatService, conversation.audioService, conversation.videoService,
    ]
    return services.filter { $0.canStart }
  }
  static func states(_ participant: SfBParticipant) -> [SfBParticipantServiceState] {
    let parts: [SfBParticipantService] = [participant.chat, participant.audio, participant.video]
    return parts.map { $0.state }
  }
  static func texts(_ history: SfBHistoryService) -> [String] {
    history.activityItems.sorted { $0.timestamp < $1.timestamp }.map { item in
      switch item {
      case let message as SfBMessageActivityItem: message.text
      case let person as SfBParticipantActivityItem: person.person.displayName
      default: "\(item.type.rawValue)"
      }
    }
  }
}
