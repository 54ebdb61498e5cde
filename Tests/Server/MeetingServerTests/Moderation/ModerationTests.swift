import Foundation
import Meetings
import SFU
import Signaling
import TestSupport
import Testing

@testable import MeetingServer

@Suite("Hosts' actions on others", .serialized)
struct ModerationTests {
  let microphone = TrackDescription(mid: "0", source: .microphone)
  let camera = TrackDescription(mid: "1", source: .camera)
  let screen = TrackDescription(mid: "2", source: .screen)
  let sound = TrackDescription(mid: "3", source: .screenAudio)

  // MARK: Permissions

  static let hosting: [RoomRequest] = [
    .muteParticipant("", sources: [.microphone]), .stopTracks("", sources: [.camera]),
    .muteAll(sources: [.microphone], except: [], includingLater: true, mayUnmute: false), .liftMuteAll,
    .askToUnmute("", sources: [.microphone]), .removeParticipant("", ban: false), .removeParticipant("", ban: true),
    .setRole("", role: "moderator"), .setPermissions("", permissions: ["moderate"]), .spotlight(""), .spotlight(nil),
    .changePermissions("", adding: ["moderate"], removing: []),
    .endMeeting, .raiseHand(false, participant: ""), .lowerHands,
    .createPoll(.init(question: "?", options: ["a", "b"])), .setPoll(1, isOpen: false), .removePoll(1),
  ]

  /// The request about a participant.
  private func about(_ id: String, _ request: RoomRequest) -> RoomRequest {
    switch request {
    case .muteParticipant(_, let sources): .muteParticipant(id, sources: sources)
    case .stopTracks(_, let sources): .stopTracks(id, sources: sources)
    case .askToUnmute(_, let sources): .askToUnmute(id, sources: sources)
    case .removeParticipant(_, let ban): .removeParticipant(id, ban: ban)
    case .setRole(_, let role): .setRole(id, role: role)
    case .setPermissions(_, let permissions): .setPermissions(id, permissions: permissions)
    case .changePermissions(_, let adding, let removing): .changePermissions(id, adding: adding, removing: removing)
    case .spotlight(let some?): .spotlight(some.isEmpty ? id : some)
    case .raiseHand(let raised, _?): .raiseHand(raised, participant: id)
    default: request
    }
  }

