import Basics
import Media
import MeetingServer
import Signaling
import TestSupport
import Testing

@testable import Parley

/// Hosts, hands, reactions and polls, with real media where it matters.
@MainActor @Suite(.serialized) struct HostingTests {
  /// A server that takes the word for a moderator's token.
  private func run(_ body: @MainActor (LiveServer) async throws -> Void) async throws {
    try await LiveServer.run(configure: { $0.isDevelopment = true }, body)
  }

  private func join(
    _ server: LiveServer, _ name: String, hosts: Bool = false, sound: Bool = false, picture: Bool = false
  ) async throws -> Meeting {
    let token = hosts ? Secret("moderator_token") : nil
    let meeting = try Meeting("\(server.url)/hosting", token: token, name: name)
    if sound { try await meeting.local.publish(LocalAudioTrack(ToneSource(frequency: 440))) }
    if picture {
      try await meeting.local.publish(LocalVideoTrack(TestPictureSource(.bars, width: 320, height: 180, sourceID: 4)))
    }
    try await meeting.join()
    return meeting
  }

  private func packets(_ kind: MediaKind, at meeting: Meeting) async -> UInt64 {
    let streams = await meeting.statistics()?.inbound ?? []
    return streams.filter { $0.kind == kind }.reduce(0) { $0 + $1.packetsReceived }
  }

  private func person(_ name: String, in meeting: Meeting) throws -> RemoteParticipant {
    try #require(meeting.participants.first { $0.name == name })
  }

  @Test(
    "a host's mute stops audio at others, also from a client that goes on sending"
  )
  func mute() async throws {
    try await run { server in
      let ann = try await join(server, "Ann", sound: true)
      let annSees = Witness(ann)
      let bob = try await join(server, "Bob")
      let mod = try await join(server, "Mod", hosts: true)
      try await wait(for: "sound at Bob's") { await packets(.audio, at: bob) > 20 }
      try await person("Ann", in: mod).mute()
      try await wait(for: "the word of it at Ann's: \(annSees.events)") { annSees.saw("mutedByHost microphone") }
      let microphone = try #require(ann.local.publication(.microphone))
      #expect(microphone.isMuted && microphone.isMutedByHost)
      try await wait(for: "the mute at Bob's") {
        bob.participants.first { $0.name == "Ann" }?.publication(.microphone)?.isMutedByHost == true
      }
      // A client that sends all the same, without a word.
      microphone.publisher.setMuted(false)
      let sent = await ann.statistics()?.outbound.first { $0.kind == .audio }?.packetsSent ?? 0
      let before = await packets(.audio, at: bob)
      try await wait(for: "two seconds of sound that Ann sends") {
        (await ann.statistics()?.outbound.first { $0.kind == .audio }?.packetsSent ?? 0) > sent + 100
      }
      // Packets that were on their way when the host spoke, and not one of the hundred that came after.
      let after = await packets(.audio, at: bob)
      #expect(after <= before + 5, "\(after - before) packets came through")
      microphone.setMuted(false)
      #expect(!microphone.isMutedByHost)
      try await wait(for: "sound at Bob's again") { await packets(.audio, at: bob) > after + 20 }
      for meeting in [ann, bob, mod] { await meeting.leave() }
    }
  }

  @Test("a removed participant gets the reason and stays out, and its media ends")
  func remove() async throws {
    try await run { server in
      let ann = try await join(server, "Ann", picture: true)
      let mod = try await join(server, "Mod", hosts: true)
      let modSees = Witness(mod)
      try await wait(for: "Ann's picture at the host's") { modSees.saw("subscribed camera") }
      try await person("Ann", in: mod).remove()
      try await wait(for: "Ann's end") { ann.state == .ended }
      #expect(ann.endReason == .removed)
      try await wait(for: "the word at the host's: \(modSees.events)") { modSees.saw("participantLeft Ann removed") }
      #expect(modSees.saw("unpublished camera"))
      await mod.leave()
    }
  }

