import Basics
import Meetings
import Signaling

/// Hosts' decisions for everybody: role overrides, bans, muting all, and the spotlight.
struct Moderation {
  /// Roles and permissions that hosts gave or took.
  var overrides = RoleOverrides()
  /// Tokens, users and addresses that can't come back, as ``JoinGrant/banNotes(in:address:)`` names them.
  private var bans: Set<TokenID> = []
  var muteAll: MuteAll?
  /// The participant whom everybody is to show large.
  var spotlight: String?

  /// Bans the holder of a grant for as long as the room stands.
  mutating func ban(_ grant: JoinGrant, in meeting: MeetingID, address: IPAddress?) {
    bans.formUnion(grant.banNotes(in: meeting, address: address))
  }

  func isBanned(_ grant: JoinGrant, in meeting: MeetingID, address: IPAddress? = nil) -> Bool {
    !bans.isDisjoint(with: grant.banNotes(in: meeting, address: address))
  }

  /// Whether a participant may unmute a track that a host muted.
  func mayUnmute(_ source: TrackSource, _ member: RoomMember) -> Bool {
    guard let muteAll, !muteAll.mayUnmute, muteAll.holds(source, of: member.id) else { return true }
    return member.permissions.contains(.moderate)
  }

  /// Whether a new track of a participant starts muted.
  func startsMuted(_ source: TrackSource, _ member: RoomMember) -> Bool {
    guard let muteAll, muteAll.holds(source, of: member.id) else { return false }
    return muteAll.mayUnmute || !member.permissions.contains(.moderate)
  }
}

/// Raised hands, in the order in which they went up.
struct RaisedHands {
  private var last = 0

  /// Raises or lowers a member's hand; false when it was so already.
  mutating func set(_ raised: Bool, _ member: RoomMember) -> Bool {
    guard (member.hand != nil) != raised else { return false }
    if raised { last += 1 }
    member.hand = raised ? last : nil
    return true
  }
}
