// Calls as values of their exact types: what throws, what gives back, and what may be thrown away.
import SkypeForBusiness
import UIKit

enum CallsAsValues {
  @MainActor static func calls(_ conversation: SfBConversation) -> Int {
    let leave: @MainActor () throws -> Void = conversation.leave
    let send: @MainActor (String) throws -> SfBMessageActivityItem = conversation.chatService.sendMessage
    let hold: @MainActor (Bool) throws -> Void = conversation.audioService.setHold
    let preview: @MainActor (UIView) throws -> SfBVideoPreview = conversation.videoService.showPreview(on:)
    let accept: @MainActor () -> Void = SfBApplication.shared().configurationManager.setEndUserAcceptedVideoLicense
    let all: [Any] = [leave, send, hold, preview, accept]
    return all.count
  }
}
