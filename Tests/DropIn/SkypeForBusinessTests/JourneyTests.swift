import Foundation
import Parley
import ParleyViews
import TestSupport
import Testing

@testable import SkypeForBusiness

/// An app's whole way from the service calls to the end, with real media to and from somebody else.
@MainActor @Suite(.serialized) struct JourneyTests {
  @Test("a guest joins by discover address and token, chats, sends, receives, leaves")
  func journey() async throws {
    try await Office.run { office in
      let speaker = Ear()
      office.application.devicesManager.testSpeaker = speaker
      let invitation = try await office.invitation()
      let agent = try await office.agent(invitation, publishes: true)
      let conversation = try office.join(invitation)
      #expect(conversation.state == .establishing && conversation.canLeave)
      var states: [SfBConversationState] = []
      let observation = conversation.observe(\.state, options: [.initial, .new]) { _, change in
        if let state = change.newValue { states.append(state) }
      }
      try await wait(for: "the meeting: \(conversation.state)") { conversation.state == .established }
      #expect(conversation.subject == "Loan")
      try await wait(for: "the agent") { conversation.remoteParticipants.map(\.person.displayName) == ["Agent"] }
      let remote = try #require(conversation.remoteParticipants.first)

      // Chat both ways.
      #expect(conversation.chatService.canSendMessage)
      let sent = try conversation.chatService.sendMessage("Good morning")
      #expect(sent.direction == .outgoing && sent.format == .text)
      try await wait(for: "the message to arrive: \(sent.status)") { sent.status == .succeeded }
      try await wait(for: "the message at the agent's: \(agent.chat.map(\.text))") {
        agent.chat.map(\.text) == ["Good morning"]
      }
      try agent.send(chat: "How can I help?")
      try await wait(for: "the answer") { conversation.historyService.activityItems.count == 2 }
      let answer = try #require(conversation.historyService.activityItems.last as? SfBMessageActivityItem)
      #expect(answer.text == "How can I help?" && answer.direction == .incoming && answer.sender == remote.person)

      // Picture and sound to the agent.
      #expect(conversation.audioService.muted == .muted && conversation.selfParticipant.audio.isMuted)
      try conversation.audioService.toggleMute()
      #expect(conversation.audioService.muted == .unmuting)
      try conversation.videoService.start()
      #expect(conversation.selfParticipant.video.state == SfBParticipantServiceState.connecting)
      try await wait(for: "the microphone") { conversation.audioService.muted == .unmuted }
      try await wait(for: "the camera") { conversation.selfParticipant.video.state == .connected }
      let ear = Ear()
      let eye = Eye()
      try await wait(for: "the agent to receive both") {
        let publications = agent.participants.first?.publications ?? []
        let subscriptions = publications.compactMap(\.subscription)
        guard subscriptions.count == 2 else { return false }
        for subscription in subscriptions {
          subscription.video?.add(eye)
          subscription.audio?.add(ear)
        }
        return true
      }
      // The front camera's picture names itself 1.
      try await wait(for: "the guest's picture and tone: \(eye.sources) \(ear.frequency)") {
        eye.sources.contains(1) && abs(ear.frequency - 550) < 15
      }

      // Picture and sound of the agent.
      let target = VideoTarget(frame: CGRect(x: 0, y: 0, width: 320, height: 180))
      let layer = try #require(target.layer as? CAEAGLLayer)
      try await wait(for: "the agent's picture to be there") {
        remote.video.canSubscribe && remote.audio.state == .connected
      }
      let stream = try remote.video.subscribe(layer)
      try await wait(for: "a picture on the layer") {
        try? stream.render()
        return layer.surface.frame.flatMap { TestPictureMarker.decode($0)?.sourceID } == 3
      }
      #expect(stream.dimensions.width > 0)
      #expect(remote.audio.isMuted == false)
      try await wait(for: "the agent's tone: \(speaker.frequency)") { abs(speaker.frequency - 440) < 15 }

      try conversation.leave()
      #expect(conversation.state == .idle && !conversation.canLeave)
      #expect(conversation.historyService.activityItems.count == 2 && conversation.subject == "Loan")
      try await wait(for: "the agent to be alone") { agent.participants.isEmpty }
      #expect(states == [.establishing, .established, .idle])
      observation.invalidate()
    }
  }

