import Foundation
import Parley
import ParleyViews
import TestSupport
import Testing

@testable import SkypeForBusiness

/// Apps in the spelling of Swift 2 get the same calls as apps in today's.
@MainActor @Suite(.serialized) struct SpellingsTests {
  private final class New: SfBConversationHelperDelegate, ChatHandlerDelegate {
    var lines: [String] = []
    func conversationHelper(_ helper: SfBConversationHelper, didSubscribeTo video: SfBParticipantVideo?) {
      lines.append("watched \(video != nil)")
    }
    func conversationHelper(
      _ helper: SfBConversationHelper, conversation: SfBConversation, didChange state: SfBConversationState
    ) { lines.append("conversation \(state)") }
    func conversationHelper(
      _ helper: SfBConversationHelper, selfAudio audio: SfBParticipantAudio, didChange state: SfBParticipantServiceState
    ) { lines.append("audio \(state)") }
    func conversationHelper(
      _ helper: SfBConversationHelper, audioService: SfBAudioService, didChangeMuted muted: SfBAudioServiceMuteState
    ) { if muted != .unmuting { lines.append("muted \(muted == .muted)") } }
    func conversationHelper(
      _ helper: SfBConversationHelper, selfVideo video: SfBParticipantVideo, didChange state: SfBParticipantServiceState
    ) { lines.append("video \(state)") }
    func conversationHelper(
      _ helper: SfBConversationHelper, videoService: SfBVideoService, didChangeActiveCamera camera: SfBCamera
    ) { lines.append("camera \(camera.description)") }
    func chatHandler(_ chatHandler: ChatHandler, conversation: SfBConversation, didChange state: SfBConversationState) {
      lines.append("chat \(state)")
    }
  }

  private final class Old: SfBConversationHelperDelegate, ChatHandlerDelegate {
    var lines: [String] = []
    func conversationHelper(_ helper: SfBConversationHelper, didSubscribeToVideo video: SfBParticipantVideo?) {
      lines.append("watched \(video != nil)")
    }
    func conversationHelper(
      _ helper: SfBConversationHelper, conversation: SfBConversation, didChangeState state: SfBConversationState
    ) { lines.append("conversation \(state)") }
    func conversationHelper(
      _ helper: SfBConversationHelper, selfAudio audio: SfBParticipantAudio,
      didChangeState state: SfBParticipantServiceState
    ) { lines.append("audio \(state)") }
    func conversationHelper(
      _ helper: SfBConversationHelper, selfAudio audio: SfBParticipantAudio, didChangeIsMuted isMuted: Bool
    ) { lines.append("muted \(isMuted)") }
    func conversationHelper(
      _ helper: SfBConversationHelper, selfVideo video: SfBParticipantVideo,
      didChangeState state: SfBParticipantServiceState
    ) { lines.append("video \(state)") }
    func conversationHelper(
      _ helper: SfBConversationHelper, videoService: SfBVideoService, didChangeActiveCamera camera: SfBCamera?
    ) { if let camera { lines.append("camera \(camera.description)") } }
    func chatHandler(
      _ chatHandler: ChatHandler, conversation: SfBConversation, didChangeState state: SfBConversationState
    ) { lines.append("chat \(state)") }
  }

  @Test("both generations of the helpers' delegates are told the same, in the same order")
  func delegates() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      let conversation = try office.join(invitation)
      let (new, old) = (New(), Old())
      var kept: [AnyObject] = []
      for delegate in [new, old] as [any SfBConversationHelperDelegate & ChatHandlerDelegate] {
        let target = VideoTarget(frame: CGRect(x: 0, y: 0, width: 160, height: 90))
        // One watches: two would take each other's stream away.
        let helper = SfBConversationHelper(
          conversation: conversation, delegate: delegate, devicesManager: office.application.devicesManager,
          outgoingVideoView: nil, incomingVideoLayer: delegate === new ? target.layer as? CAEAGLLayer : nil,
          userInfo: nil)
        let handler = ChatHandler(conversation: conversation, delegate: delegate, userInfo: "Jake")
        #expect(handler.userInfo as? String == "Jake" && handler.delegate === delegate)
        #expect(handler.conversation === conversation && helper.conversation === conversation)
        #expect(helper.delegate === delegate && helper.devicesManager === office.application.devicesManager)
        kept += [helper, handler, target]
      }
      #expect(new.lines == old.lines && new.lines.count == 6)
      try await wait(for: "the meeting") { conversation.state == .established }
      try conversation.videoService.start()
      try conversation.audioService.toggleMute()
      try await wait(for: "picture and sound: \(new.lines)") {
        new.lines.contains("video connected") && new.lines.contains("muted false")
      }
      #expect(new.lines.contains("camera Test picture (front)"))
      let agent = try await office.agent(invitation, publishes: true)
      try await wait(for: "the agent to be watched: \(new.lines)") { new.lines.last == "watched true" }
      await agent.leave()
      try await wait(for: "nobody to be watched: \(new.lines)") { new.lines.last == "watched false" }
      try conversation.leave()
      // Mute and video are reported in the order in which they happened; each kind by itself is compared.
      for kind in ["conversation", "audio", "muted", "video", "camera", "chat", "watched"] {
        #expect(
          new.lines.filter { $0.hasPrefix(kind) } == old.lines.filter { $0.hasPrefix(kind) },
          "\(kind): \(new.lines) \(old.lines)")
      }
      withExtendedLifetime(kept) {}
    }
  }
}