  @Test("withdrawing a right ends what was published by it; given back, publishing works")
  func rights() async throws {
    try await run { server in
      let ann = try await join(server, "Ann", sound: true, picture: true)
      let annSees = Witness(ann)
      let mod = try await join(server, "Mod", hosts: true)
      try await wait(for: "a picture at the host's") { await packets(.video, at: mod) > 20 }
      let guest = try person("Ann", in: mod)
      #expect(guest.permissions.contains(.publishVideo) && !guest.permissions.contains(.moderate))
      // The second does not bring back what the first took, though the host may not have heard of that yet.
      async let first: Void = guest.changePermissions(removing: [.publishVideo])
      async let second: Void = guest.changePermissions(removing: [.data])
      _ = try await (first, second)
      try await wait(for: "both rights to be gone") {
        ann.local.permissions.isDisjoint(with: [.publishVideo, .data]) && ann.local.permissions.contains(.chat)
      }
      try await wait(for: "the end of the camera: \(annSees.events)") { annSees.saw("stoppedByHost camera notAllowed") }
      try await wait(for: "the camera to be given up") { ann.local.publication(.camera) == nil }
      #expect(ann.local.publication(.microphone) != nil)
      #expect(annSees.saw("permissionsChanged") && !ann.local.permissions.contains(.publishVideo))
      try await wait(for: "the same at the host's") { guest.publication(.camera) == nil }
      let refused = await code {
        try await ann.local.publish(LocalVideoTrack(TestPictureSource(.bars, width: 320, height: 180, sourceID: 5)))
      }
      #expect(refused == "notAllowed")
      try await guest.setRole(.guest)
      try await wait(for: "the right at Ann's") { ann.local.permissions.contains(.publishVideo) }
      try await ann.local.publish(LocalVideoTrack(TestPictureSource(.bars, width: 320, height: 180, sourceID: 6)))
      let seen = await packets(.video, at: mod)
      try await wait(for: "a picture at the host's again") { await packets(.video, at: mod) > seen + 20 }
      for meeting in [ann, mod] { await meeting.leave() }
    }
  }

  @Test(
    "a host ends camera, share and microphone with a reason, and all can come back"
  )
  func stop() async throws {
    try await run { server in
      let ann = try await join(server, "Ann", sound: true, picture: true)
      try await ann.local.publish(
        LocalVideoTrack(
          TestPictureSource(.bars, width: 320, height: 180, sourceID: 7), options: VideoOptions(isScreen: true)),
        as: .screen)
      let annSees = Witness(ann)
      let mod = try await join(server, "Mod", hosts: true)
      let modSees = Witness(mod)
      let guest = try person("Ann", in: mod)
      @MainActor func arrives(_ source: TrackSource) async throws {
        try await wait(for: "Ann's \(source): \(modSees.events)") {
          guard let id = guest.publication(source)?.id else { return false }
          return (await mod.statistics()?.inbound ?? []).contains { $0.publication == id && $0.packetsReceived > 20 }
        }
      }
      for source in [TrackSource.camera, .screen, .microphone] {
        try await arrives(source)
        let ended = try #require(ann.local.publication(source))
        try await guest.stop([source])
        try await wait(for: "the word of it at Ann's: \(annSees.events)") {
          annSees.saw("stoppedByHost \(source) removed")
        }
        try await wait(for: "the end at the host's: \(modSees.events)") {
          guest.publication(source) == nil && modSees.saw("unpublished \(source)")
        }
        // At once, while the client still gives the old one up.
        if source == .microphone {
          try await ann.local.publish(LocalAudioTrack(ToneSource(frequency: 440)))
        } else {
          let options = VideoOptions(isScreen: source == .screen)
          let picture = TestPictureSource(.bars, width: 320, height: 180, sourceID: 8)
          try await ann.local.publish(LocalVideoTrack(picture, options: options), as: source)
        }
        let again = try #require(ann.local.publication(source))
        #expect(again !== ended && ann.local.publications.count == 3)
        try await arrives(source)
        #expect(guest.publication(source)?.id != ended.id)
      }
      #expect(annSees.events.filter { $0.hasPrefix("stoppedByHost") }.count == 3)
      for meeting in [ann, mod] { await meeting.leave() }
    }
  }

  @Test("a camera that a host ends while the socket is down is over after the resume")
  func stopDuringLoss() async throws {
    try await run { server in
      let ann = try await join(server, "Ann", sound: true, picture: true)
      let annSees = Witness(ann)
      let mod = try await join(server, "Mod", hosts: true)
      try await wait(for: "Ann at the host's") { mod.participants.first?.publications.count == 2 }
      let guest = try person("Ann", in: mod)
      ann.signaling?.channel.close()
      try await guest.stop([.camera])
      // Why is not known, unless the socket was back first.
      try await wait(for: "the word of it: \(annSees.events)") {
        annSees.saw("stoppedByHost camera unknown") || annSees.saw("stoppedByHost camera removed")
      }
      try await wait(for: "the camera to be given up") { ann.local.publication(.camera) == nil }
      #expect(ann.local.publication(.microphone) != nil && guest.publication(.microphone) != nil)
      for meeting in [ann, mod] { await meeting.leave() }
    }
  }

  /// The code with which something is refused; nil when it is not.
  private func code(_ body: @MainActor () async throws -> Void) async -> String? {
    do {
      try await body()
      return nil
    } catch { return (error as? JoinError)?.code }
  }

