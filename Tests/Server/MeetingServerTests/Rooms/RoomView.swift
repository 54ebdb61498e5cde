import Meetings
import Signaling

@testable import MeetingServer

/// The parts of a room's state that change, and are compared, for themselves.
struct RoomParts: OptionSet {
  let rawValue: UInt8
  static let participants = Self(rawValue: 1)
  static let polls = Self(rawValue: 2)
  static let chat = Self(rawValue: 4)
  /// A participant's own slots and permissions.
  static let own = Self(rawValue: 8)
  /// The meeting, the spotlight, muting and announced keys.
  static let rest = Self(rawValue: 16)
  static let all = Self(rawValue: 31)

  // The library's operations are slow in debug builds, and these run after each command.
  func has(_ part: Self) -> Bool { rawValue & part.rawValue != 0 }
  mutating func formUnion(_ other: Self) { self = Self(rawValue: rawValue | other.rawValue) }
  mutating func subtract(_ other: Self) { self = Self(rawValue: rawValue & ~other.rawValue) }
}

/// The state that a client gets if it joins now, worked out once for all clients. A run compares it with the welcome of
/// each at its end.
struct RoomView {
  /// A participant's state from which its info is made.
  private struct Source {
    let member: RoomMember
    let name: String
    let role: Role
    let permissions: Permissions
    let hand: Int?
    let connection: ConnectionState
    let isLossUnannounced: Bool
    let publications: [PublicationInfo]
    let announcement: String?

    init(_ member: RoomMember) {
      self.member = member
      (name, role, permissions, hand) = (member.name, member.role, member.permissions, member.hand)
      (connection, isLossUnannounced) = (member.connection, member.isLossUnannounced)
      publications = member.publications.map(\.info)
      announcement = member.keys.announcement
    }

    /// Whether the participant is still as it was. Nothing is built for it, so that it can be asked after each command.
    var holds: Bool {
      guard member.hand == hand, member.connection == connection, member.isLossUnannounced == isLossUnannounced,
        member.role == role, member.permissions.rawValue == permissions.rawValue, member.name == name,
        member.keys.announcement == announcement, member.publications.count == publications.count
      else { return false }
      var index = 0
      while index < publications.count {
        guard member.publications[index].info == publications[index] else { return false }
        index += 1
      }
      return true
    }
  }

  private var sources: [Source] = []
  private var revision = -1
  private var isEncrypted: Bool?
  /// Everybody, with tracks in the order of their ids.
  private(set) var participants: [ParticipantInfo] = []
  private(set) var hidden: [String] = []
  private(set) var meeting: MeetingInfo
  private(set) var spotlight: String?
  private(set) var muteAll: MuteAllInfo?
  /// Without anybody's own vote.
  private(set) var polls: [PollInfo] = []
  private(set) var moderatorPolls: [PollInfo] = []
  private(set) var announcements: [String: String]?

  init(_ machine: RoomMachine) {
    meeting = machine.info
    _ = update(machine)
  }

  /// Follows the room, and returns the parts that have changed. Most commands change few.
  mutating func update(_ machine: RoomMachine) -> RoomParts {
    var changed: RoomParts = []
    let members = machine.roster.members
    if members.count != sources.count || isStale(members) {
      sources = members.map { Source($0) }
      participants = members.map { Self.sorted($0.info) }
      hidden = members.filter(\.isHidden).map(\.id)
      announcements = Self.byParticipant(machine.announcements)
      changed.formUnion([.participants, .rest])
    }
    if machine.isEncrypted != isEncrypted || machine.meeting.revision != revision {
      (isEncrypted, revision) = (machine.isEncrypted, machine.meeting.revision)
      meeting = machine.info
      announcements = Self.byParticipant(machine.announcements)
      changed.formUnion(.rest)
    }
    if machine.moderation.spotlight != spotlight {
      spotlight = machine.moderation.spotlight
      changed.formUnion(.rest)
    }
    let order = machine.moderation.muteAll?.info
    if order != muteAll {
      muteAll = order
      changed.formUnion(.rest)
    }
    // Hosts see everything of a poll, so participants' views change only with theirs.
    let all = machine.polls.all(for: "", moderates: true)
    if !(all.isEmpty && moderatorPolls.isEmpty) {
      let hosts = all.map(Self.withoutOwnVote)
      if hosts != moderatorPolls {
        moderatorPolls = hosts
        polls = machine.polls.all(for: "", moderates: false).map(Self.withoutOwnVote)
        changed.formUnion(.polls)
      }
    }
    return changed
  }

  private func isStale(_ members: [RoomMember]) -> Bool {
    var index = 0
    while index < sources.count {
      if sources[index].member !== members[index] || !sources[index].holds { return true }
      index += 1
    }
    return false
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
