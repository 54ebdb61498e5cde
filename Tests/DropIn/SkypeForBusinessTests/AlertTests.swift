import Basics
import Foundation
import Media
import Parley
import ParleyViews
import Synchronization
import TestSupport
import Testing

@testable import SkypeForBusiness

/// Each alert by its cause. Those of the connection and of hosts have tests next to their causes.
@MainActor @Suite(.serialized) struct AlertTests {
  /// A guest in the meeting, and the guest's alerts.
  private func meet(_ office: Office, _ invitation: Invitation) async throws -> (SfBConversation, Alarm) {
    let conversation = try office.join(invitation)
    let alarm = Alarm()
    conversation.alertDelegate = alarm
    try await wait(for: "the meeting: \(alarm.alerts.map(\.error))") { conversation.state == .established }
    return (conversation, alarm)
  }

  /// The same in a meeting that somebody leads, who lets the guest in.
  private func meetInTheLobby(
    _ office: Office, _ invitation: Invitation, _ agent: Meeting
  ) async throws -> (SfBConversation, Alarm) {
    let conversation = try office.join(invitation)
    let alarm = Alarm()
    conversation.alertDelegate = alarm
    try await wait(for: "the knock") { agent.lobby.count == 1 }
    try await agent.admitAll()
    try await wait(for: "the meeting") { conversation.state == .established && agent.participants.count == 1 }
    return (conversation, alarm)
  }

  /// Waits for an alert of a type, and returns whether it is as the guide says.
  private func expect(
    _ alarm: Alarm, _ type: SfBAlertType, _ level: SfBAlertLevel, _ code: Int,
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    try await wait(for: "\(type) (\(level)) among \(alarm.alerts.map(\.error))") {
      alarm.alerts.last { $0.type == type }?.level == level
    }
    let alert = try #require(alarm.alerts.last { $0.type == type })
    #expect(alert.level == level && alert.problem.code == code, "\(alert.error)", sourceLocation: location)
    #expect(alert.problem.domain == SfBErrorDomain, sourceLocation: location)
  }

  private let mediaFailed = 0x2203_0005
  private let noServer = 0x2203_0014
  private let unavailable = SfBError.actionNotAvailable.rawValue

  @Test("a foreign discover address is an autoDiscovery alert of the application")
  func autoDiscovery() async throws {
    try await Office.run { office in
      let alarm = Alarm()
      office.application.alertDelegate = alarm
      let conversation = try office.application.joinMeetingAnonymous(
        withDiscover: URL(string: "\(office.url)/healthz"), authToken: "psat=x", displayName: "Jake"
      ).conversation
      try await wait(for: "the end") { conversation.state == .idle }
      try await expect(alarm, .autoDiscovery, .error, noServer)
      #expect(alarm.alerts.count == 1)
    }
  }

  @Test("no way for sound and pictures is a callFailed alert")
  func callFailed() async throws {
    try await Office.run { office in
      // There is no relay at all.
      office.application.options.usesOnlyRelays = true
      let conversation = try office.join(try await office.invitation())
      let alarm = Alarm()
      conversation.alertDelegate = alarm
      try await wait(for: "the end") { conversation.state == .idle }
      try await expect(alarm, .callFailed, .error, mediaFailed)
    }
  }