  @Test("who has to wait is in the lobby until somebody lets them in")
  func lobby() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation("Subject=Board&AccessLevel=Locked")
      let agent = try await office.agent(invitation)
      let conversation = try office.join(invitation)
      var (states, before): ([SfBConversationState], [SfBConversationState?]) = ([], [])
      let observation = conversation.observe(\.state, options: [.initial, .new, .old]) { _, change in
        if let state = change.newValue { states.append(state) }
        before.append(change.oldValue)
      }
      try await wait(for: "the knock: \(conversation.state)") {
        agent.lobby.count == 1 && conversation.state == .inLobby
      }
      #expect(!conversation.chatService.canSendMessage && !conversation.videoService.canStart && conversation.canLeave)
      try await agent.admit(#require(agent.lobby.first))
      try await wait(for: "the meeting") { conversation.state == .established }
      #expect(states == [.establishing, .inLobby, .established])
      #expect(before == [nil, .establishing, .inLobby], "what was before")
      observation.invalidate()
    }
  }

  @Test("a denied guest gets a conferencing alert, and the conversation is idle")
  func denied() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation("Subject=Board&AccessLevel=Locked")
      let agent = try await office.agent(invitation)
      let conversation = try office.join(invitation)
      let alarm = Alarm()
      conversation.alertDelegate = alarm
      try await wait(for: "the knock") { agent.lobby.count == 1 }
      try await agent.deny(#require(agent.lobby.first))
      try await wait(for: "the end: \(conversation.state)") { conversation.state == .idle }
      #expect(alarm.alerts.map(\.type) == [.conferencing] && alarm.alerts.first?.problem.code == 0x2309_002F)
    }
  }

  @Test("joining again leaves the earlier meeting first, and video can start there")
  func again() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      let agent = try await office.agent(invitation)
      var earlier: [SfBConversation] = []
      for round in 1...3 {
        let conversation = try office.join(invitation)
        #expect(earlier.allSatisfy { $0.state == .idle && !$0.canLeave && !$0.videoService.canStart })
        var couldStart: [Bool] = []
        let observation = conversation.videoService.observe(\.canStart, options: [.initial, .new]) { _, change in
          couldStart.append(change.newValue == true)
        }
        try await wait(for: "meeting \(round)") { conversation.state == .established }
        #expect(couldStart == [false, true])
        try conversation.videoService.start()
        #expect(couldStart == [false, true, false])
        try await wait(for: "the camera") { conversation.selfParticipant.video.state == .connected }
        try await wait(for: "the agent to see one guest: \(agent.participants.count)") {
          agent.participants.count == 1 && agent.participants.first?.publication(.camera) != nil
        }
        if round == 2 { try conversation.leave() }
        observation.invalidate()
        earlier.append(conversation)
      }
    }
  }

  // Nobody sees a guest twice.
  @Test("of three joins in a row the last waits until the first meeting is left")
  func threeInARow() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      let agent = try await office.agent(invitation)
      let first = try office.join(invitation, name: "First")
      try await wait(for: "the first") { first.state == .established && agent.participants.count == 1 }
      let witness = Witness(agent) { event in
        switch event {
        case .participantJoined(let guest): "\(guest.name) came"
        case .participantLeft(let guest, _): "\(guest.name) went"
        default: nil
        }
      }
      let second = try office.join(invitation, name: "Second")
      let third = try office.join(invitation, name: "Third")
      #expect([first, second, third].map(\.state) == [.idle, .idle, .establishing])
      // Leaving twice is waiting for the same goodbye.
      await first.meeting.leave()
      #expect(third.meeting.state == .idle, "the third is being joined while the first is being left")
      try await wait(for: "the third: \(third.state)") { third.state == .established && witness.lines.count == 3 }
      #expect(witness.lines == ["First came", "First went", "Third came"] && second.meeting.state == .ended)
    }
  }

  @Test("joining from an observer of the end of another join gives one meeting")
  func fromAnObserver() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      let agent = try await office.agent(invitation)
      let first = try office.join(invitation, name: "First")
      try await wait(for: "the first") { first.state == .established && agent.participants.count == 1 }
      var inner: SfBConversation?
      let observation = first.observe(\.state, options: .new) { conversation, _ in
        if conversation.state == .idle, inner == nil { inner = try? office.join(invitation, name: "Inner") }
      }
      let outer = try office.join(invitation, name: "Outer")
      let joined = try #require(inner)
      try await wait(for: "the inner one: \(joined.state)") { joined.state == .established }
      try await wait(for: "one guest: \(agent.participants.map(\.name))") {
        agent.participants.map(\.name) == ["Inner"]
      }
      #expect(outer.state == .idle && [.idle, .ended].contains(outer.meeting.state))
      observation.invalidate()
    }
  }

  @Test("a meeting is joined by its address, in the spellings of Swift 2 and with NSURL")
  func spellings() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      let application = office.application
      let url = try #require(NSURL(string: invitation.join.absoluteString))
      let discover = try #require(NSURL(string: invitation.discover.absoluteString))
      let joins: [() throws -> SfBAnonymousSession] = [
        { try application.joinMeetingAnonymous(withUri: invitation.join, displayName: "Ann") },
        { try application.joinMeetingAnonymousWithUri(url, displayName: "Ann") },
        {
          try application.joinMeetingAnonymousWithDiscoverUrl(
            discover, authToken: invitation.token, displayName: "Ann")
        },
      ]
      for join in joins {
        let conversation = try join().conversation
        try await wait(for: "the meeting: \(conversation.state)") { conversation.state == .Established }
        try conversation.leave()
      }
    }
  }

  @Test("sharedApplication() and shared() give one application, which joins")
  func sharedApplication() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      let agent = try await office.agent(invitation)
      let application: SfBApplication = SfBApplication.sharedApplication()
      application.devicesManager.usesTestDevices = true
      defer { application.devicesManager.usesTestDevices = false }
      for each in [application, SfBApplication.shared()] as [SfBApplication] {
        #expect(each === application)
        let conversation = try each.joinMeetingAnonymous(withUri: invitation.join, displayName: "Ann").conversation
        try await wait(for: "the meeting: \(conversation.state)") { conversation.state == .established }
        try await wait(for: "Ann at the agent's") { agent.participants.map(\.name) == ["Ann"] }
        try conversation.leave()
        await each.everythingIsLeft()
      }
    }
  }
}

/// A view whose layer shows video.
final class VideoTarget: UIView {
  override class var layerClass: AnyClass { CAEAGLLayer.self }
}
