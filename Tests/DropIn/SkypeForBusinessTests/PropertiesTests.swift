import Foundation
import Parley
import ParleyViews
import TestSupport
import Testing

@testable import SkypeForBusiness

/// The properties of a conversation that apps read and observe, by the SDK's names, with real media.
@MainActor @Suite(.serialized) struct PropertiesTests {
  private final class Notebook: SfBKeyValueObserver {
    var lines: [String] = []
    func observeValue(
      forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
      context: UnsafeMutableRawPointer?
    ) {
      let value = change?[.newKey] ?? "-"
      lines.append("\(keyPath ?? "") \((value as? NSNumber).map { "\($0.intValue)" } ?? "\(value)")")
    }
  }

  // By its name.
  @Test("every property that the SDK's helper and samples observe has a first value")
  func observedNames() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      _ = try await office.agent(invitation, publishes: true)
      let conversation = try office.join(invitation)
      try await wait(for: "the agent") {
        conversation.remoteParticipants.count == 1 && conversation.state == .established
      }
      let sent = try conversation.chatService.sendMessage("hello")
      try await wait(for: "the message") { sent.status == .succeeded }
      let remote: SfBParticipant = try #require(conversation.remoteParticipants.first)
      let stream = try remote.video.subscribe(VideoTarget(frame: .zero).layer as? CAEAGLLayer)
      let preview = try conversation.videoService.showPreview(on: UIView())
      let other = try await office.agent(invitation, name: "Other")
      try await wait(for: "somebody to come") {
        conversation.historyService.activityItems.last is SfBParticipantActivityItem
      }
      let came = try #require(conversation.historyService.activityItems.last)
      await other.leave()
      let rows: [(SfBObject, [String])] = [
        (conversation, ["state", "remoteParticipants", "dominantSpeaker", "subject", "canLeave"]),
        (conversation, ["selfParticipant", "historyService", "chatService", "audioService", "videoService"]),
        (conversation, ["dominantSpeaker.person.displayName", "videoService.activeCamera.description"]),
        (conversation, ["selfParticipant.audio.isMuted", "selfParticipant.role", "chatService.canSendMessage"]),
        (conversation, ["audioService.muted", "videoService.canStart", "historyService.activityItems"]),
        (conversation.chatService, ["canStart", "canStop", "canSendMessage"]),
        (
          conversation.audioService,
          ["canStart", "canStop", "isOnHold", "muted", "canSetHold", "canToggleMute"]
        ),
        (
          conversation.videoService,
          ["canStart", "canStop", "activeCamera", "canSetActiveCamera", "canSetPaused"]
        ),
        (conversation.historyService, ["activityItems"]), (sent, ["timestamp", "status", "sender"]),
        (sent, ["type", "direction", "text", "format", "sender.displayName", "sender.sipUri"]),
        (remote, ["state", "role"]), (remote.person, ["sipUri", "displayName"]), (remote.chat, ["state", "isTyping"]),
        (remote, ["person.displayName", "chat.isTyping", "audio.isSpeaking", "video.canSubscribe"]),
        (remote.audio, ["state", "isSpeaking", "isOnHold", "isMuted", "canSetMuted"]),
        (remote.video, ["state", "isPaused", "canSubscribe"]),
        (office.application.devicesManager, ["cameras", "selectedSpeaker.activeEndpoint"]),
        (office.application.devicesManager.selectedSpeaker, ["activeEndpoint"]),
        (stream, ["dimensions"]), (preview, ["dimensions"]),
        (came, ["type", "timestamp", "person", "person.displayName", "person.sipUri"]),
        (
          office.application.configurationManager,
          ["maxVideoChannels", "requireWifiForAudio", "requireWifiForVideo", "enablePreviewFeatures"]
        ),
      ]
      for (object, names) in rows {
        for name in names {
          let notebook = Notebook()
          object.addObserver(notebook, forKeyPath: name, options: [.initial, .new])
          #expect(notebook.lines.count == 1 && notebook.lines.first?.hasPrefix(name) == true, "\(object) \(name)")
          #expect(object.observationInfo != nil)
          object.removeObserver(notebook, forKeyPath: name)
          #expect(object.observationInfo == nil)
        }
      }
      let observation: NSKeyValueObservation = conversation.observe(
        \.canLeave, options: NSKeyValueObservingOptions(rawValue: 5),
        changeHandler: { _, change in
          #expect(change.kind != .replacement && change.newValue == true)
        })
      observation.invalidate()
    }
  }

  @Test("every public property can be observed by its name, changing or not")
  func allNames() throws {
    let types: [SfBObject.Type] = [
      SfBApplication.self, SfBAnonymousSession.self, SfBConfigurationManager.self, SfBConversation.self,
      SfBConversationService.self, SfBChatService.self, SfBAudioService.self, SfBVideoService.self,
      SfBHistoryService.self, SfBVideoPreview.self, SfBConversationActivityItem.self, SfBMessageActivityItem.self,
      SfBParticipantActivityItem.self, SfBParticipant.self, SfBPerson.self, SfBParticipantService.self,
      SfBParticipantChat.self, SfBParticipantAudio.self, SfBParticipantVideo.self, SfBVideoStream.self,
      SfBDevicesManager.self, SfBSpeaker.self, SfBCamera.self, SfBAlert.self,
    ]
    // Delegates are the app's.
    let others: Set = ["alertDelegate"]
    let sources = Repository.file("Sources/DropIn/SkypeForBusiness")
    let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path).filter {
      $0.hasSuffix(".swift") && !$0.hasPrefix("Helpers/") && !$0.hasPrefix("Observing/")
    }
    var count = 0
    for file in files {
      var owner: SfBObject.Type?
      for line in try String(contentsOf: sources.appendingPathComponent(file), encoding: .utf8).split(separator: "\n") {
        if let found = line.firstMatch(of: /^@preconcurrency @MainActor (?:public|open) (?:final )?class (\w+)/) {
          owner = types.first { "\($0)" == found.1 }
          #expect(owner != nil, "\(found.1) is not among the types of this test")
        } else if let owner,
          let found = line.firstMatch(of: /^  (?:@\w+ )*(?:public|open) (?:\w+\(set\) )?(?:var|let) (\w+)/),
          !others.contains(String(found.1))
        {
          count += 1
          #expect(owner.keys.contains { $0.name == found.1 }, "\(owner).\(found.1)")
        }
      }
    }
    #expect(count > 55, "\(count) in \(files)")
  }

  @Test("each setting is observed by its name, with its first value and every change")
  func settings() {
    let manager = SfBApplication().configurationManager
    let notebook = Notebook()
    for name in ["maxVideoChannels", "requireWifiForAudio", "requireWifiForVideo", "enablePreviewFeatures"] {
      manager.addObserver(notebook, forKeyPath: name, options: [.initial, .new])
    }
    manager.maxVideoChannels = 1
    manager.requireWifiForAudio = true
    manager.requireWifiForVideo = false
    manager.enablePreviewFeatures = true
    #expect(
      notebook.lines == [
        "maxVideoChannels 4", "requireWifiForAudio 0", "requireWifiForVideo 1", "enablePreviewFeatures 0",
        "maxVideoChannels 1", "requireWifiForAudio 1", "requireWifiForVideo 0", "enablePreviewFeatures 1",
      ])
  }

  // Joins, messages and departures, with their times.
  @Test("people have names, addresses and roles, and the history has their events")
  func peopleAndHistory() async throws {
    try await Office.run { office in
      let began = Date()
      let invitation = try await office.invitation()
      let conversation = try office.join(invitation, name: "Jake")
      try await wait(for: "the meeting") { conversation.state == .established }
      let agent = try await office.agent(invitation, name: "Agent")
      try await wait(for: "the agent") { conversation.remoteParticipants.count == 1 }
      let remote = try #require(conversation.remoteParticipants.first)
      let people: [SfBPerson] = [remote.person, conversation.selfParticipant.person]
      #expect(people.map(\.displayName) == ["Agent", "Jake"])
      #expect(people.allSatisfy { $0.sipUri.scheme == "sip" } && people[0].sipUri != people[1].sipUri)
      #expect(remote.state == .connected && remote.role == .attendee && remote.chat.state == .connected)
      #expect(remote.audio.state == .connected && remote.video.state == .disconnected)
      let sent: SfBMessageActivityItem = try conversation.chatService.sendMessage("hello")
      #expect(sent.status == .pending && sent.direction == .outgoing && sent.format == SfBMessageFormat.text)
      try await wait(for: "the message") { sent.status == .succeeded }
      agent.local.rename("Clerk")
      try await wait(for: "the new name") { remote.person.displayName == "Clerk" }
      await agent.leave()
      try await wait(for: "the agent to be gone") { conversation.remoteParticipants.isEmpty }
      let items: [SfBConversationActivityItem] = conversation.historyService.activityItems
      #expect(items.map(\.type) == [.participantJoined, .message, .participantLeft])
      #expect(items.compactMap { ($0 as? SfBParticipantActivityItem)?.person } == [remote.person, remote.person])
      #expect((items[1] as? SfBMessageActivityItem)?.sender === conversation.selfParticipant.person)
      #expect(items.allSatisfy { $0.timestamp >= began && $0.timestamp <= Date() })
      try conversation.leave()
      #expect(conversation.historyService.activityItems.count == 3 && conversation.subject == "Loan")
    }
  }

  @Test("cameras and speaker are chosen by the app, and each can… says what can be done")
  func devices() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      let agent = try await office.agent(invitation)
      let conversation = try office.join(invitation)
      let (audio, video) = (conversation.audioService, conversation.videoService)
      #expect(!audio.canSetHold && !audio.canToggleMute && !video.canSetActiveCamera && !video.canSetPaused)
      try await wait(for: "the meeting") { conversation.state == .established }
      #expect(audio.canSetHold && audio.canToggleMute && video.canSetActiveCamera && !video.canSetPaused)
      let manager: SfBDevicesManager = office.application.devicesManager
      #expect(manager.cameras.map(\.type) == [.frontFacing, .backFacing])
      #expect(Set(manager.cameras.map(\.description)).count == 2)

      let view = UIView(frame: CGRect(x: 0, y: 0, width: 160, height: 90))
      let preview: SfBVideoPreview = try video.showPreviewOnView(view)
      let sizes = Notebook()
      preview.addObserver(sizes, forKeyPath: "dimensions", options: [.initial, .new])
      try await wait(for: "the preview") { preview.dimensions.width > 0 }
      try await wait(for: "its size to be told: \(sizes.lines)") { sizes.lines.count == 2 }
      #expect(sizes.lines == ["dimensions \(CGSize.zero)", "dimensions \(preview.dimensions)"])
      let newer = try video.preview(view)
      #expect(view.subviews.count == 1)
      try await wait(for: "the newer preview") { newer.dimensions == preview.dimensions }

      try video.start()
      #expect(video.canSetPaused && !video.canStart && video.canStop)
      let eye = Eye()
      try await wait(for: "the agent to receive it") {
        agent.participants.first?.publication(.camera)?.subscription?.video?.add(eye) != nil
      }
      try await wait(for: "the front camera: \(eye.sources)") { eye.sources == [1] }
      try video.setActiveCamera(manager.cameras[1])
      #expect(video.activeCamera === manager.cameras[1])
      try await wait(for: "the back camera: \(eye.sources)") { eye.sources == [1, 2] }
      let speaker: SfBSpeaker = manager.selectedSpeaker
      var endpoints: [SfBSpeakerEndpoint] = []
      let observation = speaker.observe(\.activeEndpoint, options: [.new]) { _, change in
        endpoints += [change.newValue].compactMap { $0 }
      }
      speaker.activeEndpoint = .nonLoudspeaker
      speaker.activeEndpoint = .loudspeaker
      #expect(endpoints == [.nonLoudspeaker, .loudspeaker])
      observation.invalidate()
    }
  }

  @Test("the environment chooses test devices and the speaker's file, not the app")
  func environment() {
    for (text, expected) in [("1", true), ("yes", true), ("0", false), ("No", false), ("false", false), ("", false)] {
      let manager = SfBDevicesManager(environment: ["PARLEY_TEST_DEVICES": text, "PARLEY_SPEAKER_FILE": "/x.wav"])
      #expect(manager.usesTestDevices == expected && manager.testSpeakerFile == "/x.wav", "\(text)")
    }
    let plain = SfBDevicesManager(environment: [:])
    #expect(!plain.usesTestDevices && plain.testSpeakerFile == nil)
  }

  @Test("the camera of who asks before the machine's are known is of the type unknown")
  func unknownCamera() async throws {
    try await Office.run { office in
      office.application.devicesManager.usesTestDevices = false
      let conversation = try office.join(try await office.invitation())
      _ = try conversation.videoService.showPreview(on: UIView())
      #expect(conversation.videoService.activeCamera?.type == SfBCameraType.unknown)
      try conversation.leave()
    }
  }

  // It isn't sent any more once it is unsubscribed from.
  @Test("watched video is drawn whole or cut, until it is unsubscribed, and again")
  func watching() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      _ = try await office.agent(invitation, publishes: true)
      let conversation = try office.join(invitation)
      try await wait(for: "the picture") { conversation.remoteParticipants.first?.video.canSubscribe == true }
      let video: SfBParticipantVideo = try #require(conversation.remoteParticipants.first?.video)
      let layer = try #require(VideoTarget(frame: CGRect(x: 0, y: 0, width: 160, height: 90)).layer as? CAEAGLLayer)
      for round in 1...2 {
        let stream: SfBVideoStream = try video.subscribe(layer)
        let sizes = Notebook()
        stream.addObserver(sizes, forKeyPath: "dimensions", options: [.initial, .new])
        try await wait(for: "picture \(round)") {
          try? stream.render()
          return layer.surface.frame != nil && stream.dimensions.width > 0
        }
        try await wait(for: "its size to be told: \(sizes.lines)") {
          sizes.lines.last == "dimensions \(stream.dimensions)"
        }
        try stream.setAutoFitMode(SfBVideoStreamAutoFitMode.crop)
        #expect(layer.surface.scaling == .fill)
        try stream.setAutoFitMode(.fit)
        #expect(layer.surface.scaling == .fit)
        try video.unsubscribe()
        #expect(layer.surface.frame == nil && video.canSubscribe)
        #expect(stream.dimensions == .zero && sizes.lines.last == "dimensions \(CGSize.zero)", "\(sizes.lines)")
        #expect(code { try stream.render() } == SfBError.actionNotAvailable.rawValue)
        #expect(code { try video.unsubscribe() } == SfBError.actionNotAvailable.rawValue)
      }
    }
  }

  @Test("a leading guest sees the participants in the lobby until their admission")
  func waiting() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation("Subject=Board&AccessLevel=Locked")
      let agent = try await office.agent(invitation)
      let conversation = try office.join(invitation, name: "Jake")
      #expect(conversation.selfParticipant.state == .connected)
      try await wait(for: "the knock") { agent.lobby.count == 1 && conversation.state == .inLobby }
      #expect(conversation.selfParticipant.state == .inLobby && conversation.remoteParticipants.isEmpty)
      try await agent.admitAll()
      try await wait(for: "the meeting") { conversation.state == .established && agent.participants.count == 1 }
      #expect(conversation.selfParticipant.state == .connected && conversation.selfParticipant.role == .attendee)

      // Another guest knocks: only who leads hears of it.
      let other = SfBApplication()
      other.devicesManager.usesTestDevices = true
      let second = try other.joinMeetingAnonymous(
        withDiscover: invitation.discover, authToken: invitation.token, displayName: "Second"
      ).conversation
      try await wait(for: "the second guest's knock") { agent.lobby.count == 1 }
      #expect(conversation.remoteParticipants.map(\.person.displayName) == ["Agent"])
      try await agent.participants.first?.setRole(.presenter)
      try await wait(for: "the guest to lead: \(conversation.remoteParticipants.map(\.state))") {
        conversation.selfParticipant.role == .leader && conversation.remoteParticipants.count == 2
      }
      let waiting = try #require(conversation.remoteParticipants.last)
      #expect(waiting.state == .inLobby && waiting.person.displayName == "Second")
      #expect(waiting.chat.state == .disconnected && waiting.audio.state == .disconnected && !waiting.audio.canSetMuted)
      #expect(code { try waiting.audio.setMuted(true) } == SfBError.actionNotAvailable.rawValue)
      try await agent.admitAll()
      try await wait(for: "the second guest: \(conversation.remoteParticipants.map(\.state))") {
        second.state == .established && conversation.remoteParticipants.map(\.state) == [.connected, .connected]
      }
      #expect(conversation.remoteParticipants.last?.person.displayName == "Second")
      await other.everythingIsLeft()
    }
  }
}
