import Basics
import Foundation
import ParleyViews
import TestSupport
import Testing

@testable import SkypeForBusiness

/// Joining again, tokens that have ended, and hosts who ask.
@MainActor @Suite(.serialized) struct AgainTests {
  @Test("a rejoin asks for the video licence until it is accepted, and never after")
  func licence() async throws {
    try await Office.run { office in
      let application = SfBApplication()
      application.devicesManager.usesTestDevices = true
      let invitation = try await office.invitation()
      for isAccepted in [false, false, true, true] {
        // It holds for the application, not for one meeting.
        if isAccepted, code({ try application.configurationManager.checkVideoLicense() }) != 0 {
          application.configurationManager.setEndUserAcceptedVideoLicense()
        }
        let conversation = try application.joinMeetingAnonymous(
          withDiscover: invitation.discover, authToken: invitation.token, displayName: "Jake"
        ).conversation
        try await wait(for: "the meeting") { conversation.state == .established }
        #expect(conversation.videoService.canStart)
        let expected = isAccepted ? 0 : SfBError.videoLicenseNotAccepted.rawValue
        #expect(code { try conversation.videoService.start() } == expected)
        #expect(conversation.videoService.canStart == !isAccepted)
        try conversation.leave()
        #expect(!conversation.videoService.canStart && conversation.state == .idle)
      }
      await application.everythingIsLeft()
    }
  }

  @Test("an expired token is a conferencing alert E3-9-47, like one that never was")
  func expired() async throws {
    // Long enough for both calls of the service on a machine that has much to do.
    try await Office.run({ $0.meetingLifetime = .seconds(6) }) { office in
      let invitation = try await office.invitation()
      let end = Date().addingTimeInterval(7)
      try await wait(for: "the token's end") { Date() > end }
      let alarm = Alarm()
      let conversation = try office.join(invitation)
      conversation.alertDelegate = alarm
      try await wait(for: "the refusal: \(conversation.state)") { conversation.state == .idle }
      #expect(alarm.alerts.map(\.type) == [.conferencing] && alarm.alerts.first?.problem.code == 0x2309_002F)
      // The service call says so, too, by an answer without an address.
      let join = invitation.join.absoluteString
      let answer = try await office.call(
        "GetAnonTokenJob", "ApplicationSessionId=AnonMeeting&AllowedOrigins=http://localhost/&MeetingUrl=\(join)")
      #expect(answer["DiscoverUri"] == nil && answer["Token"] == nil && answer["Error"]?.contains("over") == true)
    }
  }

