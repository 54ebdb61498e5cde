import Foundation
import Parley
import ParleyViews
import TestSupport
import Testing

@testable import SkypeForBusiness

/// The two helpers that apps of the SDK are built on.
@MainActor @Suite(.serialized) struct HelperTests {
  /// Notes a helper's calls, in the spelling of Swift 3.
  private final class Screen: SfBConversationHelperDelegate {
    var lines: [String] = []
    var watched: SfBParticipantVideo?
    var tellings = 0

    func conversationHelper(_ helper: SfBConversationHelper, didSubscribeTo video: SfBParticipantVideo?) {
      watched = video
      tellings += 1
    }
    func conversationHelper(_ helper: SfBConversationHelper, didReceiveMessage message: SfBMessageActivityItem) {
      lines.append("message \(message.text)")
    }
    func conversationHelper(
      _ helper: SfBConversationHelper, conversation: SfBConversation, didChange state: SfBConversationState
    ) { lines.append("conversation \(state)") }
    func conversationHelper(
      _ helper: SfBConversationHelper, chatService: SfBChatService, didChangeCanSendMessage can: Bool
    ) { lines.append("canSendMessage \(can)") }
    func conversationHelper(
      _ helper: SfBConversationHelper, selfAudio audio: SfBParticipantAudio, didChange state: SfBParticipantServiceState
    ) { lines.append("selfAudio \(state)") }
    func conversationHelper(
      _ helper: SfBConversationHelper, audioService: SfBAudioService, didChangeMuted muted: SfBAudioServiceMuteState
    ) { lines.append("audio \(muted)") }
    func conversationHelper(
      _ helper: SfBConversationHelper, speaker: SfBSpeaker, didChangeActiveEndpoint endpoint: SfBSpeakerEndpoint
    ) { lines.append("speaker \(endpoint)") }
    func conversationHelper(
      _ helper: SfBConversationHelper, videoService: SfBVideoService, didChangeCanStart canStart: Bool
    ) {
      lines.append("canStart \(canStart)")
      if canStart { try? videoService.start() }
    }
    func conversationHelper(
      _ helper: SfBConversationHelper, videoService: SfBVideoService, didChangeActiveCamera camera: SfBCamera?
    ) { lines.append("camera \(camera?.description ?? "none")") }
    func conversationHelper(
      _ helper: SfBConversationHelper, selfVideo video: SfBParticipantVideo, didChange state: SfBParticipantServiceState
    ) { lines.append("selfVideo \(state)") }
    func conversationHelper(
      _ helper: SfBConversationHelper, selfVideo video: SfBParticipantVideo, didChangeIsPaused isPaused: Bool
    ) { lines.append("paused \(isPaused)") }
  }

  /// Notes a helper's calls, in the spelling of Swift 2.
  private final class OldScreen: SfBConversationHelperDelegate {
    var lines: [String] = []

    func conversationHelper(_ helper: SfBConversationHelper, didSubscribeToVideo video: SfBParticipantVideo?) {
      lines.append("video \(video != nil)")
    }
    func conversationHelper(
      _ helper: SfBConversationHelper, conversation: SfBConversation, didChangeState state: SfBConversationState
    ) { lines.append("conversation \(state)") }
    func conversationHelper(
      _ helper: SfBConversationHelper, selfAudio audio: SfBParticipantAudio, didChangeIsMuted isMuted: Bool
    ) { lines.append("muted \(isMuted)") }
    func conversationHelper(
      _ helper: SfBConversationHelper, selfVideo video: SfBParticipantVideo,
      didChangeState state: SfBParticipantServiceState
    ) { lines.append("selfVideo \(state)") }
  }

