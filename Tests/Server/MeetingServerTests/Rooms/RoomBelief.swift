import Signaling

@testable import MeetingServer

/// The state of a client that has applied every message it got, as `docs/protocol.md` says to.
struct RoomBelief {
  var meeting: MeetingInfo
  var participants: [String: ParticipantInfo]
  var slots: [SlotInfo]
  var chat: [Int: ChatEntry]
  var spotlight: String?
  var muteAll: MuteAllInfo?
  var polls: [Int: PollInfo]
  var permissions: Set<String>
  /// The others' announcements by participant; nil in a plain meeting.
  var announcements: [String: String]?
  var lobby: LobbyInfo?
  /// Whether it may have missed messages of the chat, while it could not receive.
  var mayLackChat = false
  /// Polls of which it may see more or less than it got.
  var staleVotes: Set<Int> = []

  init(_ welcome: ServerMessage.Welcome) {
    meeting = welcome.meeting
    participants = Dictionary(uniqueKeysWithValues: welcome.participants.map { ($0.id, $0) })
    slots = welcome.slots
    chat = Dictionary(uniqueKeysWithValues: welcome.chat.map { ($0.id, $0) })
    polls = [:]
    announcements = Self.byParticipant(welcome.announcements)
    permissions = Set(welcome.permissions ?? [])
    if let state = welcome.state { apply(state) }
  }

  private static func byParticipant(_ announcements: [ParticipantAnnouncement]?) -> [String: String]? {
    announcements.map { Dictionary(uniqueKeysWithValues: $0.map { ($0.participant, $0.announcement) }) }
  }

  private mutating func apply(_ state: RoomState) {
    (spotlight, muteAll) = (state.spotlight, state.muteAll)
    polls = Dictionary(uniqueKeysWithValues: state.polls.map { ($0.id, $0) })
    staleVotes = []
  }

  mutating func apply(_ message: ServerMessage) {
    switch message {
    case .resumed(let participants, let slots, let chat, let state, let announcements):
      self.announcements = Self.byParticipant(announcements)
      self.participants = Dictionary(uniqueKeysWithValues: participants.map { ($0.id, $0) })
      self.slots = slots
      self.chat = Dictionary(uniqueKeysWithValues: chat.map { ($0.id, $0) })
      mayLackChat = false
      if let state { apply(state) }
    case .participantJoined(let info), .participantUpdated(let info): participants[info.id] = info
    case .participantLeft(let id, _):
      participants[id] = nil
      announcements?[id] = nil
    case .announcement(let announcement): announcements?[announcement.participant] = announcement.announcement
    case .published(let id, let publication): participants[id]?.publications.append(publication)
    case .publicationUpdated(let id, let publication):
      guard let index = participants[id]?.publications.firstIndex(where: { $0.id == publication.id }) else { return }
      participants[id]?.publications[index] = publication
    case .unpublished(let id, let publication, _): participants[id]?.publications.removeAll { $0.id == publication }
    case .slots(let slots): self.slots = slots
    case .answer(_, _, let slots, _): self.slots = slots
    case .chat(let entry): chat[entry.id] = entry
    case .lobby(let info): lobby = info
    case .room(let notice): apply(notice)
    case .welcome, .waiting, .paused, .wanted, .needSlots, .speakers, .quality, .signal, .codec, .token, .pong, .error,
      .ended, .keyEnvelopes:
      break
    }
  }

  private mutating func apply(_ notice: RoomNotice) {
    switch notice {
    case .permissions(_, let names):
      let now = Set(names)
      if permissions.contains("moderate") != now.contains("moderate") { staleVotes = Set(polls.keys) }
      if !now.contains("subscribe") { mayLackChat = true }
      permissions = now
    case .spotlight(let id): spotlight = id
    case .muteAll(let info): muteAll = info
    case .poll(let info):
      polls[info.id] = info
      staleVotes.remove(info.id)
    case .pollRemoved(let id): polls[id] = nil
    case .state(let state): apply(state)
    case .meeting(let info): meeting = info
    case .chat(.changed(let entry)): chat[entry.id] = entry
    case .chat(.typing), .done, .unmuteRequested, .reaction: break
    }
  }

  /// How it differs from what `fresh`, a welcome of this moment, says; nil where it doesn't. Votes may be `pending`:
  /// they are reported together, a moment later.
  func difference(
    from fresh: ServerMessage.Welcome, votesArePending: Bool, chatIsPending: Bool
  ) -> String? {
    let known = participants.mapValues(Self.normal)
    let told = Dictionary(uniqueKeysWithValues: fresh.participants.map { ($0.id, Self.normal($0)) })
    if known != told {
      return "participants: \(known.values.sorted { $0.id < $1.id })\n  told \(told.values.sorted { $0.id < $1.id })"
    }
    if slots != fresh.slots { return "slots: \(slots)\n  told \(fresh.slots)" }
    if meeting != fresh.meeting { return "meeting: \(meeting)\n  told \(fresh.meeting)" }
    if permissions != Set(fresh.permissions ?? []) { return "permissions: \(permissions)" }
    // A client knows its own announcement by itself.
    let (keys, others) = (announcements, Self.byParticipant(fresh.announcements))
    if keys?.filter({ $0.key != fresh.participant }) != others?.filter({ $0.key != fresh.participant }) {
      return "announcements: \(keys ?? [:])\n  told \(others ?? [:])"
    }
    let state = fresh.state ?? RoomState()
    if spotlight != state.spotlight {
      return "spotlight: \(spotlight ?? "nobody"), told \(state.spotlight ?? "nobody")"
    }
    if muteAll != state.muteAll { return "muteAll" }
    // A client forgets nothing, the server does: what the server still has must be the same.
    if !mayLackChat {
      // A change of the chat reaches participants once it is on the disk, and a welcome at once.
      for entry in fresh.chat where !chatIsPending && chat[entry.id] != entry {
        return "chat: \(chat[entry.id].map { "\($0)" } ?? "nothing")\n  told \(entry)"
      }
    }
    if Set(polls.keys) != Set(state.polls.map(\.id)) { return "polls: \(polls.keys.sorted())" }
    for poll in state.polls {
      let hidesVotes = votesArePending || staleVotes.contains(poll.id)
      let known = polls[poll.id].map { Self.normal($0, hidesVotes: hidesVotes) }
      if known != Self.normal(poll, hidesVotes: hidesVotes) { return "poll: \(known as Any)\n  told \(poll)" }
    }
    return nil
  }

  private static func normal(_ info: ParticipantInfo) -> ParticipantInfo {
    var info = info
    info.publications.sort { $0.id < $1.id }
    return info
  }

  private static func normal(_ poll: PollInfo, hidesVotes: Bool) -> PollInfo {
    var poll = poll
    // Each client knows its own vote by itself.
    poll.mine = nil
    guard hidesVotes else { return poll }
    poll.voters = nil
    for index in poll.options.indices { poll.options[index].votes = nil }
    return poll
  }
}