  @Test("threat 33: a guest who sends a host's message is refused, and nothing happens")
  func guests() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann", offer: "send:0", tracks: [microphone])
      let (bob, own) = try await server.join("daily", "Bob", offer: "send:0", tracks: [microphone])
      _ = try await ann.drain()
      for (number, request) in Self.hosting.enumerated() {
        try bob.send(.room(about(hello.participant, request), id: 100 + number))
        let refused = try await bob.refusal()
        #expect(refused.code == .notAllowed && refused.id == 100 + number, "\(request): \(refused)")
      }
      // About itself it isn't different.
      try bob.send(.room(.setRole(own.participant, role: "moderator"), id: 7))
      #expect(try await bob.refusal().code == .notAllowed)
      let heard = try await ann.drain()
      #expect(heard.isEmpty, "\(heard)")
      #expect(await !server.media.calls.contains { if case .muted = $0 { true } else { false } })
      for client in [ann, bob] { await client.close() }
    }
  }

  @Test(
    "a moderator can't mute, remove, demote or limit an organizer")
  func organizers() async throws {
    try await TestServer.run { server in
      let (boss, hello) = try await server.host(
        "daily", "Boss", role: "organizer", offer: "send:0", tracks: [microphone])
      let (mod, other) = try await server.host("daily", "Mod")
      for request: RoomRequest in [
        .muteParticipant(hello.participant, sources: [.microphone]), .removeParticipant(hello.participant, ban: false),
        .setRole(hello.participant, role: "guest"), .setPermissions(hello.participant, permissions: ["subscribe"]),
        .changePermissions(hello.participant, adding: [], removing: ["chat"]),
        .askToUnmute(hello.participant, sources: [.microphone]), .setRole(other.participant, role: "organizer"),
      ] {
        try mod.send(.room(request, id: 1))
        #expect(try await mod.refusal().code == .notAllowed, "\(request)")
      }
      // Muting everybody leaves it out.
      try await mod.ask(.muteAll(sources: [.microphone], except: [], includingLater: false, mayUnmute: true))
      for message in try await boss.drain() {
        if case .publicationUpdated(_, let publication) = message { #expect(!publication.muted) }
        if case .room(.permissions) = message { Issue.record("\(message)") }
      }
      // The other way round it goes.
      try await boss.ask(.setRole(other.participant, role: "guest"))
      let told = try await mod.notice { if case .permissions(let role, let names) = $0 { (role, names) } else { nil } }
      #expect(told.0 == "guest" && !told.1.contains("moderate"))
      try mod.send(.room(.spotlight(hello.participant), id: 2))
      #expect(try await mod.refusal().code == .notAllowed)
      for client in [boss, mod] { await client.close() }
    }
  }

  @Test("nobody grants what they lack, and hidden people can't be found or made")
  func bounds() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann")
      let (mod, own) = try await server.host("daily", "Mod", claims: #","permissions":["moderate","subscribe"]"#)
      let (eve, hidden) = try await server.join(
        "daily", "Eve", token: try await server.token("daily", #","role":"hidden""#))
      for request: RoomRequest in [
        .setPermissions(own.participant, permissions: ["moderate", "subscribe", "publishAudio"]),
        .changePermissions(own.participant, adding: ["publishAudio"], removing: []),
        .setRole(own.participant, role: "moderator"), .setRole(hello.participant, role: "hidden"),
        .setRole(hello.participant, role: "recorder"),
      ] {
        try mod.send(.room(request, id: 1))
        #expect(try await mod.refusal().code == .notAllowed, "\(request)")
      }
      for request: RoomRequest in [
        .removeParticipant(hidden.participant, ban: false), .spotlight(hidden.participant),
        .removeParticipant("p_nobody", ban: false), .removeParticipant(own.participant, ban: false),
        .setRole(hello.participant, role: "emperor"), .setPermissions(hello.participant, permissions: ["fly"]),
        .changePermissions(hello.participant, adding: [], removing: ["fly"]),
        .changePermissions(hello.participant, adding: ["chat"], removing: ["chat"]),
      ] {
        try mod.send(.room(request, id: 1))
        #expect(try await mod.refusal().code == .badMessage, "\(request)")
      }
      for request: RoomRequest in [.raiseHand(true, participant: nil), .react(.clap)] {
        try eve.send(.room(request, id: 1))
        #expect(try await eve.refusal().code == .notAllowed)
      }
      // Permissions that the target has already may stay.
      try await mod.ask(.setPermissions(hello.participant, permissions: ["subscribe", "publishAudio"]))
      for client in [ann, mod, eve] { await client.close() }
    }
  }

  @Test("permissions that hosts give and take at the same time do not undo each other")
  func changes() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann")
      let (mod, _) = try await server.host("daily", "Mod")
      let (tom, _) = try await server.host("daily", "Tom")
      let before = Set(hello.permissions ?? [])
      #expect(before.isSuperset(of: ["chat", "data", "publishVideo"]))
      // Both are on their way before either is answered.
      try mod.send(.room(.changePermissions(hello.participant, adding: [], removing: ["chat"]), id: 1))
      try tom.send(.room(.changePermissions(hello.participant, adding: [], removing: ["data", "publishVideo"]), id: 1))
      for host in [mod, tom] { _ = try await host.notice { if case .done(id: 1) = $0 { true } else { nil } } }
      try await mod.ask(.changePermissions(hello.participant, adding: ["publishVideo"], removing: []))
      var told: Set<String> = []
      for message in try await ann.drain() {
        if case .room(.permissions(_, let names)) = message { told = Set(names) }
      }
      #expect(told == before.subtracting(["chat", "data"]))
      for client in [ann, mod, tom] { await client.close() }
    }
  }

  // MARK: Muting

  @Test("a host's mute holds until its sender unmutes; an offer doesn't lift it")
  func muting() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann", offer: "send:0 send:1", tracks: [microphone, camera])
      let (mod, _) = try await server.host("daily", "Mod")
      let track = hello.participants[0].publications[0].id
      try await mod.ask(.muteParticipant(hello.participant, sources: [.microphone]))
      let muted = try await ann.first { if case .publicationUpdated(_, let it) = $0 { it } else { nil } }
      #expect(
        muted
          == PublicationInfo(
            id: track, kind: .audio, source: .microphone, muted: true, mutedByHost: true,
            created: hello.participants[0].publications[0].created))
      try await eventually {
        await server.media.calls.contains(.muted(track, true)) ? nil : "the media server was not told"
      }
      try ann.send(.offer(.init(id: 2, offer: "send:0 send:1 audio:a", tracks: [microphone, camera])))
      _ = try await ann.first { if case .answer = $0 { true } else { nil } }
      #expect(await server.media.offered.last?.first?.isMuted == true, "the offer would have unmuted it")
      // A late participant sees the present state.
      let (bob, late) = try await server.join("daily", "Bob")
      #expect(late.participants[0].publications.map(\.muted) == [true, false])
      #expect(late.participants[0].publications[0].mutedByHost == true)
      try ann.send(.mute(mid: "0", muted: false))
      let back = try await bob.first { if case .publicationUpdated(_, let it) = $0 { it } else { nil } }
      #expect(!back.muted && back.mutedByHost == nil)
      for client in [ann, bob, mod] { await client.close() }
    }
  }

  @Test("a resumed session learns of a mute, a demotion and a stopped share")
  func resuming() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann", offer: "send:0 send:2", tracks: [microphone, screen])
      let (mod, _) = try await server.host("daily", "Mod")
      await ann.close()
      _ = try await mod.first {
        if case .participantUpdated(let who) = $0, who.connection == .reconnecting { true } else { nil }
      }
      try await mod.ask(.muteParticipant(hello.participant, sources: [.microphone, .screen]))
      try await mod.ask(.setPermissions(hello.participant, permissions: ["subscribe", "publishAudio"]))
      try await mod.ask(.spotlight(hello.participant))
      try await mod.ask(.createPoll(.init(question: "Lunch?", options: ["Yes", "No"])))
      let back = try await server.connect()
      try back.send(.resume(token: hello.resumeToken))
      let (people, state) = try await back.first {
        if case .resumed(let people, _, _, let state, _) = $0 { (people, state) } else { nil }
      }
      let own = try #require(people.first { $0.id == hello.participant })
      #expect(own.publications.map(\.source) == [.microphone] && own.publications[0].mutedByHost == true)
      #expect(own.permissions == ["publishAudio", "subscribe"])
      #expect(state?.spotlight == hello.participant && state?.polls.map(\.question) == ["Lunch?"])
      let names = try await back.notice { if case .permissions(_, let names) = $0 { names } else { nil } }
      #expect(names == ["publishAudio", "subscribe"])
      for client in [back, mod] { await client.close() }
    }
  }

  @Test("muting all spares the host and those named, and all may unmute by default")
  func mutingAll() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann", offer: "send:0", tracks: [microphone])
      let (bob, second) = try await server.join("daily", "Bob", offer: "send:0", tracks: [microphone])
      let (mod, own) = try await server.host("daily", "Mod", offer: "send:0", tracks: [microphone])
      try await mod.ask(
        .muteAll(sources: [.microphone], except: [second.participant], includingLater: false, mayUnmute: true))
      let (cem, late) = try await server.join("daily", "Cem", offer: "send:0", tracks: [microphone])
      let muted = late.participants.filter { $0.publications[0].muted }.map(\.name)
      #expect(muted == ["Ann"] && late.state?.muteAll == nil)
      #expect(late.participants.contains { $0.id == own.participant })
      try ann.send(.mute(mid: "0", muted: false))
      _ = try await cem.first { if case .publicationUpdated(_, let it) = $0, !it.muted { it } else { nil } }
      for client in [ann, bob, cem, mod] { await client.close() }
    }
  }

  @Test(
    "muting all but some spares those, now and later; includingSelf mutes the host"
  )
  func mutingTracks() async throws {
    try await TestServer.run { server in
      let all = [microphone, screen, sound]
      let (ann, first) = try await server.join("daily", "Ann", offer: "send:0 send:2 send:3", tracks: all)
      let (mod, own) = try await server.host("daily", "Mod", offer: "send:0", tracks: [microphone])
      let spared = [
        TrackReference(participant: first.participant, source: .screenAudio),
        TrackReference(participant: own.participant, source: .screenAudio),
        TrackReference(participant: "p_gone", source: .microphone),
      ]
      try await mod.ask(
        .muteAll(
          sources: [.microphone, .screenAudio], except: [], exceptTracks: spared, includingLater: true,
          includingSelf: true, mayUnmute: true))
      try mod.send(.offer(.init(id: 2, offer: "send:0 send:2 send:3", tracks: all)))
      _ = try await mod.first { if case .answer = $0 { true } else { nil } }
      let (bob, late) = try await server.join("daily", "Bob", offer: "send:0 send:3", tracks: [microphone, sound])
      let muted = late.participants.flatMap { each in
        each.publications.filter(\.muted).map { "\(each.name) \($0.source.rawValue)" }
      }
      #expect(Set(muted) == ["Ann microphone", "Mod microphone", "Bob microphone", "Bob screenAudio"])
      for client in [ann, bob, mod] { await client.close() }
    }
  }

  @Test("including later joiners, later tracks start muted until the order is lifted")
  func mutingLater() async throws {
    try await TestServer.run { server in
      let (mod, _) = try await server.host("daily", "Mod")
      try await mod.ask(.muteAll(sources: [.microphone], except: [], includingLater: true, mayUnmute: true))
      let (ann, hello) = try await server.join("daily", "Ann", offer: "send:0 send:1", tracks: [microphone, camera])
      #expect(hello.state?.muteAll == MuteAllInfo(sources: [.microphone], mayUnmute: true))
      #expect(hello.participants.last?.publications.map(\.muted) == [true, false])
      #expect(await server.media.offered.last?.map(\.isMuted) == [true, false])
      try ann.send(.mute(mid: "0", muted: false))
      _ = try await ann.first { if case .publicationUpdated(_, let it) = $0, !it.muted { it } else { nil } }
      try await mod.ask(.liftMuteAll)
      let (bob, second) = try await server.join("daily", "Bob", offer: "send:0", tracks: [microphone])
      #expect(second.participants.last?.publications.map(\.muted) == [false] && second.state?.muteAll == nil)
      for client in [ann, bob, mod] { await client.close() }
    }
  }

  @Test("where nobody may unmute it is refused, also by publishing again, unless asked to")
  func locked() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann", offer: "send:0", tracks: [microphone])
      let (mod, _) = try await server.host("daily", "Mod", offer: "send:0", tracks: [microphone])
      try await mod.ask(.muteAll(sources: [.microphone], except: [], includingLater: false, mayUnmute: false))
      _ = try await ann.drain()
      try ann.send(.mute(mid: "0", muted: false))
      #expect(try await ann.refusal().code == .notAllowed)
      // The client gets the state, since it may have shown another.
      let told = try await ann.first { if case .publicationUpdated(_, let it) = $0 { it } else { nil } }
      #expect(told.muted && told.mutedByHost == true)
      try ann.send(.mute(mid: "0", muted: false, id: 8))
      let refusal = try await ann.refusal()
      #expect(refusal.code == .notAllowed && refusal.id == 8)
      for (id, tracks) in [(2, []), (3, [microphone])] {
        try ann.send(.offer(.init(id: id, offer: "send:0", tracks: tracks)))
        _ = try await ann.first { if case .answer(id, _, _, _) = $0 { true } else { nil } }
      }
      #expect(await server.media.offered.last?.map(\.isMuted) == [true])
      try await mod.ask(.askToUnmute(hello.participant, sources: [.microphone]))
      let asked = try await ann.notice { if case .unmuteRequested(let sources, _) = $0 { sources } else { nil } }
      #expect(asked == [.microphone])
      // A mute with a number is answered when everybody has the event, also one that changes nothing.
      for id in [9, 10] {
        try ann.send(.mute(mid: "0", muted: false, id: id))
        _ = try await ann.notice { if case .done(id) = $0 { true } else { nil } }
      }
      try ann.send(.mute(mid: "7", muted: false, id: 11))
      #expect(try await ann.refusal().id == 11)
      _ = try await mod.first {
        if case .publicationUpdated(hello.participant, let it) = $0, !it.muted { it } else { nil }
      }
      for client in [ann, mod] { await client.close() }
    }
  }

  @Test(
    "a track published during a mute of all is muted, one forbidden then is refused"
  )
  func racing() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann", offer: "audio:a")
      let (mod, _) = try await server.host("daily", "Mod")
      await server.media.hold()
      try ann.send(.offer(.init(id: 2, offer: "send:0 send:1", tracks: [microphone, camera])))
      try await eventually { await server.media.isWaiting ? nil : "the offer has not reached the media server" }
      try await mod.ask(.muteAll(sources: [.microphone], except: [], includingLater: true, mayUnmute: false))
      try await mod.ask(.setPermissions(hello.participant, permissions: ["publishAudio", "subscribe"]))
      await server.media.release()
      _ = try await ann.first { if case .answer = $0 { true } else { nil } }
      let (bob, late) = try await server.join("daily", "Bob")
      #expect(late.participants[0].publications.map(\.source) == [.microphone])
      #expect(late.participants[0].publications.map(\.muted) == [true])
      // Both were published unmuted on the media server, which got the correction right after.
      let ids = await server.media.offered[2].map(\.publication)
      try await eventually {
        let calls = await server.media.calls
        return ids.allSatisfy { calls.contains(.muted($0.rawValue, true)) } ? nil : "a track goes on"
      }
      for client in [ann, bob, mod] { await client.close() }
    }
  }

  // MARK: Rights

  @Test("withdrawing a publish right ends its tracks, and later offers don't restore them")
  func withdrawing() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann", offer: "send:0 send:1", tracks: [microphone, camera])
      let (mod, welcome) = try await server.host("daily", "Mod", offer: "video:v audio:a")
      let track = try #require(hello.participants[0].publications.last?.id)
      #expect(welcome.slots.compactMap(\.publication).contains(track))
      try await mod.ask(.setPermissions(hello.participant, permissions: ["publishAudio", "subscribe", "chat"]))
      let gone = try await ann.first { if case .unpublished(_, let id, .notAllowed) = $0 { id } else { nil } }
      #expect(gone == track)
      let names = try await ann.notice { if case .permissions(_, let names) = $0 { names } else { nil } }
      #expect(names == ["publishAudio", "subscribe", "chat"])
      try await eventually {
        await server.media.calls.contains(.muted(track, true)) ? nil : "the media server still forwards it"
      }
      let emptied = SlotChange(mid: "v", publication: nil)
      try await eventually {
        await server.media.calls.contains(.assign(welcome.participant, [emptied])) ? nil : "the slot still carries it"
      }
      // Given back, the old track doesn't come back by itself: its owner publishes again.
      try await mod.ask(.setRole(hello.participant, role: "guest"))
      for (id, tracks, count) in [(2, [microphone, camera], 1), (3, [microphone], 1), (4, [microphone, camera], 2)] {
        try ann.send(.offer(.init(id: id, offer: "send:0 send:1", tracks: tracks)))
        _ = try await ann.first { if case .answer(id, _, _, _) = $0 { true } else { nil } }
        #expect(await server.media.offered.last?.count == count, "offer \(id)")
      }
      for client in [ann, mod] { await client.close() }
    }
  }

  @Test("withdrawing the receive right empties slots; given back, they fill, with polls")
  func subscribing() async throws {
    try await TestServer.run { server in
      let (mod, _) = try await server.host("daily", "Mod", offer: "send:1", tracks: [camera])
      let (ann, hello) = try await server.join("daily", "Ann", offer: "video:v")
      #expect(hello.slots[0].publication != nil)
      try await mod.ask(.setPermissions(hello.participant, permissions: ["publishAudio"]))
      let empty = try await ann.first { if case .slots(let slots) = $0 { slots } else { nil } }
      #expect(empty == [SlotInfo(mid: "v")])
      try await eventually {
        await server.media.calls.contains(.assign(hello.participant, [SlotChange(mid: "v", publication: nil)]))
          ? nil : "the media server still sends"
      }
      try await mod.ask(.createPoll(.init(question: "Lunch?", options: ["Yes", "No"])))
      try await mod.ask(.react(.clap))
      for message in try await ann.drain() {
        if case .room(.poll) = message { Issue.record("\(message)") }
        if case .room(.reaction) = message { Issue.record("\(message)") }
      }
      try await mod.ask(.setRole(hello.participant, role: "guest"))
      let filled = try await ann.first { if case .slots(let slots) = $0 { slots } else { nil } }
      #expect(filled[0].publication != nil)
      let state = try await ann.notice { if case .state(let state) = $0 { state } else { nil } }
      #expect(state.polls.map(\.question) == ["Lunch?"])
      for client in [ann, mod] { await client.close() }
    }
  }

  @Test("stopping a share ends screen and audio, and the same offer doesn't restart it")
  func sharing() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join(
        "daily", "Ann", offer: "send:0 send:2 send:3", tracks: [microphone, screen, sound])
      let (mod, _) = try await server.host("daily", "Mod")
      try await mod.ask(.muteParticipant(hello.participant, sources: [.screen]))
      for _ in 0..<2 { _ = try await ann.first { if case .unpublished = $0 { true } else { nil } } }
      try ann.send(.offer(.init(id: 2, offer: "send:0 send:2 send:3 audio:a", tracks: [microphone, screen, sound])))
      _ = try await ann.first { if case .answer = $0 { true } else { nil } }
      #expect(await server.media.offered.last?.map(\.mid) == ["0"], "only the microphone")
      for client in [ann, mod] { await client.close() }
    }
  }

  @Test(
    "a host ends tracks for everybody; a sender may publish again, guests end nothing"
  )
  func ending() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann", offer: "send:0 send:1", tracks: [microphone, camera])
      let (mod, _) = try await server.host("daily", "Mod")
      let (bob, _) = try await server.join("daily", "Bob")
      let both = RoomRequest.stopTracks(hello.participant, sources: [.camera, .microphone])
      try bob.send(.room(both, id: 3))
      #expect(try await bob.refusal().code == .notAllowed)
      try await mod.ask(both)
      for client in [ann, bob] {
        var gone: Set<String> = []
        for _ in 0..<2 {
          gone.insert(
            try await client.first {
              if case .unpublished(hello.participant, let id, .removed) = $0 { id } else { nil }
            })
        }
        #expect(gone == Set(try #require(hello.participants.first).publications.map(\.id)))
      }
      for (id, tracks, count) in [(2, [], 0), (3, [microphone, camera], 2)] {
        try ann.send(.offer(.init(id: id, offer: "send:0 send:1", tracks: tracks)))
        _ = try await ann.first { if case .answer(id, _, _, _) = $0 { true } else { nil } }
        #expect(await server.media.offered.last?.count == count, "offer \(id)")
      }
      for client in [ann, mod, bob] { await client.close() }
    }
  }

  @Test("a promotion is told with the permissions, and counts at once")
  func promoting() async throws {
    try await TestServer.run { server in
      let (ann, hello) = try await server.join("daily", "Ann")
      let (mod, _) = try await server.host("daily", "Mod")
      let (bob, third) = try await server.join("daily", "Bob", offer: "send:0", tracks: [microphone])
      try await mod.ask(.setRole(hello.participant, role: "moderator"))
      let told = try await ann.notice { if case .permissions(let role, let names) = $0 { (role, names) } else { nil } }
      #expect(told.0 == "presenter" && told.1.contains("moderate"))
      let seen = try await bob.first { if case .participantUpdated(let who) = $0 { who } else { nil } }
      #expect(seen.role == "presenter" && seen.permissions == nil)
      try await ann.ask(.muteParticipant(third.participant, sources: [.microphone]))
      for client in [ann, bob, mod] { await client.close() }
    }
  }

  // MARK: Spotlight

  @Test(
    "the spotlight is told to all, fills slots first, and leaves with its participant")
  func spotlight() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann", offer: "send:1", tracks: [camera])
      let (bob, second) = try await server.join("daily", "Bob", offer: "send:1", tracks: [camera])
      let (mod, _) = try await server.host("daily", "Mod", offer: "video:v")
      try await mod.ask(.spotlight(second.participant))
      let told = try await ann.notice { if case .spotlight(let id) = $0 { id } else { nil } }
      #expect(told == second.participant)
      let (cem, late) = try await server.join("daily", "Cem", offer: "video:v")
      #expect(late.state?.spotlight == second.participant && late.slots[0].participant == second.participant)
      try bob.send(.leave)
      let off = try await ann.notice { if case .spotlight(let id) = $0 { [id] } else { nil } }
      #expect(off == [nil])
      for client in [ann, bob, cem, mod] { await client.close() }
    }
  }

  @Test("requests beyond what a person clicks are refused, and the meeting goes on")
  func pace() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann")
      for number in 0..<20 { try ann.send(.room(.react(.clap), id: number)) }
      let answers = try await ann.drain()
      let refused = answers.filter { if case .error(.tooFast, _, false, _?) = $0 { true } else { false } }
      let shown = answers.filter { if case .room(.reaction) = $0 { true } else { false } }
      #expect(refused.count >= 12 && shown.count >= 6 && refused.count + shown.count == 20)
      await ann.close()
    }
  }

  @Test(
    "admission, locking and renaming have the same rate limit as other host actions",
    arguments: [
      { .lock($0.isMultiple(of: 2), id: $0) }, { .admit(.all, id: $0) }, { .deny(.all, id: $0) },
      { .rename(name: "Ann \($0)") },
    ] as [@Sendable (Int) -> ClientMessage])
  func doorPace(_ message: @Sendable (Int) -> ClientMessage) async throws {
    try await TestServer.run { server in
      let (host, _) = try await server.host("daily", "Mo")
      for number in 0..<60 { try host.send(message(number)) }
      let answers = try await host.drain()
      let refused = answers.filter { if case .error(.tooFast, _, false, _) = $0 { true } else { false } }
      #expect((10...30).contains(refused.count), "\(refused.count) of 60 were refused")
      await host.close()
    }
  }
}
