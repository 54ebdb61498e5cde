import Basics
import Messaging

/// How many invitations to chats each identity may still send: nobody consents to being invited. Does no I/O.
struct InvitationBudget: Sendable {
  /// An hour has that many parts, so that a bucket refills in whole ones each second.
  private static let hour = 3_600
  private var buckets = BoundedTable<RegID, TokenBucket>(capacity: 60_000)

  /// Takes so many invitations of an identity.
  mutating func consume(_ count: Int, of regId: RegID, now: Instant) throws(MessagingFailure) {
    let most = MessagingLimits.invitationsPerHour
    let bucket = TokenBucket(perSecond: most, burst: most * Self.hour)
    let isTaken = buckets.update(regId, initial: bucket, now: now) { $0.consume(count * Self.hour, now: now) }
    guard !isTaken else { return }
    throw .init(
      .limitReached, "You invite at most \(most) others to chats an hour (invitationsPerHour).",
      // At the latest, even if nothing was left.
      retryAfter: min(Self.hour, (count * Self.hour + most - 1) / most))
  }
}

extension MessagingRequest {
  /// How many others it invites to a chat.
  var invitationCount: Int {
    if case .chatStart(_, let invitees, _, _, _, _, _) = self { return Set(invitees).count }
    if case .chatInvite(_, let invitees, _) = self { return Set(invitees).count }
    return 0
  }
}
