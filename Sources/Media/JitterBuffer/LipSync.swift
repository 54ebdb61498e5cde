public import Basics
public import RTC

/// Puts the sound and the picture of one participant in step: from when each is played and from the wall-clock times in the
/// sender's reports (RFC 3550 section 6.4.1) it finds the delay that the earlier of the two needs.
///
///     lipSync.update(audio: …, video: …, now: now)     // every 100 ms or so
///     playout.minimumDelay = lipSync.audioDelay
///     frames.minimumDelay = lipSync.videoDelay
///
/// The clocks of the sender and of this machine may differ by anything: only differences within each count. Delays move by at most
/// ``step`` every ``interval``, so that nobody hears or sees it, and stay within ``maximum``.
public struct LipSync: Sendable {
  /// When one stream is played.
  public struct Stream: Hashable, Sendable {
    /// From its newest sender report.
    public var mapping: SenderReportMapping
    /// A media time…
    public var timestamp: RTPTimestamp
    /// …and when it is heard or shown.
    public var time: Instant
    /// The delay that its jitter buffer has now.
    public var delay: TimeSpan

    /// A stream whose `timestamp` is played at `time`.
    public init(mapping: SenderReportMapping, timestamp: RTPTimestamp, time: Instant, delay: TimeSpan) {
      self.mapping = mapping
      self.timestamp = timestamp
      self.time = time
      self.delay = delay
    }
  }

  /// The shortest time between two moves.
  public static let interval = TimeSpan.milliseconds(100)
  /// The furthest move.
  public static let step = TimeSpan.milliseconds(10)
  /// The most that a stream is delayed.
  public static let maximum = TimeSpan.seconds(1)
  /// Nobody notices less.
  private static let deadband = TimeSpan.milliseconds(4)
  /// More than this is a mistake of somebody's clock.
  private static let implausible = TimeSpan.seconds(10)
  /// How far a wish may run ahead of what a buffer does.
  private static let lead = TimeSpan.milliseconds(60)

  /// The least delay for the sound.
  public private(set) var audioDelay = TimeSpan.zero
  /// The least delay for the picture.
  public private(set) var videoDelay = TimeSpan.zero
  /// How much later sound is heard than the picture that belongs to it is shown, smoothed; nil before the first measurement.
  public private(set) var offset: TimeSpan?
  private var lastMove: Instant?

  /// Streams that nothing is known of.
  public init() {}

  /// Forgets everything: other streams take their place.
  public mutating func reset() { self = LipSync() }

  /// Measures, and moves the delays when it is time.
  public mutating func update(audio: Stream, video: Stream, now: Instant) {
    if let lastMove, now - lastMove < Self.interval { return }
    let captured =
      audio.mapping.ntpTime(of: audio.timestamp) - video.mapping.ntpTime(of: video.timestamp)
    let measured = (audio.time - video.time) - captured
    guard measured < Self.implausible, measured > TimeSpan.zero - Self.implausible else { return }
    lastMove = now
    let smoothed = offset.map { TimeSpan(nanoseconds: $0.nanoseconds + (measured - $0).nanoseconds / 2) } ?? measured
    offset = smoothed
    let size = max(smoothed, .zero - smoothed)
    guard size > Self.deadband else { return }
    let move = min(Self.step, TimeSpan(nanoseconds: size.nanoseconds / 4))
    if smoothed > .zero {
      Self.move(late: &audioDelay, audio.delay, early: &videoDelay, video.delay, by: move)
    } else {
      Self.move(late: &videoDelay, video.delay, early: &audioDelay, audio.delay, by: move)
    }
  }

  /// Takes delay from the late stream as long as it has some of ours, else gives some to the early one.
  private static func move(
    late: inout TimeSpan, _ lateDelay: TimeSpan, early: inout TimeSpan, _ earlyDelay: TimeSpan, by move: TimeSpan
  ) {
    // What we ask of the late stream matters only as long as its own network does not ask for more.
    let isOurs = late > .zero && late + deadband >= lateDelay
    late = max(.zero, late - move)
    guard !isOurs else { return }
    early = min(min(max(early, earlyDelay) + move, earlyDelay + lead), maximum)
  }
}
