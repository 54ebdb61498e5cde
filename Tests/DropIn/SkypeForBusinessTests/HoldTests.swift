import Basics
import Foundation
import ParleyViews
import TestSupport
import Testing

@testable import Parley
@testable import SkypeForBusiness

/// Hold, pause and stop let nothing through, from the first moment on.
@MainActor @Suite(.serialized) struct HoldTests {
  /// A guest and somebody who sees what of the guest is published, muted or not.
  private func meet(
    _ office: Office, publishes: Bool = false, _ body: @MainActor (Meeting, SfBConversation) async throws -> Void
  ) async throws {
    let invitation = try await office.invitation()
    let agent = try await office.agent(invitation, publishes: publishes)
    let conversation = try office.join(invitation)
    try await wait(for: "the meeting") { conversation.state == .established && agent.participants.count == 1 }
    try await body(agent, conversation)
  }

  private func isMuted(_ source: TrackSource, at agent: Meeting) -> Bool? {
    agent.participants.first?.publication(source)?.isMuted
  }

  @Test("video that is started on hold sends not one picture until the hold is over")
  func videoOnHold() async throws {
    try await Office.run { office in
      try await meet(office) { agent, conversation in
        let witness = Witness(agent) { event in
          if case .published(let publication) = event { publication.isMuted ? "muted" : "open" } else { nil }
        }
        try conversation.audioService.setHold(true)
        try conversation.videoService.start()
        let eye = Eye()
        try await wait(for: "the camera at the agent's") {
          agent.participants.first?.publication(.camera)?.subscription?.video?.add(eye) != nil
        }
        try await wait(for: "the camera at the guest's") { conversation.selfParticipant.video.state == .connected }
        #expect(witness.lines == ["muted"] && isMuted(.camera, at: agent) == true && eye.sources.isEmpty)
        try conversation.audioService.setHold(false)
        try await wait(for: "the picture") { eye.sources == [1] && isMuted(.camera, at: agent) == false }
      }
    }
  }

  @Test("audio stopped during publishing leaves no microphone, and can start again")
  func stopWhileUnmuting() async throws {
    try await Office.run { office in
      try await meet(office) { agent, conversation in
        let (audio, local) = (conversation.audioService, conversation.meeting.local)
        try audio.toggleMute()
        // Publishing has begun, and the server has not answered.
        // Not inside the macro: the compiler of 6.3 mixes such a closure up with those that follow.
        let hasBegun = await spin { !local.publications.isEmpty }
        #expect(hasBegun && audio.muted == .unmuting)
        try audio.stop()
        #expect(audio.muted == .muted && audio.canStart && !audio.canToggleMute)
        try await wait(for: "publishing to end") { !audio.isPublishing }
        try await wait(for: "the microphone to be given back") { local.publications.isEmpty }
        try await wait(for: "no microphone at the agent's") { isMuted(.microphone, at: agent) == nil }
        try audio.start()
        try audio.toggleMute()
        try await wait(for: "the microphone") { isMuted(.microphone, at: agent) == false && audio.muted == .unmuted }
      }
    }
  }

  @Test("stopping sound ends the hold, and with it that of the picture")
  func stopOnHold() async throws {
    try await Office.run { office in
      try await meet(office) { agent, conversation in
        try conversation.videoService.start()
        try await wait(for: "the picture") { isMuted(.camera, at: agent) == false }
        try conversation.audioService.setHold(true)
        try await wait(for: "the hold") { isMuted(.camera, at: agent) == true }
        try conversation.audioService.stop()
        #expect(!conversation.audioService.isOnHold && !conversation.selfParticipant.audio.isOnHold)
        try await wait(for: "the picture again") { isMuted(.camera, at: agent) == false }
      }
    }
  }

  // Also video that is subscribed to during the hold.
  @Test("on hold others' video is neither shown nor sent, and continues afterwards")
  func remotePictures() async throws {
    try await Office.run { office in
      try await meet(office, publishes: true) { _, conversation in
        try await wait(for: "the picture") { conversation.remoteParticipants.first?.video.canSubscribe == true }
        let video = try #require(conversation.remoteParticipants.first?.video)
        let layer = try #require(VideoTarget(frame: CGRect(x: 0, y: 0, width: 160, height: 90)).layer as? CAEAGLLayer)
        var stream = try video.subscribe(layer)
        @MainActor func isDrawn() -> Bool {
          try? stream.render()
          return layer.surface.frame != nil && stream.dimensions.width > 0
        }
        for round in 1...2 {
          try await wait(for: "picture \(round)") { isDrawn() }
          try conversation.audioService.setHold(true)
          #expect(!isDrawn() && video.canSubscribe)
          if round == 2 { stream = try video.subscribe(layer) }
          try await nothingComes(conversation)
          #expect(!isDrawn() && layer.surface.frame == nil)
          try conversation.audioService.setHold(false)
        }
        try await wait(for: "the picture again") { isDrawn() }
        // A preview is the guest's own and stays.
        let view = UIView(frame: CGRect(x: 0, y: 0, width: 160, height: 90))
        try conversation.audioService.setHold(true)
        let preview = try conversation.videoService.showPreview(on: view)
        try await wait(for: "the preview") { preview.dimensions.width > 0 }
      }
    }
  }

  /// Waits for half a second in which no packet of a picture comes.
  private func nothingComes(_ conversation: SfBConversation) async throws {
    @MainActor func received() async -> [UInt64] {
      await conversation.meeting.statistics()?.inbound.filter { $0.kind == .video }.map(\.packetsReceived) ?? []
    }
    for _ in 0..<40 {
      let before = await received()
      try await Task.sleep(nanoseconds: 500_000_000)
      if before == (await received()), !before.isEmpty { return }
    }
    throw StillMissing("still missing after 20 s: half a second without a picture")
  }
}
