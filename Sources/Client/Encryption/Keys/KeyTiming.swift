public import Basics

/// How long the steps of exchanging keys take.
public struct KeyTiming: Hashable, Sendable {
  /// Joins within this time share one ratchet step; the first does not wait.
  public var joinBatch = TimeSpan.seconds(1)
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
