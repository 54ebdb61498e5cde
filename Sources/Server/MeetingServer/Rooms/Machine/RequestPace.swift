import Basics
import Signaling

/// How fast one participant may ask for things: enough for a person's clicks, too little to disturb a meeting.
struct RequestPace: Sendable {
  private var hosting: RateLimit?
  private var gestures: RateLimit?

  /// Takes one; false when this participant has asked too often.
  mutating func take(_ request: RoomRequest, now: Instant) -> Bool {
    switch request {
    case .raiseHand(_, participant: nil), .react:
      return Self.take(&gestures, perSecond: 1, burst: 6, now)
    case .raiseHand, .lowerHands, .createPoll, .setPoll, .removePoll, .vote, .muteParticipant, .stopTracks, .muteAll,
      .liftMuteAll, .askToUnmute, .removeParticipant, .setRole, .setPermissions, .changePermissions, .spotlight,
      .endMeeting:
      return takeAny(now: now)
    // The chat has a pace of its own, see ``ChatSeat``.
    case .chat: return true
    }
  }

  /// Takes one of another kind: what goes to everybody, or is written down.
  mutating func takeAny(now: Instant) -> Bool { Self.take(&hosting, perSecond: 5, burst: 30, now) }

  private static func take(_ limit: inout RateLimit?, perSecond: Int, burst: Int, _ now: Instant) -> Bool {
    var bucket = limit ?? RateLimit(perSecond: perSecond, burst: burst, now: now)
    defer { limit = bucket }
    return bucket.take(now: now)
  }
}
