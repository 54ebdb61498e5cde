public import Basics
import FoundationEssentials

/// How webhooks are sent.
public struct WebhookSettings: Sendable, Equatable {
  /// Hosts that events may be posted to besides public ones over HTTPS and this machine; `*` is every host.
  public var allowedHosts: [String] = []
  /// The pause after the first failed attempt; each further one is twice as long, up to ``longestPause``.
  public var firstPause = TimeSpan.seconds(1)
  /// The longest pause between two attempts.
  public var longestPause = TimeSpan.seconds(3_600)
  /// How long one attempt may take.
  public var timeout = TimeSpan.seconds(10)
  /// How often the database is queried for deliveries that the command line has added.
  public var lookInterval = TimeSpan.seconds(5)

  /// Bytes of an answer that are read; a longer answer counts as a failed attempt.
  static let answerLimit = 64 << 10
  /// Attempts under way at a time, and to one webhook.
  static let concurrency = (all: 32, webhook: 4)

  public init() {}

  /// How long the database rests after a query for due deliveries that took `look`. Joins wait for the same thread, and
  /// with a receiver that is dead for hours such a query reads tens of thousands of rows. It gets a twentieth of the
  /// time, but a new delivery waits at most a second. A query that costs nothing may follow at once.
  static func rest(after look: TimeSpan) -> TimeSpan {
    if look < .milliseconds(1) { return .zero }
    return min(TimeSpan(nanoseconds: look.nanoseconds * 20), .seconds(1))
  }

  /// The pause after `attempts` failed attempts, a little more or less by chance so that not everything comes at once.
  func pause(after attempts: Int, chance: Double = .random(in: Self.chances)) -> Double {
    let doubled = firstPause.seconds * Double(1 << min(max(attempts - 1, 0), 40))
    return min(doubled, longestPause.seconds) * chance
  }

  private static let chances = 0.9...1.1

  /// Whether an attempt that waits for `next` is due. A time beyond the longest pause is from before the machine's
  /// clock was set back, which would put the attempt off for as long.
  func isDue(_ next: Date, now: Date) -> Bool {
    next <= now || next > now + longestPause.seconds * Self.chances.upperBound
  }
}
