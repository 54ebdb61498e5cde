import Basics
import Foundation
import Parley
import ParleyViews
import TestSupport
import Testing

@testable import SkypeForBusiness

/// Each fault is reported by the documented error at the documented place, and never ends the app.
@MainActor @Suite(.serialized) struct BadInputTests {
  private let invalid = SfBError.invalidArgument.rawValue
  private let unavailable = SfBError.actionNotAvailable.rawValue
  private let unlicensed = SfBError.videoLicenseNotAccepted.rawValue

  @Test("invalid addresses, tokens and names are refused with invalidArgument")
  func arguments() throws {
    let application = SfBApplication()
    let url = try #require(URL(string: "http://localhost:1/discover"))
    for address in [
      "", "mailto:ann@example.org", "http://localhost:1", "http://localhost:1/a/b", "http://localhost:1/discover/x",
    ] {
      #expect(
        code { _ = try application.joinMeetingAnonymous(withUri: URL(string: address), displayName: "Ann") } == invalid,
        "\(address)")
    }
    for address in ["sip:x@y", "file:///etc/passwd", "http:///x"] {
      let discover = URL(string: address)
      #expect(
        code {
          _ = try application.joinMeetingAnonymous(withDiscover: discover, authToken: "psat=x", displayName: "Ann")
        } == invalid, "\(address)")
    }
    #expect(
      code { _ = try application.joinMeetingAnonymous(withDiscover: url, authToken: "", displayName: "Ann") } == invalid
    )
    #expect(
      code { _ = try application.joinMeetingAnonymous(withDiscover: url, authToken: "psat=x", displayName: " ") }
        == invalid)
    #expect(code { _ = try application.joinMeetingAnonymousWithUri(nil, displayName: "Ann") } == invalid)
  }

  /// Joins and waits until that has failed; gives back who was alarmed about the conversation and about the
  /// application.
  private func failure(
    _ application: SfBApplication, _ discover: String, token: String
  ) async throws -> (conversation: [SfBAlert], application: [SfBAlert]) {
    let (inside, outside) = (Alarm(), Alarm())
    application.alertDelegate = outside
    let conversation = try application.joinMeetingAnonymous(
      withDiscover: URL(string: discover), authToken: token, displayName: "Jake"
    ).conversation
    conversation.alertDelegate = inside
    #expect(conversation.state == .establishing)
    try await wait(for: "the failure: \(conversation.state)") { conversation.state == .idle }
    #expect(!conversation.canLeave && conversation.remoteParticipants.isEmpty)
    return (inside.alerts, outside.alerts)
  }

  // A wrong token, one of another server, and an address that isn't a meeting's.
  @Test("wrong tokens and foreign addresses are conferencing alerts E3-9-47")
  func tokens() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      try await Office.run { other in
        let foreign = try await other.invitation()
        let discover = invitation.discover.absoluteString.prefix { $0 != "?" }
        for token in ["psat=wrong", foreign.token] {
          let alerts = try await failure(
            office.application, "\(discover)?anonymousMeetingJoinContext=\(token)", token: token)
          #expect(alerts.conversation.map(\.type) == [.conferencing] && alerts.application.isEmpty, "\(token)")
          let error = try #require(alerts.conversation.first?.problem)
          #expect(error.domain == SfBErrorDomain && error.code == 0x2309_002F)
          #expect(error.localizedDescription.contains("(E3-9-47)"), "\(error.localizedDescription)")
          #expect(error.userInfo[SfBErrorSeverityKey] as? String == SfBErrorSeverityError)
        }
      }
      let alarm = Alarm()
      let conversation = try office.application.joinMeetingAnonymous(
        withUri: URL(string: "\(office.url)/admin"), displayName: "Jake"
      ).conversation
      conversation.alertDelegate = alarm
      try await wait(for: "the refusal") { conversation.state == .idle }
      #expect(alarm.alerts.map(\.type) == [.conferencing] && alarm.alerts.first?.problem.code == 0x2309_002F)
    }
  }

  // By its address and by a token.
  @Test("an unknown meeting is one conferencing alert E3-9-47")
  func unknownMeeting() async throws {
    try await Office.run({ $0.openRooms = false }) { office in
      let invitation = try await office.invitation()
      try await office.remove(invitation)
      let application = office.application
      let nowhere = URL(string: "\(office.url)/nowhere")
      let joins: [(String, () throws -> SfBAnonymousSession)] = [
        ("never there", { try application.joinMeetingAnonymous(withUri: nowhere, displayName: "Jake") }),
        ("removed", { try application.joinMeetingAnonymous(withUri: invitation.join, displayName: "Jake") }),
        (
          "removed, by token",
          {
            try application.joinMeetingAnonymous(
              withDiscover: invitation.discover, authToken: invitation.token, displayName: "Jake")
          }
        ),
      ]
      for (name, join) in joins {
        let (inside, outside) = (Alarm(), Alarm())
        application.alertDelegate = outside
        let conversation = try join().conversation
        conversation.alertDelegate = inside
        #expect(conversation.state == .establishing, "\(name)")
        try await wait(for: "the refusal (\(name)): \(conversation.state)") { conversation.state == .idle }
        #expect(inside.alerts.count == 1 && outside.alerts.isEmpty && !conversation.canLeave, "\(name)")
        let alert = try #require(inside.alerts.first)
        #expect(alert.type == .conferencing && alert.level == .error, "\(name)")
        #expect(alert.problem.domain == SfBErrorDomain && alert.problem.code == 0x2309_002F, "\(name)")
        #expect(
          alert.error.localizedDescription
            == "There is no such meeting. E_ConferencingAnonymousJoinClientForbidden (E3-9-47)", "\(name)")
      }
    }
  }

  @Test("a server that is not there is a sign-in alert E2-3-20 of the application")
  func unreachable() async throws {
    let application = SfBApplication()
    let alerts = try await failure(
      application, "http://127.0.0.1:9/discover?anonymousMeetingJoinContext=psat%3dx", token: "psat=x")
    #expect(alerts.conversation.isEmpty && alerts.application.map(\.type) == [.signIn])
    #expect(alerts.application.first?.problem.code == 570_621_972 && alerts.application.first?.level == .error)
  }

  @Test(
    "video calls fail with videoLicenseNotAccepted until the licence is accepted")
  func licence() async throws {
    try await Office.run { office in
      let application = SfBApplication()
      application.devicesManager.usesTestDevices = true
      let invitation = try await office.invitation()
      _ = try await office.agent(invitation, publishes: true)
      let conversation = try application.joinMeetingAnonymous(
        withDiscover: invitation.discover, authToken: invitation.token, displayName: "Jake"
      ).conversation
      try await wait(for: "the agent's picture") { conversation.remoteParticipants.first?.video.canSubscribe == true }
      let video = conversation.videoService
      let remote = try #require(conversation.remoteParticipants.first?.video)
      #expect(video.canStart)
      let target = VideoTarget(frame: CGRect(x: 0, y: 0, width: 160, height: 90))
      let layer = target.layer as? CAEAGLLayer
      let calls: [(String, () throws -> Void)] = [
        ("start", { try video.start() }), ("stop", { try video.stop() }),
        ("setActiveCamera", { try video.setActiveCamera(application.devicesManager.cameras.first) }),
        ("setPaused", { try video.setPaused(true) }), ("showPreview", { _ = try video.showPreview(on: target) }),
        ("subscribe", { _ = try remote.subscribe(layer) }), ("unsubscribe", { try remote.unsubscribe() }),
      ]
      for (name, call) in calls { #expect(code(call) == unlicensed, "\(name)") }
      // Chat and sound never ask for it.
      try conversation.chatService.sendMessage("hello")
      try conversation.audioService.toggleMute()
      application.configurationManager.setEndUserAcceptedVideoLicense()
      for (name, call) in [calls[0]] + calls[2...] { #expect(code(call) == 0, "\(name)") }
      #expect(code(calls[1].1) == 0)
      try conversation.leave()
      await application.everythingIsLeft()
    }
  }

  // Before, during and after the meeting.
  @Test("a call while its property is false fails with actionNotAvailable")
  func wrongState() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      let conversation = try office.join(invitation)
      let target = UIView(frame: CGRect(x: 0, y: 0, width: 160, height: 90))
      let services = [conversation.chatService, conversation.audioService, conversation.videoService]
      @MainActor func expectNothingWorks() {
        for service in services as [SfBConversationService] {
          #expect(!service.canStart && code { try service.start() } == unavailable)
          #expect(!service.canStop && code { try service.stop() } == unavailable)
        }
        #expect(code { try conversation.chatService.sendMessage("hello") } == unavailable)
        #expect(code { try conversation.chatService.sendIsTyping() } == unavailable)
        #expect(code { try conversation.audioService.toggleMute() } == unavailable)
        #expect(code { try conversation.audioService.setHold(true) } == unavailable)
        #expect(code { try conversation.videoService.setPaused(true) } == unavailable)
        let camera = office.application.devicesManager.cameras.first
        #expect(code { try conversation.videoService.setActiveCamera(camera) } == unavailable)
        #expect(code { try conversation.selfParticipant.audio.setMuted(false) } == unavailable)
      }
      expectNothingWorks()
      try await wait(for: "the meeting") { conversation.state == .established }
      let agent = try await office.agent(invitation)
      try await wait(for: "the agent") { conversation.remoteParticipants.count == 1 }
      let remote = try #require(conversation.remoteParticipants.first)
      #expect(code { _ = try remote.video.subscribe(VideoTarget(frame: .zero).layer as? CAEAGLLayer) } == unavailable)
      #expect(code { try remote.video.unsubscribe() } == unavailable)
      #expect(!remote.audio.canSetMuted && code { try remote.audio.setMuted(true) } == unavailable)
      #expect(code { try conversation.videoService.setPaused(true) } == unavailable)
      try conversation.videoService.start()
      #expect(code { try conversation.videoService.start() } == unavailable)
      // A service that has started by itself is started, too.
      #expect(code { try conversation.chatService.start() } == unavailable)
      #expect(code { try conversation.audioService.start() } == unavailable)
      // A view that an app has not connected to a screen.
      #expect(code { _ = try conversation.videoService.showPreview(on: nil) } == invalid)
      #expect(code { _ = try remote.video.subscribe(nil) } == invalid)
      #expect(code { try conversation.videoService.setActiveCamera(nil) } == invalid)
      // Texts that are none.
      #expect(code { try conversation.chatService.sendMessage(" ") } == invalid)
      #expect(code { try conversation.chatService.sendMessage(String(repeating: "x", count: 5_000)) } == invalid)
      try conversation.leave()
      expectNothingWorks()
      #expect(code { try conversation.leave() } == unavailable)
      #expect(code { _ = try conversation.videoService.showPreview(on: target) } == unavailable)
      await agent.leave()
    }
  }

  @Test("an ended stream says so, and a leaving participant's video goes")
  func goneStream() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      let agent = try await office.agent(invitation, publishes: true)
      let conversation = try office.join(invitation)
      try await wait(for: "the picture") { conversation.remoteParticipants.first?.video.canSubscribe == true }
      let remote = try #require(conversation.remoteParticipants.first)
      let target = VideoTarget(frame: CGRect(x: 0, y: 0, width: 160, height: 90))
      let stream = try remote.video.subscribe(target.layer as? CAEAGLLayer)
      #expect(code { try stream.setAutoFitMode(.crop) } == 0)
      await agent.leave()
      try await wait(for: "the agent to be gone") { conversation.remoteParticipants.isEmpty }
      #expect(code { try stream.render() } == unavailable && code { try stream.setAutoFitMode(.fit) } == unavailable)
      #expect(code { _ = try remote.video.subscribe(target.layer as? CAEAGLLayer) } == unavailable)
      #expect(code { try remote.video.unsubscribe() } == unavailable)
      #expect(!remote.audio.canSetMuted && code { try remote.audio.setMuted(true) } == unavailable)
      #expect(!remote.video.canSubscribe && remote.video.state == .disconnected)
      let last = try #require(conversation.historyService.activityItems.last as? SfBParticipantActivityItem)
      #expect(last.type == .participantLeft && last.person.displayName == "Agent")
    }
  }

  @Test("a server that goes away is an unexpected-disconnect alert, and idle")
  func shutdown() async throws {
    try await Office.run { office in
      let conversation = try office.join(try await office.invitation())
      let alarm = Alarm()
      conversation.alertDelegate = alarm
      try await wait(for: "the meeting") { conversation.state == .established }
      await office.shutDown()
      try await wait(for: "the end: \(conversation.state)") { conversation.state == .idle }
      #expect(alarm.alerts.map(\.type) == [.conferenceUnexpectedDisconnect])
    }
  }
}