  // Then it watches the remaining participants.
  @Test("the conversation helper reports states, starts video and watches the first")
  func helper() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      let conversation = try office.join(invitation)
      let screen = Screen()
      let preview = UIView(frame: CGRect(x: 0, y: 0, width: 160, height: 90))
      let target = VideoTarget(frame: CGRect(x: 0, y: 0, width: 320, height: 180))
      let layer = try #require(target.layer as? CAEAGLLayer)
      let helper = SfBConversationHelper(
        conversation: conversation, delegate: screen, devicesManager: office.application.devicesManager,
        outgoingVideoView: preview, incomingVideoLayer: layer, userInfo: "Jake")
      let old = OldScreen()
      let oldHelper = SfBConversationHelper(
        conversation: conversation, delegate: old, devicesManager: office.application.devicesManager,
        outgoingVideoView: nil, incomingVideoLayer: nil, userInfo: nil)
      #expect(
        screen.lines == [
          "conversation establishing", "canSendMessage false", "selfAudio disconnected", "audio muted",
          "speaker loudspeaker", "canStart false", "camera Test picture (front)", "selfVideo disconnected",
          "paused false",
        ])
      #expect(old.lines == ["conversation establishing", "muted true", "selfVideo disconnected", "video false"])
      #expect(screen.watched == nil && screen.tellings == 1 && helper.displayLink.isPaused)
      try await wait(for: "the camera: \(screen.lines)") { screen.lines.contains("selfVideo connected") }
      #expect(screen.lines.contains("canStart true") && old.lines.last == "selfVideo connected")
      let tile = try #require(preview.subviews.first as? VideoView)
      try await wait(for: "the preview") { tile.currentFrame != nil }

      // Watching.
      let first = try await office.agent(invitation, name: "First", publishes: true)
      try await wait(for: "the first to be watched") { screen.watched != nil }
      try await wait(for: "a picture that is drawn") { layer.surface.frame != nil }
      #expect(screen.watched === conversation.remoteParticipants.first?.video && !helper.displayLink.isPaused)
      // In the background nothing is drawn, while pictures go on coming.
      helper.isSeen = { false }
      let (drawn, counter) = (layer.surface.frameCount, Counter())
      conversation.remoteParticipants.first?.remote?.publication(.camera)?.subscription?.video?.add(counter)
      try await wait(for: "ten more pictures: \(counter.count)") { counter.count > 10 }
      #expect(layer.surface.frameCount == drawn)
      helper.isSeen = { true }
      try await wait(for: "the picture to go on") { layer.surface.frameCount > drawn }
      try first.send(chat: "hello")
      try await wait(for: "the message") { screen.lines.contains("message hello") }
      first.local.publication(.camera)?.setMuted(true)
      try await wait(for: "the pause") { screen.watched == nil }
      first.local.publication(.camera)?.setMuted(false)
      try await wait(for: "the picture again") { screen.watched != nil }
      let second = try await office.agent(invitation, name: "Second")
      try await second.local.publish(LocalVideoTrack(TestPictureSource(.planets, sourceID: 4)))
      try await wait(for: "the second") { conversation.remoteParticipants.count == 2 }
      await first.leave()
      try await wait(for: "the second to be watched") {
        screen.watched != nil && screen.watched === conversation.remoteParticipants.first?.video
      }

      // The actions of buttons.
      helper.changeSpeakerEndpoint()
      #expect(screen.lines.last == "speaker nonLoudspeaker")
      try helper.changeActiveCamera()
      #expect(screen.lines.last == "camera Test picture (back)")
      try helper.toggleVideoPaused()
      try await wait(for: "the pause: \(screen.lines)") { screen.lines.last == "paused true" }
      try helper.toggleAudioMuted()
      try await wait(for: "the sound: \(screen.lines)") { screen.lines.last == "audio unmuted" }
      #expect(old.lines.contains("muted false"))
      #expect(helper.userInfo as? String == "Jake")

      try conversation.leave()
      #expect(screen.lines.last == "conversation idle" && screen.watched == nil && preview.subviews.isEmpty)
      withExtendedLifetime(oldHelper) {}
    }
  }

  @Test("who speaks is watched, and goes on being watched when silent")
  func dominant() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      _ = try await office.agent(invitation, name: "Silent")
      let conversation = try office.join(invitation)
      let screen = Screen()
      let target = VideoTarget(frame: CGRect(x: 0, y: 0, width: 320, height: 180))
      let helper = SfBConversationHelper(
        conversation: conversation, delegate: screen, devicesManager: office.application.devicesManager,
        outgoingVideoView: nil, incomingVideoLayer: target.layer as? CAEAGLLayer, userInfo: nil)
      try await wait(for: "the silent one") { conversation.remoteParticipants.count == 1 }
      let speaker = try await office.agent(invitation, name: "Speaker", publishes: true)
      try await wait(for: "the speaker: \(conversation.dominantSpeaker?.person.displayName ?? "nobody")") {
        conversation.dominantSpeaker?.person.displayName == "Speaker"
      }
      try await wait(
        for:
          "the speaker to be watched: \(conversation.remoteParticipants.map { "\($0.person.displayName) \($0.video.state) \($0.video.canSubscribe) \($0.video.isPaused) \(screen.watched === $0.video)" }) \(screen.tellings)"
      ) {
        screen.watched != nil && screen.watched === conversation.dominantSpeaker?.video
      }
      #expect(conversation.dominantSpeaker?.audio.isSpeaking == true)
      speaker.local.publication(.microphone)?.setMuted(true)
      try await wait(for: "silence") { conversation.dominantSpeaker?.audio.isSpeaking == false }
      #expect(conversation.dominantSpeaker?.person.displayName == "Speaker" && screen.watched != nil)
      await speaker.leave()
      try await wait(for: "nobody to have spoken") { conversation.dominantSpeaker == nil }
      withExtendedLifetime(helper) {}
    }
  }

  private final class Sheet: ChatHandlerDelegate {
    var lines: [String] = []
    func chatHandler(_ chatHandler: ChatHandler, didReceiveMessage message: SfBMessageActivityItem) {
      lines.append("message \(message.text)")
    }
    func chatHandler(_ chatHandler: ChatHandler, chatService: SfBChatService, didChangeCanSendMessage can: Bool) {
      lines.append("canSendMessage \(can)")
    }
    func chatHandler(_ chatHandler: ChatHandler, conversation: SfBConversation, didChange state: SfBConversationState) {
      lines.append("conversation \(state)")
    }
  }

  // As after a loss.
  @Test("video that replaces another one at once is subscribed to again and drawn")
  func anotherPicture() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      let agent = try await office.agent(invitation, publishes: true)
      try await agent.local.publish(
        LocalVideoTrack(TestPictureSource(width: 160, height: 120, framesPerSecond: 10)), as: .screen)
      let conversation = try office.join(invitation)
      let target = VideoTarget(frame: CGRect(x: 0, y: 0, width: 160, height: 90))
      let layer = try #require(target.layer as? CAEAGLLayer)
      let helper = SfBConversationHelper(
        conversation: conversation, delegate: nil, devicesManager: office.application.devicesManager,
        outgoingVideoView: nil, incomingVideoLayer: layer, userInfo: nil)
      try await wait(for: "the picture") { layer.surface.frameCount > 2 }
      let participant: SfBParticipant = try #require(conversation.remoteParticipants.first)
      let remote = try #require(participant.remote)
      try await wait(for: "the other picture") { remote.publication(.screen)?.subscription?.video != nil }
      var told: [Bool] = []
      let observation = participant.video.observe(\.canSubscribe) { video, _ in told.append(video.canSubscribe) }
      participant.video.refresh(remote.publication(.screen))
      conversation.refreshVideo()
      #expect(told == [false, true] && participant.video.state == .connected)
      let before = layer.surface.frameCount
      try await wait(for: "pictures again: \(told)") { layer.surface.frameCount > before + 3 }
      withExtendedLifetime((helper, observation)) {}
      try conversation.leave()
    }
  }

  @Test("the chat handler sends, receives, reports states and fills the error")
  func chat() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      let agent = try await office.agent(invitation)
      try agent.send(chat: "before")
      try await wait(for: "the first message") { agent.chat.count == 1 }
      let conversation = try office.join(invitation)
      let sheet = Sheet()
      let handler = ChatHandler(conversation: conversation, delegate: sheet, userInfo: nil)
      #expect(sheet.lines == ["conversation establishing", "canSendMessage false"])
      var error: NSError?
      handler.sendMessage("too early", error: &error)
      #expect(error?.code == SfBError.actionNotAvailable.rawValue)
      try await wait(for: "the chat: \(sheet.lines)") { sheet.lines.contains("canSendMessage true") }
      handler.sendMessage("hello", error: &error)
      #expect(error == nil)
      try agent.send(chat: "welcome")
      try await wait(for: "both: \(sheet.lines)") { sheet.lines.last == "message welcome" && agent.chat.count == 3 }
      #expect(Set(agent.chat.map(\.text)) == ["before", "hello", "welcome"])
      // Earlier messages keep their time.
      #expect(conversation.historyService.activityItems.first?.timestamp == agent.chat.first?.time)

      // Somebody is writing.
      let other = SfBApplication()
      let second = try other.joinMeetingAnonymous(withUri: invitation.join, displayName: "Second").conversation
      try await wait(for: "the second guest") {
        second.state == .established && conversation.remoteParticipants.count == 2
      }
      try second.chatService.sendIsTyping()
      let writer = try #require(conversation.remoteParticipants.last)
      try await wait(for: "the notice") { writer.chat.isTyping }
      try second.chatService.sendMessage("there")
      try await wait(for: "the message") { sheet.lines.last == "message there" && !writer.chat.isTyping }
      // Every client of the meeting sends and gets the same.
      let desk = try #require(conversation.remoteParticipants.first)
      agent.setTyping(true)
      try await wait(for: "the agent's notice") { desk.chat.isTyping }
      agent.setTyping(false)
      try await wait(for: "its end") { !desk.chat.isTyping }
      let witness = Witness(agent) { event in
        guard case .chatting(.typing(let sender, let isTyping, _)) = event else { return nil }
        return "\(sender.name) \(isTyping ? "types" : "is done")"
      }
      try conversation.chatService.sendIsTyping()
      try conversation.chatService.sendMessage("done")
      try await wait(for: "the guest's notice and its end: \(witness.lines)") {
        witness.lines == ["Second types", "Second is done", "Jake types", "Jake is done"]
      }
      await other.everythingIsLeft()
      try await wait(for: "the second guest to be gone") { conversation.remoteParticipants.count == 1 }
    }
  }
}
