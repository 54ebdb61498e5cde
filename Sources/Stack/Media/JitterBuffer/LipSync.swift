public import Basics
public import RTC

/// Puts audio and video of one participant in step: from when each is played and from the wall-clock times in the
/// sender's reports (RFC 3550 section 6.4.1) it finds the delay that the earlier of the two needs.
///
///     lipSync.update(audio: …, video: …, now: now)     // every 100 ms or so
///     playout.minimumDelay = lipSync.audioDelay
///     frames.minimumDelay = lipSync.videoDelay
///
/// The clocks of the sender and of this machine may differ by anything: only differences within each count. Delays grow
/// by at most ``step`` every ``interval``, so that nobody hears or sees it, and stay within ``maximum``. They are
/// dropped as soon as they are not needed; a buffer itself knows how fast it may follow.
public struct LipSync: Sendable {
  /// When one stream is played.
  public struct Stream: Hashable, Sendable {
    /// From its newest sender report.
    public var mapping: SenderReportMapping
    /// A media time, in RTP ticks…
    public var timestamp: RTPTimestamp
    /// …and when it is heard or shown.
    public var time: Instant
    /// The delay that its jitter buffer has now.
    public var delay: TimeSpan
    /// The delay that its network alone asks for.
    public var network: TimeSpan

    /// A stream whose `timestamp` is played at `time`.
    public init(
      mapping: SenderReportMapping, timestamp: RTPTimestamp, time: Instant, delay: TimeSpan, network: TimeSpan
    ) {
      self.mapping = mapping
      self.timestamp = timestamp
      self.time = time
      self.delay = delay
      self.network = network
    }
  }

  /// The shortest time between two moves.
  public static let interval = TimeSpan.milliseconds(100)
  /// The furthest move in one ``interval``.
  public static let step = TimeSpan.milliseconds(10)
  /// The most that a stream is delayed.
  public static let maximum = TimeSpan.seconds(1)
  /// A smaller offset, 4 ms, is below what anybody notices.
  private static let deadband = TimeSpan.milliseconds(4)
  /// More than this is a mistake of somebody's clock.
  private static let implausible = TimeSpan.seconds(10)
  /// How far a request for more delay may run ahead of the buffer, and one for less delay of audio: beyond 80 ms it
  /// would be hurried.
  private static let lead = TimeSpan.milliseconds(60)
  /// How far a request for less delay of video may run ahead: its buffer takes longer strides beyond 200 ms.
  private static let videoLead = TimeSpan.milliseconds(250)
  /// How far above its target a buffer may rest permanently: audio is not shortened for less than 15 ms.
  private static let tolerance = TimeSpan.milliseconds(20)
  /// The most that both streams give back in one ``interval``, so that they stay in step: a video buffer follows no
  /// faster.
  private static let common = TimeSpan.milliseconds(5)

  /// The least delay for audio.
  public private(set) var audioDelay = TimeSpan.zero
  /// The least delay for video.
  public private(set) var videoDelay = TimeSpan.zero
  /// The delay of audio against its video, smoothed; nil before the first measurement.
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
    giveBack(audio, video)
    let size = max(smoothed, .zero - smoothed)
    guard size > Self.deadband else { return }
    if smoothed > .zero {
      Self.move(late: &audioDelay, audio, lead: Self.lead, early: &videoDelay, video, by: size)
    } else {
      Self.move(late: &videoDelay, video, lead: Self.videoLead, early: &audioDelay, audio, by: size)
    }
  }

  /// A delay of ours that both streams have serves nobody: one waits for the other, whose network has improved.
  private mutating func giveBack(_ audio: Stream, _ video: Stream) {
    let spare = min(audioDelay - audio.network, videoDelay - video.network)
    guard spare > Self.deadband else { return }
    let back = min(spare, Self.common)
    audioDelay = audioDelay - back
    videoDelay = videoDelay - back
  }

  /// Takes delay from the late stream as long as it has some of ours, else gives some to the early one.
  private static func move(
    late: inout TimeSpan, _ lateStream: Stream, lead: TimeSpan, early: inout TimeSpan, _ earlyStream: Stream,
    by size: TimeSpan
  ) {
    // Our request to the late stream matters only as long as its own network does not ask for more.
    if late > lateStream.network {
      let inStep = lateStream.delay - min(size, lead)
      let next = min(late, lateStream.delay) - stride(size)
      late = max(.zero, size > Self.lead ? inStep : max(inStep, next))
      return
    }
    // The late stream gives back this delay by itself, as its buffer falls to its network's need, so the early one need
    // not wait for it.
    let falling = lateStream.delay - lateStream.network
    let rest = falling > tolerance ? size - falling : size
    guard rest > deadband else { return }
    let next = max(early, earlyStream.delay) + stride(rest)
    early = min(next, min(earlyStream.delay + Self.lead, maximum))
  }

  /// A part of the way, so that what is measured late does not lead beyond the goal.
  private static func stride(_ size: TimeSpan) -> TimeSpan { min(step, TimeSpan(nanoseconds: size.nanoseconds / 4)) }
}
