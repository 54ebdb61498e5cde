public import Basics

/// How long the steps of exchanging keys take.
public struct KeyTiming: Hashable, Sendable {
  /// The time between ratchet steps when many join; those who join during it share the next step.
  public var joinBatch = TimeSpan.milliseconds(500)
  /// How many steps don't wait for ``joinBatch`` after a time without joins. Each costs a key frame, so the limit is
  /// that of servers for requests: two a second, and a few at once.
  public var joinBurst = 4
  /// The least time between two steps. Somebody who joins alone waits no longer than this.
  public var joinSpacing = TimeSpan.milliseconds(100)
  /// How long after a join the ratchet steps of others are taken for its own.
  public var joinTolerance = TimeSpan.seconds(2)
  /// Leaves within this time share one new key. Somebody who is removed is not waited for.
  public var leaveBatch = TimeSpan.seconds(1)
  /// The least time between two new keys.
  public var rotationSpacing = TimeSpan.milliseconds(500)
  /// How long a new key waits for those who have not acknowledged it, and the old one may still be used after somebody
  /// was removed.
  public var acknowledgements = TimeSpan.seconds(2)
  /// The longest use of a key.
  public var lifetime = TimeSpan.seconds(3_600)
  /// How long receivers keep a key after a later one came into use, for frames that are late.
  public var grace = TimeSpan.seconds(10)
  /// How long frames lack a key before it is asked for.
  public var requestDelay = TimeSpan.seconds(1)
  /// The least time between two requests, and between two answers to one participant.
  public var requestSpacing = TimeSpan.seconds(2)
  /// How long after the last frame without a key none is lacking any more: its sender has stopped.
  public var missingEnd = TimeSpan.seconds(5)
  /// How long a sender's roster may differ from one's own before that is an alarm.
  public var rosterTolerance = TimeSpan.seconds(10)
  /// How long after its announcement a client gives its sender index up to another who claims it as well.
  public var indexTrial = TimeSpan.seconds(5)

  /// The times of the design.
  public init() {}
}
