import Foundation
import Media
import RTC
import Signaling
import Testing

@testable import Parley

/// The participants, hosts' decisions and polls, as the values that hold them see the server's messages.
@MainActor @Suite struct RosterTests {
  private let local = LocalParticipant(name: "Ann")

  init() { local.id = "p_1" }

  private func info(
    _ id: String, _ name: String, hand: Int? = nil, publications: [PublicationInfo] = [],
    connection: Signaling.ConnectionState = .connected
  ) -> ParticipantInfo {
    ParticipantInfo(
      id: id, name: name, role: "guest", connection: connection, publications: publications, hand: hand)
  }

  private func track(_ id: String, _ source: TrackSource, muted: Bool = false, byHost: Bool? = nil) -> PublicationInfo {
    PublicationInfo(id: id, kind: source.kind, source: source, muted: muted, mutedByHost: byHost)
  }

  private func publish(_ id: String, _ source: TrackSource) -> LocalPublication {
    let publisher = SilentPublisher(source.kind == .audio ? .audio : .video)
    let publication = LocalPublication(source: source, publisher: publisher, isMuted: false, owner: local)
    publication.id = id
    local.publications.append(publication)
    return publication
  }

  private func words(_ changes: [Roster.Change]) -> [String] {
    changes.map { change in
      switch change {
      case .joined(let participant): "joined \(participant.name)"
      case .updated(let participant): "updated \(participant.name)"
      case .left(let participant, let reason): "left \(participant.name) \(reason.rawValue)"
      case .renamed: "renamed"
      case .handChanged(let participant): "hand \(participant.name) \(participant.hand ?? 0)"
      case .qualityChanged(let participant, let quality): "quality \(participant.name) \(quality.rawValue)"
      case .published(let publication): "published \(publication.id)"
      case .unpublished(let publication): "unpublished \(publication.id)"
      case .muteChanged(let publication): "muted \(publication.id) \(publication.isMuted)"
      case .mutedByHost(let publication): "muted by host \(publication.id)"
      case .stoppedByHost(let publication, let reason): "stopped \(publication.id) \(reason?.rawValue ?? "-")"
      }
    }
  }

