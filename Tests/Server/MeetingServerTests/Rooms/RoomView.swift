import Meetings
import Signaling

@testable import MeetingServer

/// The state that a client gets if it joins now, worked out once for all clients. A run compares it with the welcome of
/// each at its end.
struct RoomView: Equatable {
  /// Everybody, with tracks in the order of their ids.
  let participants: [ParticipantInfo]
  let hidden: [String]
  let meeting: MeetingInfo
  let spotlight: String?
  let muteAll: MuteAllInfo?
  /// Without anybody's own vote.
  let polls: [PollInfo]
  let moderatorPolls: [PollInfo]
  let announcements: [String: String]?

  init(_ machine: RoomMachine) {
    let members = machine.roster.members
    participants = members.map { Self.sorted($0.info) }
    hidden = members.filter(\.isHidden).map(\.id)
    meeting = machine.info
    (spotlight, muteAll) = (machine.moderation.spotlight, machine.moderation.muteAll?.info)
    polls = machine.polls.all(for: "", moderates: false).map(Self.withoutOwnVote)
    moderatorPolls = machine.polls.all(for: "", moderates: true).map(Self.withoutOwnVote)
    announcements = Self.byParticipant(machine.announcements)
  }

  static func sorted(_ info: ParticipantInfo) -> ParticipantInfo {
    guard info.publications.count > 1 else { return info }
    var info = info
    info.publications.sort { $0.id < $1.id }
    return info
  }

  /// Each client knows its own vote by itself.
  static func withoutOwnVote(_ poll: PollInfo) -> PollInfo {
    var poll = poll
    poll.mine = nil
    return poll
  }

  static func byParticipant(_ announcements: [ParticipantAnnouncement]?) -> [String: String]? {
    announcements.map { Dictionary(uniqueKeysWithValues: $0.map { ($0.participant, $0.announcement) }) }
  }

  /// The polls as a participant sees them.
  func polls(for member: RoomMember) -> [PollInfo] {
    guard member.permissions.contains(.subscribe) else { return [] }
    return member.permissions.contains(.moderate) ? moderatorPolls : polls
  }
}