  @Test("a guest's host action and a host's invalid request are refused with typed errors")
  func refusals() async throws {
    try await run { server in
      let ann = try await join(server, "Ann")
      let mod = try await join(server, "Mod", hosts: true)
      try await wait(for: "each other") { ann.participants.count == 1 && mod.participants.count == 1 }
      let host = try person("Mod", in: ann)
      #expect(await code { try await host.mute() } == "notAllowed")
      #expect(await code { try await host.stop([.camera]) } == "notAllowed")
      #expect(await code { try await host.remove(ban: true) } == "notAllowed")
      #expect(await code { try await ann.muteAll(mayUnmute: false) } == "notAllowed")
      #expect(await code { try await ann.endForAll() } == "notAllowed")
      #expect(await code { try await ann.createPoll("?", options: ["a", "b"]) } == "notAllowed")
      #expect(await code { try await mod.createPoll("?", options: ["a"]) } == "badMessage")
      await ann.leave()
      await #expect(throws: JoinError.ended) { try await ann.react(.clap) }
      await mod.leave()
    }
  }

  @Test("hands, reactions, spotlight and polls reach everybody, later joiners too")
  func together() async throws {
    try await run { server in
      let ann = try await join(server, "Ann")
      let mod = try await join(server, "Mod", hosts: true)
      let modSees = Witness(mod)
      try await wait(for: "each other") { mod.participants.count == 1 }
      try await ann.local.raiseHand()
      try await ann.react(.celebrate)
      try await wait(for: "hand and reaction: \(modSees.events)") {
        modSees.saw("hand Ann up") && modSees.saw("reaction Ann celebrate")
      }
      try await mod.setSpotlight(try person("Ann", in: mod))
      try await mod.muteAll(mayUnmute: false)
      try await mod.createPoll("Lunch?", options: ["Yes", "No"])
      try await wait(for: "the poll at Ann's") { ann.polls.count == 1 }
      try await ann.vote(in: ann.polls[0].id, for: [1])
      #expect(ann.polls[0].mine == [1])
      try await wait(for: "the vote at the host's") { mod.polls.first?.options.map(\.votes) == [0, 1] }
      let bob = try await join(server, "Bob", sound: true)
      #expect(bob.raisedHands.map(\.name) == ["Ann"] && bob.spotlight?.name == "Ann")
      #expect(bob.muteForAll?.mayUnmute == false && bob.polls.map(\.question) == ["Lunch?"])
      let bobSees = Witness(bob)
      #expect(bob.local.publication(.microphone)?.isMutedByHost == true)
      // Unmuting is refused, and taken back here; asked, it is not.
      bob.local.publication(.microphone)?.setMuted(false)
      try await wait(for: "the refusal: \(bobSees.events)") {
        bobSees.events.filter { $0 == "mutedByHost microphone" }.count == 2
      }
      #expect(bob.local.publication(.microphone)?.isMuted == true)
      // A caller who waits for the answer gets an error, and nothing else.
      let microphone = try #require(bob.local.publication(.microphone))
      #expect(await code { try await microphone.unmute() } == "notAllowed")
      #expect(microphone.isMuted && microphone.isMutedByHost)
      try await person("Bob", in: mod).askToUnmute()
      try await wait(for: "the question: \(bobSees.events)") { bobSees.saw("unmuteRequested microphone Mod") }
      #expect(bobSees.events.filter { $0 == "mutedByHost microphone" }.count == 2)
      try await microphone.unmute()
      #expect(!microphone.isMuted && !microphone.isMutedByHost)
      try await wait(for: "Bob to be unmuted") {
        mod.participants.first { $0.name == "Bob" }?.publication(.microphone)?.isMuted == false
      }
      try await microphone.mute()
      #expect(microphone.isMuted && !microphone.isMutedByHost)
      try await wait(for: "Bob to be muted") {
        mod.participants.first { $0.name == "Bob" }?.publication(.microphone)?.isMuted == true
      }
      try await mod.endForAll()
      for meeting in [ann, bob, mod] {
        try await wait(for: "the end") { meeting.state == .ended }
        #expect(meeting.endReason == .endedByHost)
      }
    }
  }

  @Test("a mute that comes while the socket is down is not undone by the resume")
  func resume() async throws {
    try await run { server in
      let ann = try await join(server, "Ann", sound: true)
      let annSees = Witness(ann)
      let mod = try await join(server, "Mod", hosts: true)
      try await wait(for: "Ann at the host's") { mod.participants.count == 1 }
      let guest = try person("Ann", in: mod)
      ann.signaling?.channel.close()
      try await guest.mute()
      try await wait(for: "the resume: \(annSees.events)") { annSees.saw("reconnected") }
      try await wait(for: "the word of it: \(annSees.events)") { annSees.saw("mutedByHost microphone") }
      // The message that the client sends after a resume is answered by now.
      try await ann.local.raiseHand()
      #expect(guest.publication(.microphone)?.isMuted == true)
      #expect(ann.local.publication(.microphone)?.isMuted == true)
      for meeting in [ann, mod] { await meeting.leave() }
    }
  }
}