  @Test("a whole state adds, changes and removes participants with their tracks")
  func wholeState() {
    var roster = Roster(local)
    let first = roster.applyAll(
      [info("p_1", "Ann"), info("p_2", "Ben", publications: [track("t_1", .camera)]), info("p_3", "Cem")],
      isWelcome: true)
    #expect(words(first) == ["joined Ben", "published t_1", "joined Cem"])
    let ben = roster["p_2"]
    let second = roster.applyAll(
      [
        info("p_4", "Dan"),
        info("p_2", "Ben", hand: 1, publications: [track("t_2", .screen)], connection: .reconnecting),
      ], isWelcome: true)
    #expect(
      words(second)
        == ["left Cem left", "joined Dan", "updated Ben", "hand Ben 1", "published t_2", "unpublished t_1"])
    #expect(roster.participants.map(\.id) == ["p_2", "p_4"] && roster["p_2"] === ben && roster["p_3"] == nil)
    let (gone, again) = (roster.remove("p_2", .removed), roster.remove("p_2", .left))
    #expect(words(gone) == ["unpublished t_2", "left Ben removed"] && again.isEmpty)
  }

  @Test("an update may be older than this client's own change, a whole state isn't")
  func ownTracks() {
    var roster = Roster(local)
    let (microphone, camera) = (publish("t_1", .microphone), publish("", .camera))
    let muted = track("t_1", .microphone, muted: true, byHost: true)
    #expect(words(roster.apply(info("p_1", "Anna", publications: [muted]))) == ["renamed"])
    #expect(words(roster.applyPublication(muted, of: "p_1")) == ["muted by host t_1"])
    // A mute of its own isn't a host's.
    microphone.setMuted(true)
    #expect(words(roster.apply(info("p_1", "Anna", publications: [muted]), isWhole: true)) == ["muted by host t_1"])
    microphone.isMutedByHost = true
    #expect(roster.applyPublication(muted, of: "p_1").isEmpty)
    // The camera isn't known to the server yet.
    let resumed = roster.applyAll([info("p_1", "Anna")], isWelcome: false)
    #expect(words(resumed) == ["stopped t_1 -"] && camera.id.isEmpty)
    #expect(words(roster.removePublication("t_1", of: "p_1", .notAllowed)) == ["stopped t_1 notAllowed"])
    #expect(roster.removePublication("t_9", of: "p_1").isEmpty && roster.removePublication("t_9", of: "p_9").isEmpty)
  }

  @Test("hands, quality and levels name participants who are known")
  func levels() {
    var roster = Roster(local)
    _ = roster.applyAll([info("p_1", "Ann", hand: 3), info("p_2", "Ben", hand: 2)], isWelcome: true)
    #expect(roster.raisedHands.map(\.name) == ["Ben", "Ann"])
    let changes = roster.applyQuality(["p_2": .poor, "p_1": .good, "p_9": .lost])
    #expect(words(changes) == ["quality Ann good", "quality Ben poor"] && roster.applyQuality(["p_2": .poor]).isEmpty)
    func level(_ id: String, _ level: Double) -> SpeakerLevel { SpeakerLevel(participant: id, level: level) }
    var speakers = Speakers().applying([level("p_2", 2), level("p_9", 1), level("p_1", 0)], roster)
    #expect(speakers.all.map(\.name) == ["Ben", "Ann"] && local.audioLevel == 0.01 && local.isSpeaking)
    #expect(roster["p_2"]?.audioLevel == 1)
    speakers = speakers.applying([level("p_2", 0.5)], roster)
    #expect(speakers.all.map(\.name) == ["Ben"] && !local.isSpeaking)
    if let ben = roster["p_2"] { speakers.remove(ben) }
    #expect(speakers.all.isEmpty)
  }

  @Test("hosts' decisions are reported once, and may name somebody who isn't there yet")
  func moderation() {
    var (roster, moderation) = (Roster(local), Moderation(local))
    var events = [moderation.applyPermissions(.presenter, nil), moderation.applyPermissions(.presenter, nil)]
    #expect(events.count { $0 != nil } == 1 && moderation.isHost)
    let order = MuteForAll(sources: [.microphone], mayUnmute: false)
    let state = RoomState(spotlight: "p_2", muteAll: order)
    #expect(moderation.applyAll(state, roster).count == 2 && moderation.applyAll(state, roster).isEmpty)
    #expect(moderation.spotlight(roster) == nil && moderation.muteForAll == order)
    _ = roster.apply(info("p_2", "Ben"))
    #expect(moderation.spotlight(roster)?.name == "Ben")
    events = [moderation.reaction(.clap, of: "p_9", roster), moderation.reaction(.clap, of: "p_1", roster)]
    #expect(events.map { $0 != nil } == [false, true])
    #expect(moderation.applyAll(RoomState(), roster).count == 2 && moderation.muteForAll == nil)
  }

  @Test("polls keep this client's vote, and a whole state ends those that it lacks")
  func polls() {
    var polls = Polls()
    func poll(_ id: Int, isOpen: Bool = true, mine: [Int]? = nil) -> Poll {
      Poll(
        id: id, question: "?", options: [.init(text: "a"), .init(text: "b")], multiple: false, results: .always,
        isOpen: isOpen, voters: nil, mine: mine)
    }
    let added = [polls.apply(poll(1)), polls.apply(poll(2, mine: [1])), polls.apply(poll(2))]
    #expect(added.map { $0 != nil } == [true, true, false] && polls.all.map(\.mine) == [[], [1]])
    let votes = [polls.applyVote(1, for: [1, 0, 1]), polls.applyVote(9, for: [0])]
    #expect(votes.map { $0 != nil } == [true, false] && polls[1]?.mine == [0, 1])
    // 2 is gone, 1 is closed, and 3 is new.
    let events = polls.applyAll([poll(1, isOpen: false), poll(3)])
    let kinds = events.map { event in
      switch event {
      case .pollChanged(let poll): "changed \(poll.id)"
      case .pollRemoved(let id): "removed \(id)"
      default: "another"
      }
    }
    #expect(kinds == ["removed 2", "changed 1", "changed 3"])
    #expect(polls[1]?.mine == [0, 1] && polls[1]?.isOpen == false && polls.remove(2) == nil)
  }
}
