import Basics
import Signaling

/// How fast one participant may ask for things: enough for a person's clicks, too little to disturb a meeting.
struct RequestPace: Sendable {
  private var hosting = TokenBucket(perSecond: 5, burst: 30)
  private var gestures = TokenBucket(perSecond: 1, burst: 6)

  /// Takes one; false when this participant has asked too often.
  mutating func take(_ request: RoomRequest, now: Instant) -> Bool {
    switch request {
    case .raiseHand(_, participant: nil), .react:
      return gestures.consume(now: now)
    case .raiseHand, .lowerHands, .createPoll, .setPoll, .removePoll, .vote, .muteParticipant, .stopTracks, .muteAll,
      .liftMuteAll, .askToUnmute, .removeParticipant, .setRole, .setPermissions, .changePermissions, .spotlight,
      .endMeeting:
      return takeAny(now: now)
    // The chat has a pace of its own, see ``ChatSeat``.
    case .chat: return true
    }
  }

  /// Takes one of another kind: what goes to everybody, or is written down.
  mutating func takeAny(now: Instant) -> Bool { hosting.consume(now: now) }
}
