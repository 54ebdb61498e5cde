import Basics
import RTC

/// Maps media time to the time at which a frame is to be shown, and adapts the delay in between to the network.
///
/// Three quantities make up the time:
/// - *media time*: unwrapped timestamps;
/// - the *baseline*: the fastest transit of a frame's first packet in the last ten seconds, which holds the unknown
///   offset of both clocks and follows their drift;
/// - the *delay*: how much later than the baseline frames are complete, of which the 95th percentile over the last 100
///   frames (at most ten seconds) is taken.
///
/// A percentile and not a Kalman filter: one stated share of frames is in time whatever the distribution looks like.
/// Large frames, pacing and retransmissions count in the proportion in which they occur, without a model of each. A
/// single stall does not count with every frame that was held up: frames that arrive in its burst are one event.
///
/// The delay grows by a third of the time that passes, and shrinks by a twentieth, so that neither is seen. It shrinks
/// by an eighth while it is much too long, or a second of delay after a network's bad moment would last for twenty. In
/// the first second after a start it follows at once.
struct VideoPlayoutTiming: Sendable {
  private let maximumDelay: TimeSpan
  private let decodeLead: TimeSpan

  /// Set by lip-sync; the delay never falls below.
  var minimumDelay = TimeSpan.zero

  private struct Sample: Sendable {
    /// When the frame was complete, less its media time, in nanoseconds.
    var lateness: Int64
    var time: Instant
  }

  private struct Bucket: Sendable {
    var second: Int64
    var minimum: Int64
    var count: Int
  }

  private var samples: [Sample] = []
  private var samplePosition = 0
  /// Scratch: the largest of the samples, in falling order.
  private var largest: [Int64] = []
  /// The fastest transit by second, the newest last; at most ten.
  private var buckets: [Bucket] = []
  private(set) var baseline: Int64 = 0
  /// Counts the time lines so far: what is known about one says nothing about frames of another.
  private(set) var epoch = 0
  /// Media time plus this is the time to show; nil before the first frame.
  private var playout: Int64?
  private(set) var jitterDelay = TimeSpan.zero
  private var lastTimestamp: UInt32 = 0
  private var lastTicks: Int64 = 0
  private var hasTimestamp = false
  private var startedAt = Instant.zero
  private var updatedAt = Instant.zero
  private var previous: (media: Int64, completion: Instant, lateness: Int64)?

  private static let window = 100
  private static let windowTime = TimeSpan.seconds(10)
  /// More than any network can do: bring a frame this much faster than the fastest of the last ten seconds.
  private static let impossible = TimeSpan.seconds(1)
  /// Later than this is another time line or an outage; either way what was learnt is of no use.
  private static let outage = TimeSpan.seconds(3)
  /// When all frames of a second come later by this, the path has changed.
  private static let shift = TimeSpan.milliseconds(200)
  /// After this time without a frame, what was learnt about offsets is old.
  private static let pause = TimeSpan.seconds(5)
  /// This much more delay than is wanted is worth showing frames visibly faster for.
  private static let muchTooLong = TimeSpan.milliseconds(200)

  init(maximumDelay: TimeSpan, decodeLead: TimeSpan) {
    self.maximumDelay = maximumDelay
    self.decodeLead = decodeLead
    samples.reserveCapacity(Self.window)
    largest.reserveCapacity(8)
  }

  /// Whether a frame has set the time line.
  var hasStarted: Bool { playout != nil }

  /// The delay that jitter and decoding ask for.
  var networkDelay: TimeSpan { min(jitterDelay + decodeLead, maximumDelay) }

  /// That, or what lip-sync asks for if that is more.
  var targetDelay: TimeSpan { max(networkDelay, minimumDelay) }

  /// The delay of frames against the fastest transit, as it is now.
  var currentDelay: TimeSpan { playout.map { TimeSpan(nanoseconds: $0 &- baseline) } ?? targetDelay }

  /// Forgets the time line; the next frame is shown at once.
  mutating func restart() {
    playout = nil
    epoch &+= 1
    samples.removeAll(keepingCapacity: true)
    samplePosition = 0
    buckets.removeAll(keepingCapacity: true)
    jitterDelay = .zero
    previous = nil
  }

  /// The media time of a timestamp in nanoseconds, on the line of the frames seen.
  func mediaTime(_ timestamp: UInt32) -> Int64 {
    let ticks = hasTimestamp ? lastTicks &+ Int64(Int32(bitPattern: timestamp &- lastTimestamp)) : Int64(timestamp)
    // 90,000 ticks a second. 64 bits last for 32 years of media.
    return ticks &* 100_000 / 9
  }

  /// Whether the frame's time contradicts what was seen so far in a way that no network can cause.
  func isImpossible(mediaTime: Int64, firstArrival: Instant) -> Bool {
    guard playout != nil else { return false }
    return firstArrival.nanoseconds &- mediaTime < baseline &- Self.impossible.nanoseconds
  }

