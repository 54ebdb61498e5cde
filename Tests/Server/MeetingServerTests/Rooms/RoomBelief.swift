import Meetings
import Signaling

@testable import MeetingServer

/// The state of a client that has applied every message it got, as `docs/protocol.md` says to.
struct RoomBelief {
  var meeting: MeetingInfo
  /// With tracks in the order of their ids.
  var participants: [String: ParticipantInfo]
  var slots: [SlotInfo]
  var chat: [Int: ChatEntry]
  var spotlight: String?
  var muteAll: MuteAllInfo?
  /// Without its own vote, which it knows by itself.
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
    participants = Self.byID(welcome.participants)
    slots = welcome.slots
    chat = Dictionary(uniqueKeysWithValues: welcome.chat.map { ($0.id, $0) })
    polls = [:]
    announcements = RoomView.byParticipant(welcome.announcements)
    permissions = Set(welcome.permissions ?? [])
    if let state = welcome.state { apply(state) }
  }

  private static func byID(_ participants: [ParticipantInfo]) -> [String: ParticipantInfo] {
    Dictionary(uniqueKeysWithValues: participants.map { ($0.id, RoomView.sorted($0)) })
  }

  private mutating func apply(_ state: RoomState) {
    (spotlight, muteAll) = (state.spotlight, state.muteAll)
    polls = Dictionary(uniqueKeysWithValues: state.polls.map { ($0.id, RoomView.withoutOwnVote($0)) })
    staleVotes = []
  }

  mutating func apply(_ message: ServerMessage) {
    switch message {
    case .resumed(let participants, let slots, let chat, let state, let announcements):
      self.announcements = RoomView.byParticipant(announcements)
      self.participants = Self.byID(participants)
      self.slots = slots
      self.chat = Dictionary(uniqueKeysWithValues: chat.map { ($0.id, $0) })
      mayLackChat = false
      if let state { apply(state) }
    case .participantJoined(let info), .participantUpdated(let info): participants[info.id] = RoomView.sorted(info)
    case .participantLeft(let id, _):
      participants[id] = nil
      announcements?[id] = nil
    case .announcement(let announcement): announcements?[announcement.participant] = announcement.announcement
    case .published(let id, let publication):
      guard var info = participants[id] else { return }
      info.publications.append(publication)
      participants[id] = RoomView.sorted(info)
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
      polls[info.id] = RoomView.withoutOwnVote(info)
      staleVotes.remove(info.id)
    case .pollRemoved(let id): polls[id] = nil
    case .state(let state): apply(state)
    case .meeting(let info): meeting = info
    case .chat(.changed(let entry)): chat[entry.id] = entry
    case .chat(.typing), .done, .unmuteRequested, .reaction: break
    }
  }

  // MARK: Comparing

  /// The difference between it and the state that its client, `member`, would get now; nil where there is none. Votes
  /// may be `pending`: they are reported together, a moment later.
  func difference(
    from view: RoomView, for member: RoomMember, in parts: RoomParts = .all, votesArePending: Bool
  ) -> String? {
    if parts.has(.participants) {
      var (count, index) = (0, 0)
      while index < view.participants.count {
        let info = view.participants[index]
        index += 1
        guard info.id == member.id || !view.hidden.contains(info.id) else { continue }
        count += 1
        if participants[info.id] != info { return "participant \(described(participants[info.id]))\n  told \(info)" }
      }
      if participants.count != count { return "participants: \(participants.keys.sorted())" }
    }
    if parts.has(.own) {
      if slots != member.slots.info { return "slots: \(slots)\n  told \(member.slots.info)" }
      if permissions != Set(member.permissions.names) { return "permissions: \(permissions)" }
    }
    if parts.has(.rest) {
      if meeting != view.meeting { return "meeting: \(meeting)\n  told \(view.meeting)" }
      if spotlight != view.spotlight {
        return "spotlight: \(spotlight ?? "nobody"), told \(view.spotlight ?? "nobody")"
      }
      if muteAll != view.muteAll { return "muteAll" }
      // A client knows its own announcement by itself.
      let (known, told) = (announcements, view.announcements)
      if known != told, known?.filter({ $0.key != member.id }) != told?.filter({ $0.key != member.id }) {
        return "announcements: \(known ?? [:])\n  told \(told ?? [:])"
      }
    }
    return parts.has(.polls) ? difference(from: view.polls(for: member), votesArePending: votesArePending) : nil
  }

  private func difference(from told: [PollInfo], votesArePending: Bool) -> String? {
    for poll in told {
      guard let known = polls[poll.id] else { return "no poll \(poll.id)" }
      if known == poll { continue }
      let hidesVotes = votesArePending || staleVotes.contains(poll.id)
      guard hidesVotes, Self.withoutVotes(known) == Self.withoutVotes(poll) else {
        return "poll: \(known)\n  told \(poll)"
      }
    }
    return polls.count == told.count ? nil : "polls: \(polls.keys.sorted())"
  }

  /// A client forgets nothing, the server does: what the server still has must be the same.
  func difference(from history: [ChatEntry]) -> String? {
    guard !mayLackChat else { return nil }
    for entry in history where chat[entry.id] != entry { return "chat: \(described(chat[entry.id]))\n  told \(entry)" }
    return nil
  }

  private func described<Value>(_ value: Value?) -> String { value.map { "\($0)" } ?? "nothing" }

  private static func withoutVotes(_ poll: PollInfo) -> PollInfo {
    var poll = poll
    poll.voters = nil
    for index in poll.options.indices { poll.options[index].votes = nil }
    return poll
  }
}
