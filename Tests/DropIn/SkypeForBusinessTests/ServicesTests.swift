import Foundation
import Parley
import TestSupport
import Testing

@testable import SkypeForBusiness

/// Sound, moderation, channels and alerts.
@MainActor @Suite(.serialized) struct ServicesTests {
  // Until the hold ends.
  @Test("unmuting that is undone stays muted, and hold silences audio and video")
  func hold() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      let agent = try await office.agent(invitation)
      let conversation = try office.join(invitation)
      try await wait(for: "the meeting") { conversation.state == .established && agent.participants.count == 1 }
      let (audio, myself) = (conversation.audioService, conversation.selfParticipant)
      @MainActor func isMuted(_ source: TrackSource) -> Bool? { agent.participants.first?.publication(source)?.isMuted }
      try audio.toggleMute()
      try audio.toggleMute()
      #expect(audio.muted == .muted)
      try audio.toggleMute()
      try conversation.videoService.start()
      try await wait(for: "sound and picture") {
        isMuted(.microphone) == false && isMuted(.camera) == false && audio.muted == .unmuted
      }
      #expect(!myself.audio.isMuted)
      try audio.setHold(true)
      #expect(audio.isOnHold && myself.audio.isOnHold && audio.muted == .unmuted)
      try await wait(for: "silence") { isMuted(.microphone) == true && isMuted(.camera) == true }
      try audio.setHold(false)
      try await wait(for: "sound again") { isMuted(.microphone) == false && isMuted(.camera) == false }
      try conversation.videoService.setPaused(true)
      try await wait(for: "the pause") { isMuted(.camera) == true && myself.video.isPaused }
      try myself.audio.setMuted(true)
      #expect(audio.muted == .muted)
      try await wait(for: "the mute") { isMuted(.microphone) == true }
      try conversation.videoService.stop()
      #expect(conversation.videoService.canStart && conversation.videoService.activeCamera == nil)
      try await wait(for: "no camera") { agent.participants.first?.publication(.camera) == nil }
      try audio.stop()
      #expect(audio.canStart && myself.audio.state == .disconnected)
      try audio.start()
      #expect(audio.muted == .muted && myself.audio.state == .connected)
    }
  }

  @Test("video started, stopped and started again in one turn is seen and continues")
  func startedAgainAtOnce() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      let agent = try await office.agent(invitation)
      let conversation = try office.join(invitation)
      let alarm = Alarm()
      conversation.alertDelegate = alarm
      try await wait(for: "the meeting") { conversation.videoService.canStart && agent.participants.count == 1 }
      let video = conversation.videoService
      try video.start()
      try video.stop()
      try video.start()
      #expect(video.canStop && video.activeCamera != nil)
      try await wait(for: "the picture") {
        conversation.selfParticipant.video.state == .connected
          && agent.participants.first?.publication(.camera)?.subscription?.video != nil
      }
      let counter = Counter()
      try #require(agent.participants.first?.publication(.camera)?.subscription?.video).add(counter)
      try await wait(for: "pictures that go on: \(counter.count)") { counter.count > 5 }
      #expect(alarm.alerts.isEmpty && video.canStop, "\(alarm.alerts.map(\.error))")
    }
  }

  @Test("media on hold isn't sent to the guest, nor later media, until its end")
  func nothingOnHold() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      _ = try await office.agent(invitation, name: "First", publishes: true)
      let conversation = try office.join(invitation)
      @MainActor func sound() async -> [UInt64] {
        await conversation.meeting.statistics()?.inbound.filter { $0.kind == .audio }.map(\.packetsReceived) ?? []
      }
      var last: [UInt64] = []
      /// Waits for half a second in which `condition` holds of what came before and after.
      @MainActor func wait(_ what: String, _ condition: ([UInt64], [UInt64]) -> Bool) async throws {
        for _ in 0..<40 {
          last = await sound()
          try await Task.sleep(nanoseconds: 500_000_000)
          if condition(last, await sound()) { return }
        }
        throw StillMissing("still missing after 20 s: \(what)")
      }
      try await wait("the first one's sound") { before, after in before.count == 1 && after[0] > before[0] + 10 }
      try conversation.audioService.setHold(true)
      try await wait("silence") { $0 == $1 && $0.count == 1 }
      _ = try await office.agent(invitation, name: "Second", publishes: true)
      try await wait("silence of two") { $0 == $1 && conversation.remoteParticipants.count == 2 }
      try conversation.audioService.setHold(false)
      try await wait("both") { before, after in
        before.count == 2 && zip(before, after).allSatisfy { $1 > $0 + 10 }
      }
      try conversation.audioService.stop()
      try await wait("silence again") { $0 == $1 }
    }
  }

  @Test("with test devices and a file for the speaker, what would be heard is in the file")
  func speakerFile() async throws {
    try await Office.run { office in
      let path = office.folder + "/heard.wav"
      office.application.devicesManager.testSpeakerFile = path
      let invitation = try await office.invitation()
      _ = try await office.agent(invitation, publishes: true)
      let conversation = try office.join(invitation)
      var rises = 0
      try await wait(for: "a second of the agent's tone: \(rises) periods") {
        // Behind the header of 44 bytes there are two channels of 16 bits.
        let bytes = (FileManager.default.contents(atPath: path) ?? Data()).dropFirst(44).suffix(48_000 * 4)
        let left = stride(from: bytes.startIndex, to: bytes.endIndex - 3, by: 4).map { place in
          Int16(bitPattern: UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8)
        }
        rises = zip(left, left.dropFirst()).count { $0 < 0 && $1 >= 0 }
        return left.count == 48_000 && left.contains { $0 > 500 } && abs(rises - 440) < 15
      }
      try conversation.leave()
    }
  }

  @Test("who leads the meeting can mute a guest, which an alert tells; a guest cannot")
  func moderation() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation("Subject=Board&AccessLevel=Locked")
      let agent = try await office.agent(invitation)
      let conversation = try office.join(invitation)
      let alarm = Alarm()
      conversation.alertDelegate = alarm
      try await wait(for: "the knock") { agent.lobby.count == 1 }
      try await agent.admitAll()
      try await wait(for: "the meeting") { conversation.state == .established }
      #expect(conversation.remoteParticipants.first?.role == .leader && conversation.selfParticipant.role == .attendee)
      try conversation.audioService.toggleMute()
      try await wait(for: "the microphone") { agent.participants.first?.publication(.microphone)?.isMuted == false }
      try await agent.participants.first?.mute()
      try await wait(for: "the mute") { conversation.audioService.muted == .muted }
      try await wait(for: "the alert: \(alarm.alerts.map(\.type))") { alarm.alerts.last?.type == .participantMute }
      #expect(alarm.alerts.last?.level == .info && conversation.selfParticipant.audio.isMuted)
    }
  }

  // Only they unmute.
  @Test("a leading guest mutes somebody for all, and asks them to unmute")
  func leading() async throws {
    try await Office.run { office in
      let invitation = try await office.invitation()
      let host = try await office.agent(invitation, name: "Host", role: .moderator)
      let caller = try await office.agent(invitation, name: "Caller", publishes: true)
      let conversation = try office.join(invitation)
      let alarm = Alarm()
      conversation.alertDelegate = alarm
      try await wait(for: "both: \(conversation.remoteParticipants.count)") {
        conversation.state == .established && conversation.remoteParticipants.count == 2 && host.participants.count == 2
      }
      let remote = try #require(conversation.remoteParticipants.first { $0.person.displayName == "Caller" })
      #expect(!remote.audio.canSetMuted && conversation.selfParticipant.role == .attendee)
      try await host.participants.first { $0.name == "Jake" }?.setRole(.presenter)
      try await wait(for: "the guest to lead") { remote.audio.canSetMuted && !remote.audio.isMuted }
      #expect(conversation.selfParticipant.role == .leader)
      let witness = Witness(caller) { event in
        switch event {
        case .room(.mutedByHost): "muted"
        case .room(.unmuteRequested): "asked"
        default: nil
        }
      }
      try remote.audio.setMuted(true)
      try await wait(for: "the mute: \(witness.lines)") { remote.audio.isMuted && witness.lines == ["muted"] }
      try remote.audio.setMuted(false)
      try await wait(for: "the question: \(witness.lines)") { witness.lines == ["muted", "asked"] }
      #expect(remote.audio.isMuted)
      caller.local.publication(.microphone)?.setMuted(false)
      try await wait(for: "the caller's sound") { !remote.audio.isMuted }
      #expect(alarm.alerts.isEmpty, "\(alarm.alerts.map(\.error))")
    }
  }

  @Test("at most maxVideoChannels participants can be watched: the last to speak")
  func channels() async throws {
    try await Office.run { office in
      office.application.configurationManager.maxVideoChannels = 1
      let invitation = try await office.invitation()
      let first = try await office.agent(invitation, name: "First")
      try await first.local.publish(LocalVideoTrack(TestPictureSource()))
      let conversation = try office.join(invitation)
      try await wait(for: "the first") { conversation.remoteParticipants.first?.video.canSubscribe == true }
      let second = try await office.agent(invitation, name: "Second", publishes: true)
      try await wait(for: "the second, who speaks") {
        conversation.remoteParticipants.count == 2 && conversation.remoteParticipants[1].video.canSubscribe
      }
      #expect(!conversation.remoteParticipants[0].video.canSubscribe)
      // It holds at once, also in a meeting that goes on.
      office.application.configurationManager.maxVideoChannels = 2
      #expect(conversation.remoteParticipants.allSatisfy { $0.video.canSubscribe })
      office.application.configurationManager.maxVideoChannels = 1
      #expect(conversation.remoteParticipants.map(\.video.canSubscribe) == [false, true])
      await second.leave()
      try await wait(for: "the first again") { conversation.remoteParticipants.first?.video.canSubscribe == true }
    }
  }

  // In either spelling.
  @Test("alerts wait for a delegate, the latest of a kind, and come once")
  func alerts() {
    final class Old: SfBAlertDelegate {
      var types: [SfBAlertType] = []
      func didReceiveAlert(_ alert: SfBAlert) { types.append(alert.type) }
    }
    let application = SfBApplication()
    for text in ["one", "two"] {
      application.alerts.post(.signIn, .error, ErrorCode.noServer.error(text))
      application.alerts.post(.connectivity, .warning, ErrorCode.noServer.error(text))
    }
    let alarm = Alarm()
    application.alertDelegate = alarm
    #expect(alarm.alerts.map(\.type) == [.signIn, .connectivity])
    #expect(alarm.alerts.allSatisfy { $0.error.localizedDescription.hasPrefix("two") })
    // A warning does not hide an error of the same type, nor the other way round.
    let (levels, queue) = (Alarm(), AlertQueue())
    for level in [SfBAlertLevel.error, .warning, .info, .error] {
      queue.post(.voice, level, ErrorCode.noServer.error("\(level)"))
    }
    queue.delegate = levels
    #expect(levels.alerts.map(\.level) == [.warning, .info, .error] && levels.alerts.allSatisfy { $0.type == .voice })
    let old = Old()
    application.alertDelegate = old
    #expect(old.types.isEmpty)
    application.alerts.post(.video, .error, ErrorCode.noServer.error("three"))
    #expect(old.types == [.video] && alarm.alerts.count == 2)
  }
}
