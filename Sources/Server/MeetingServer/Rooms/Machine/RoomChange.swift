import Meetings
import Signaling

/// The change that a request makes in a room. ``RoomMachine/apply(_:by:)`` carries it out.
enum RoomChange {
  case nothing
  case setHand(Bool, RoomMember)
  case lowerHands
  case react(Reaction)
  /// The polls after the change; everybody gets the changed one.
  case setPolls(PollTable, changed: Int)
  case removePoll(PollTable, removed: Int)
  case vote(poll: Int, options: [Int])
  /// `stopped` end, `muted` are muted.
  case mute(RoomMember, muted: Set<TrackSource>, stopped: Set<TrackSource>)
  case muteAll(MuteAll, includingLater: Bool)
  case liftMuteAll
  case askToUnmute(RoomMember, [TrackSource])
  case remove(RoomMember, ban: Bool)
  case setRole(Role, RoomMember)
  case setPermissions(Permissions, RoomMember)
  case spotlight(String?)
  case editChat(ChatEntry)
  /// The message before its deletion, and who deletes it.
  case deleteChat(ChatEntry, ChatDeletion)
  case lock(Bool)
  case endMeeting

  var isBan: Bool { if case .remove(_, ban: true) = self { true } else { false } }
}

/// A request that may be carried out.
struct AuthorisedRequest {
  /// The audited action, if it is one that changes something.
  var action: AuditedAction?
  var change: RoomChange
}