  @Test("a message that the server refuses has failed, and is a messaging alert")
  func messaging() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation("Subject=Board&AccessLevel=Locked")
      let agent = try await office.agent(invitation)
      let (conversation, alarm) = try await meetInTheLobby(office, invitation, agent)
      try await agent.participants.first?.setPermissions([.subscribe])
      try await wait(for: "the loss of chat") { !conversation.chatService.canSendMessage }
      // As when the notice of it is still on its way.
      conversation.permissions.insert(.chat)
      let item = try conversation.chatService.sendMessage("too late")
      try await expect(alarm, .messaging, .error, unavailable)
      #expect(item.status == .failed && agent.chat.isEmpty)
    }
  }

  @Test("while Wi-Fi is required a mobile network blocks video and the microphone")
  func wifi() async throws {
    try await Office.run { office in
      let application = office.application
      let (conversation, alarm) = try await meet(office, try await office.invitation())
      let (audio, video) = (conversation.audioService, conversation.videoService)
      application.isCellular = { true }
      #expect(code { try video.start() } == unavailable)
      try await expect(alarm, .videoOverWiFiBlocked, .error, unavailable)
      #expect(video.canStart && conversation.meeting.local.publications.isEmpty)
      application.configurationManager.requireWifiForAudio = true
      try audio.toggleMute()
      try await expect(alarm, .voice, .error, unavailable)
      #expect(audio.muted == .muted && conversation.meeting.local.publications.isEmpty)
      // Any other network will do, and so will this one where nothing is required.
      application.configurationManager.requireWifiForAudio = false
      application.isCellular = { false }
      try video.start()
      try audio.toggleMute()
      try await wait(for: "both") { audio.muted == .unmuted && conversation.selfParticipant.video.state == .connected }
      #expect(alarm.alerts.count == 2)
    }
  }

  @Test("a camera that failed in the preview is a videoGenericError at each start")
  func previewFirst() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation("Subject=Board&AccessLevel=Locked")
      let agent = try await office.agent(invitation)
      let (conversation, alarm) = try await meetInTheLobby(office, invitation, agent)
      let video = conversation.videoService
      let tries = Tries()
      let broken = SfBCamera(.external, "Broken") { BrokenDevice(opens: false) { tries.add() } }
      try video.setActiveCamera(broken)
      let view = UIView()
      try video.showPreview(on: view)
      try await wait(for: "the preview to try the camera") { tries.count > 0 }
      for turn in 1...2 {
        try video.start()
        try await wait(for: "alert \(turn)") { alarm.alerts.count == turn }
        try await expect(alarm, .videoGenericError, .error, mediaFailed)
        #expect(!video.canStart && conversation.selfParticipant.video.state == .disconnected)
      }
      await agent.leave()
    }
  }

  @Test(
    "canStart stays false after a failed or stopped camera, until the app asks")
  func endedByItself() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation("Subject=Board&AccessLevel=Locked")
      let agent = try await office.agent(invitation)
      let (conversation, alarm) = try await meetInTheLobby(office, invitation, agent)
      let video = conversation.videoService
      var told: [Bool] = []
      try video.setActiveCamera(SfBCamera(.external, "Broken") { BrokenDevice(opens: false) })
      let observation = video.observe(\.canStart, options: [.initial, .new]) { video, change in
        told.append(change.newValue == true)
        if change.newValue == true { try? video.start() }
      }
      try await expect(alarm, .videoGenericError, .error, mediaFailed)
      #expect(told == [true, false] && !video.canStart && !video.canStop)

      // Another camera is another try, which is reported.
      try video.setActiveCamera(office.application.devicesManager.cameras.first)
      try await wait(for: "the other camera") { conversation.selfParticipant.video.state == .connected }
      #expect(told == [true, false, true, false])

      try await wait(for: "the guest's camera at the agent's") { agent.participants.first?.publication(.camera) != nil }
      try await agent.participants.first?.stop([.camera])
      try await wait(for: "the end of the picture") { conversation.selfParticipant.video.state == .disconnected }
      #expect(!video.canStart && !video.canStop)
      try video.start()
      try await wait(for: "the picture again") { conversation.selfParticipant.video.state == .connected }
      #expect(told == [true, false, true, false])

      // A guest who may not send is notified when it may again.
      try await agent.participants.first?.setPermissions([.subscribe])
      try await wait(for: "the loss of video") { !video.canStop && !video.canStart }
      try await agent.participants.first?.setPermissions([.subscribe, .publishVideo])
      try await wait(for: "video again") { conversation.selfParticipant.video.state == .connected }
      #expect(told == [true, false, true, false, true, false])
      observation.invalidate()
      await agent.leave()
    }
  }

  @Test("a silent camera is a videoGenericError, refused video a video alert")
  func video() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation("Subject=Board&AccessLevel=Locked")
      let agent = try await office.agent(invitation)
      let (conversation, alarm) = try await meetInTheLobby(office, invitation, agent)
      let video = conversation.videoService
      try video.setActiveCamera(SfBCamera(.external, "Broken") { BrokenDevice(opens: false) })
      try video.start()
      try await expect(alarm, .videoGenericError, .error, mediaFailed)
      #expect(!video.canStart && conversation.selfParticipant.video.state == .disconnected)
      try video.showPreview(on: UIView())
      #expect(video.canStart)

      try await agent.participants.first?.setPermissions([.subscribe])
      try await wait(for: "the loss of video") { !video.canStart }
      // As when the notice of it is still on its way.
      conversation.permissions.insert(.publishVideo)
      try video.start()
      try await expect(alarm, .video, .error, mediaFailed)
      #expect(!video.canStop && conversation.selfParticipant.video.state == .disconnected)
    }
  }

  // A microphone that cannot be opened or is pulled out, and a speaker that is not there.
  @Test("failing or missing microphones and speakers are voice alerts")
  func voice() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      let agent = try await office.agent(invitation, publishes: true)
      let devices = office.application.devicesManager
      let working = devices.testMicrophone
      for opens in [false, true] {
        devices.testMicrophone = { BrokenDevice(opens: opens) }
        let (conversation, alarm) = try await meet(office, invitation)
        try conversation.audioService.toggleMute()
        try await expect(alarm, .voice, .error, mediaFailed)
        try await wait(for: "the mute") { conversation.audioService.muted == .muted }
        // Another one works, in the same meeting.
        devices.testMicrophone = working
        let ear = Ear()
        try conversation.audioService.toggleMute()
        try await wait(for: "the microphone") { conversation.audioService.muted == .unmuted }
        try await wait(for: "the sound at the agent's") {
          agent.participants.first?.publication(.microphone)?.subscription?.audio?.add(ear) != nil
        }
        try await wait(for: "the tone: \(ear.frequency)") { abs(ear.frequency - 550) < 15 }
      }
      devices.testSpeakerFile = office.folder + "/nothing/here.wav"
      let (_, alarm) = try await meet(office, invitation)
      try await expect(alarm, .voice, .warning, mediaFailed)
    }
  }

  @Test("a recorder is an alert for those present and for those who join")
  func recording() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      let (_, early) = try await meet(office, invitation)
      _ = try await office.agent(invitation, name: "Tape", role: .recorder)
      try await expect(early, .conferenceIsRecording, .info, 0)
      let notice = try #require(early.alerts.last?.problem)
      #expect(notice.localizedDescription.hasPrefix("Tape records"))
      #expect(notice.userInfo[SfBErrorSeverityKey] as? String == SfBErrorSeveritySuccess)
      let (_, late) = try await meet(office, invitation)
      try await expect(late, .conferenceIsRecording, .info, 0)
    }
  }

  @Test("a refused mute or request to unmute is an alert of that kind")
  func refusedMute() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      _ = try await office.agent(invitation, publishes: true)
      let (conversation, alarm) = try await meet(office, invitation)
      let remote = try #require(conversation.remoteParticipants.first)
      try await wait(for: "the microphone") { !remote.audio.isMuted }
      // As when the notice that they lead no more is still on its way.
      conversation.permissions.insert(.moderate)
      try remote.audio.setMuted(true)
      try await expect(alarm, .participantMute, .error, unavailable)
      try remote.audio.setMuted(false)
      try await expect(alarm, .participantUnmute, .error, unavailable)
      #expect(!remote.audio.isMuted)
    }
  }

  // Muting, stopping, forbidding and asking.
  @Test("each action of a host on a guest is one alert, and nothing else")
  func host() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation("Subject=Board&AccessLevel=Locked")
      let agent = try await office.agent(invitation)
      let (conversation, alarm) = try await meetInTheLobby(office, invitation, agent)
      let guest = try #require(agent.participants.first)
      @MainActor func start() async throws {
        if !conversation.videoService.canStop { try conversation.videoService.start() }
        if conversation.audioService.muted == .muted { try conversation.audioService.toggleMute() }
        try await wait(for: "sound and picture") {
          conversation.audioService.muted == .unmuted && conversation.selfParticipant.video.state == .connected
            && guest.publication(.camera)?.isMuted == false && guest.publication(.microphone)?.isMuted == false
        }
      }
      @MainActor func expect(
        _ expected: [(SfBAlertType, String)], after act: @MainActor () async throws -> Void
      ) async throws {
        let before = alarm.alerts.count
        try await act()
        let words = expected.map { "Somebody who leads the meeting \($0.1)" }
        try await wait(for: "\(words) among \(alarm.alerts.dropFirst(before).map(\.error))") {
          alarm.alerts.count >= before + expected.count
        }
        let new = alarm.alerts.dropFirst(before)
        #expect(new.map(\.type) == expected.map(\.0) && new.allSatisfy { $0.level == .info && $0.problem.code == 0 })
        for (alert, words) in zip(new, words) { #expect(alert.error.localizedDescription.hasPrefix(words)) }
      }
      try await start()
      try await expect([(.communication, "has turned your camera off.")]) { try await guest.mute([.camera]) }
      try await expect([(.participantMute, "has muted you.")]) { try await guest.mute() }
      try await expect([(.participantUnmute, "asks you to unmute.")]) { try await guest.askToUnmute() }
      try await expect([(.communication, "asks you to turn your camera on.")]) {
        try await guest.askToUnmute([.camera])
      }
      try conversation.videoService.setPaused(false)
      try await start()
      try await expect([(.communication, "has ended your picture.")]) { try await guest.stop([.camera]) }
      try await expect([(.participantMute, "has ended your sound.")]) { try await guest.stop([.microphone]) }
      try await start()
      try await expect([(.communication, "does not let you be seen any more.")]) {
        try await guest.setPermissions([.publishAudio, .chat, .subscribe])
      }
      try await expect([
        (.participantMute, "does not let you speak any more."),
        (.communication, "does not let you write messages any more."),
      ]) { try await guest.setPermissions([.subscribe]) }
      await agent.leave()
    }
  }

  // It stays muted if nobody may unmute.
  @Test("a guest muted with all others reads muted and gets an alert")
  func muteForAll() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation("Subject=Board&AccessLevel=Locked")
      let agent = try await office.agent(invitation)
      let (conversation, alarm) = try await meetInTheLobby(office, invitation, agent)
      let (audio, myself) = (conversation.audioService, conversation.selfParticipant)
      try audio.toggleMute()
      try conversation.videoService.start()
      try await wait(for: "sound and picture") { audio.muted == .unmuted && myself.video.state == .connected }
      // The agent checks the view of others.
      try await agent.muteAll([.microphone, .camera], mayUnmute: false)
      try await expect(alarm, .participantMute, .info, 0)
      try await wait(for: "both to be muted") { audio.muted == .muted && myself.audio.isMuted && myself.video.isPaused }

      // The server's answer about the video has no alert of its own.
      try conversation.videoService.setPaused(false)
      try await expect(alarm, .communication, .warning, 0)

      // The server says no, once, and nobody reads that they were heard.
      var states: [SfBAudioServiceMuteState] = []
      let observation = audio.observe(\.muted, options: .new) { _, change in
        states += [change.newValue].compactMap { $0 }
      }
      defer { observation.invalidate() }
      let before = alarm.alerts.count
      try audio.toggleMute()
      try await expect(alarm, .participantUnmute, .error, unavailable)
      #expect(states == [.unmuting, .muted] && audio.muted == .muted && myself.audio.isMuted)
      try await agent.participants.first?.askToUnmute([.microphone])
      try await expect(alarm, .participantUnmute, .info, 0)
      #expect(alarm.alerts.dropFirst(before).map(\.type) == [.participantUnmute, .participantUnmute])
      try audio.toggleMute()
      try await wait(for: "the microphone") { agent.participants.first?.publication(.microphone)?.isMuted == false }
      try await agent.allowUnmuting()
      try conversation.videoService.setPaused(false)
      try await wait(for: "the camera") { agent.participants.first?.publication(.camera)?.isMuted == false }
      try await wait(for: "the answer") { !myself.audio.isMuted && audio.muted == .unmuted }
    }
  }
}

/// How often a device was tried.
private final class Tries: Sendable {
  private let number = Mutex(0)
  var count: Int { number.withLock(\.self) }
  func add() { number.withLock { $0 += 1 } }
}
