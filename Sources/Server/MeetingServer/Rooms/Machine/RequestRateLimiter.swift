import Basics
import Signaling

/// How fast one participant may send requests: enough for a person's clicks, too little to disturb a meeting.
struct RequestRateLimiter: Sendable {
  private var hosting = TokenBucket(perSecond: 5, burst: 30)
  private var gestures = TokenBucket(perSecond: 1, burst: 6)
  private var publications = TokenBucket(perSecond: 4, burst: 24)
  private var offers = TokenBucket(perSecond: 4, burst: 60)

  /// Charges a request; false when this participant has sent too many.
  mutating func take(_ request: RoomRequest, now: Instant) -> Bool {
    switch request {
    case .raiseHand(_, participant: nil), .react:
      return gestures.consume(now: now)
    case .raiseHand, .lowerHands, .createPoll, .setPoll, .removePoll, .vote, .muteParticipant, .stopTracks, .muteAll,
      .liftMuteAll, .askToUnmute, .removeParticipant, .setRole, .setPermissions, .changePermissions, .spotlight,
      .endMeeting:
      return takeAny(now: now)
    // The chat has limits of its own (``ParticipantChat``).
    case .chat: return true
    }
  }

  /// Charges another message that goes to everybody or to the disk.
  mutating func takeAny(now: Instant) -> Bool { hosting.consume(now: now) }

  /// Charges a changed publication; false when the others hear of it later.
  mutating func takePublication(now: Instant) -> Bool { publications.consume(now: now) }

  /// Charges an offer. The burst is more than the tracks that one connection has.
  mutating func takeOffer(now: Instant) -> Bool { offers.consume(now: now) }
}