  @Test("who is removed is told so by one alert, and not that the connection was lost")
  func removed() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation("Subject=Board&AccessLevel=Locked")
      let agent = try await office.agent(invitation)
      for _ in 1...3 {
        let conversation = try office.join(invitation)
        let alarm = Alarm()
        conversation.alertDelegate = alarm
        try await wait(for: "the knock") { agent.lobby.count == 1 }
        try await agent.admitAll()
        try await wait(for: "the meeting") { conversation.state == .established && agent.participants.count == 1 }
        try await agent.participants.first?.remove()
        try await wait(for: "the end") { conversation.state == .idle }
        #expect(alarm.alerts.map(\.type) == [.conferenceUnexpectedDisconnect], "\(alarm.alerts.map(\.error))")
        #expect(alarm.alerts.last?.error.localizedDescription.contains("removed") == true)
      }
    }
  }

  // Also after the next meeting.
  @Test("after a meeting neither conversation, helpers, people nor video stay")
  func nothingStays() async throws {
    struct Remains {
      let name: String
      weak var object: AnyObject?
      init(_ object: AnyObject) {
        name = "\(type(of: object))"
        self.object = object
      }
    }
    /// A visit with all that an app has of it.
    @MainActor func visit(_ office: Office, _ invitation: Invitation) async throws -> [Remains] {
      let conversation = try office.join(invitation)
      let target = VideoTarget(frame: CGRect(x: 0, y: 0, width: 160, height: 90))
      let view = UIView(frame: target.frame)
      let helper = SfBConversationHelper(
        conversation: conversation, delegate: nil, devicesManager: office.application.devicesManager,
        outgoingVideoView: view, incomingVideoLayer: target.layer as? CAEAGLLayer, userInfo: nil)
      let handler = ChatHandler(conversation: conversation, delegate: nil, userInfo: nil)
      try await wait(for: "the agent's picture") {
        conversation.remoteParticipants.first?.video.canSubscribe == true && conversation.state == .established
      }
      try conversation.videoService.start()
      try conversation.audioService.toggleMute()
      let item = try conversation.chatService.sendMessage("hello")
      try await wait(for: "sound, picture and message") {
        conversation.audioService.muted == .unmuted && item.status == .succeeded
          && conversation.selfParticipant.video.state == .connected
      }
      let people = conversation.remoteParticipants + [conversation.selfParticipant]
      try conversation.leave()
      let all: [AnyObject] = [
        conversation, conversation.meeting, conversation.audioService, conversation.videoService, item, helper, handler,
        view, target,
      ]
      return (all + people as [AnyObject]).map(Remains.init)
    }
    try await Office.run { office in
      let invitation = try await office.invitation()
      _ = try await office.agent(invitation, publishes: true)
      for round in 1...2 {
        let remains = try await visit(office, invitation)
        try await wait(for: "the end of \(remains.compactMap { $0.object == nil ? nil : $0.name }) of visit \(round)") {
          remains.allSatisfy { $0.object == nil }
        }
      }
    }
  }

  @Test("own messages are outgoing after joining again; a chat handler gets others'")
  func ownMessages() async throws {
    final class Screen: ChatHandlerDelegate {
      var texts: [String] = []
      func chatHandler(_ chatHandler: ChatHandler, didReceiveMessage message: SfBMessageActivityItem) {
        texts.append(message.text)
      }
    }
    try await Office.run { office in
      let invitation = try await office.invitation()
      let agent = try await office.agent(invitation)
      let first = try office.join(invitation)
      try await wait(for: "the meeting") { first.chatService.canSendMessage }
      try first.chatService.sendMessage("mine")
      try await wait(for: "it at the agent's") { agent.chat.count == 1 }
      try agent.send(chat: "yours")
      try await wait(for: "the answer") { first.historyService.activityItems.count == 2 }
      try first.leave()

      let again = try office.join(invitation)
      let screen = Screen()
      let handler = ChatHandler(conversation: again, delegate: screen, userInfo: nil)
      try await wait(for: "the second meeting") { again.chatService.canSendMessage }
      let items = again.historyService.activityItems.compactMap { $0 as? SfBMessageActivityItem }
      #expect(items.map(\.text) == ["mine", "yours"] && items.map(\.direction) == [.outgoing, .incoming])
      #expect(items.first?.status == .succeeded && items.first?.sender === again.selfParticipant.person)
      #expect(items.first?.timestamp == agent.chat.first?.time)
      #expect(screen.texts == ["yours"] && handler.conversation === again)
      // The same words again are another message.
      let same = try again.chatService.sendMessage("mine")
      try await wait(for: "the second one") { same.status == .succeeded && agent.chat.count == 3 }
      #expect(again.historyService.activityItems.count == 3)
    }
  }

  @Test("a host who asks to unmute is told by an alert, in the spelling of Swift 2, too")
  func asked() async throws {
    final class Old: SfBAlertDelegate {
      var alerts: [SfBAlert] = []
      func didReceiveAlert(_ alert: SfBAlert) { alerts.append(alert) }
    }
    try await Office.run { office in
      let invitation = try await office.invitation("Subject=Board&AccessLevel=Locked")
      let agent = try await office.agent(invitation)
      let conversation = try office.join(invitation)
      let old = Old()
      conversation.alertDelegate = old
      try await wait(for: "the knock") { agent.lobby.count == 1 }
      try await agent.admitAll()
      try await wait(for: "the meeting") { conversation.state == .established && agent.participants.count == 1 }
      try conversation.audioService.toggleMute()
      try await wait(for: "the microphone") { agent.participants.first?.publication(.microphone)?.isMuted == false }
      try conversation.audioService.toggleMute()
      try await wait(for: "the mute") { agent.participants.first?.publication(.microphone)?.isMuted == true }
      try await agent.participants.first?.askToUnmute()
      try await wait(for: "the alert: \(old.alerts.map(\.type))") { old.alerts.last?.type == .participantUnmute }
      #expect(old.alerts.last?.level == .info && conversation.audioService.muted == .muted)
      // A guest who may not chat any more learns it by the property, and by the error of a further call.
      try await agent.participants.first?.setPermissions([.subscribe, .publishAudio])
      try await wait(for: "the loss of chat and video") {
        !conversation.chatService.canSendMessage && !conversation.videoService.canStart
      }
      #expect(code { try conversation.chatService.sendMessage("x") } == SfBError.actionNotAvailable.rawValue)
      #expect(code { try conversation.videoService.start() } == SfBError.actionNotAvailable.rawValue)
      #expect(conversation.audioService.canToggleMute)
    }
  }
}