  /// When the frame is to be shown; the past when it is late.
  func renderTime(_ mediaTime: Int64) -> Instant {
    guard let playout else { return .zero }
    return Instant(nanoseconds: mediaTime &+ playout)
  }

  /// Takes note of a complete frame.
  mutating func complete(timestamp: UInt32, firstArrival: Instant, completion: Instant) {
    let media = mediaTime(timestamp)
    if !hasTimestamp || Int32(bitPattern: timestamp &- lastTimestamp) > 0 {
      lastTicks = hasTimestamp ? lastTicks &+ Int64(Int32(bitPattern: timestamp &- lastTimestamp)) : Int64(timestamp)
      lastTimestamp = timestamp
      hasTimestamp = true
    }
    let transit = firstArrival.nanoseconds &- media
    let lateness = completion.nanoseconds &- media
    if playout != nil {
      let drift = lateness &- baseline
      if drift > Self.outage.nanoseconds || drift < 0 &- Self.impossible.nanoseconds
        || completion - updatedAt > Self.pause
      {
        restart()
      }
    }
    noteTransit(transit, completion)
    guard playout != nil else {
      playout = lateness
      startedAt = completion
      updatedAt = completion
      previous = (media, completion, lateness)
      return
    }
    noteLateness(lateness, media, completion)
    measureJitter(completion)
    move(completion)
  }

  /// Keeps the fastest transit of each of the last ten seconds.
  private mutating func noteTransit(_ transit: Int64, _ now: Instant) {
    let second = now.nanoseconds / 1_000_000_000
    if let last = buckets.indices.last, buckets[last].second >= second {
      buckets[last].minimum = min(buckets[last].minimum, transit)
      buckets[last].count &+= 1
    } else {
      if buckets.count == 10 { buckets.removeFirst() }
      buckets.append(Bucket(second: second, minimum: transit, count: 1))
    }
    var recent = Int64.max
    var count = 0
    for bucket in buckets.suffix(2) {
      recent = min(recent, bucket.minimum)
      count &+= bucket.count
    }
    var lowest = recent
    for bucket in buckets { lowest = min(lowest, bucket.minimum) }
    if buckets.count > 2, count >= 8, recent &- lowest > Self.shift.nanoseconds {
      // Nothing has come as fast as before for one to two seconds.
      buckets.removeFirst(buckets.count &- 2)
      samples.removeAll { $0.lateness < recent }
      samplePosition = 0
      lowest = recent
    }
    baseline = lowest
  }

  private mutating func noteLateness(_ lateness: Int64, _ media: Int64, _ now: Instant) {
    defer { previous = (media, now, lateness) }
    if let previous, lateness < previous.lateness, lateness &- baseline > jitterDelay.nanoseconds {
      let apart = media &- previous.media
      let elapsed = (now - previous.completion).nanoseconds
      // The rest of a burst behind one stall.
      if apart > 0, elapsed >= 0, elapsed < apart / 4 { return }
    }
    let sample = Sample(lateness: lateness, time: now)
    if samples.count < Self.window {
      samples.append(sample)
    } else {
      samples[samplePosition] = sample
      samplePosition = (samplePosition &+ 1) % Self.window
    }
  }

  /// Finds the 95th percentile: the smallest of the few largest, which are cheaper to keep than all is to sort.
  private mutating func measureJitter(_ now: Instant) {
    var count = 0
    for sample in samples where now - sample.time < Self.windowTime { count &+= 1 }
    guard count > 0 else { return }
    let kept = count &- min(count &* 95 / 100, count &- 1)
    largest.removeAll(keepingCapacity: true)
    for sample in samples where now - sample.time < Self.windowTime {
      if largest.count == kept {
        guard let least = largest.last, sample.lateness > least else { continue }
        largest.removeLast()
      }
      var place = largest.count
      while place > 0, largest[place &- 1] < sample.lateness { place &-= 1 }
      largest.insert(sample.lateness, at: place)
    }
    guard let percentile = largest.last else { return }
    jitterDelay = max(TimeSpan(nanoseconds: percentile &- baseline), .zero)
  }

  /// Moves the time of showing toward what is aimed at.
  private mutating func move(_ now: Instant) {
    guard let current = playout else { return }
    let elapsed = min(max((now - updatedAt).nanoseconds, 0), 1_000_000_000)
    updatedAt = now
    let wanted = baseline &+ targetDelay.nanoseconds
    if now - startedAt < .seconds(1) {
      playout = wanted
    } else if wanted > current {
      playout = min(wanted, current &+ elapsed / 3)
    } else {
      playout = max(wanted, current &- elapsed / (current &- wanted > Self.muchTooLong.nanoseconds ? 8 : 20))
    }
  }
}
