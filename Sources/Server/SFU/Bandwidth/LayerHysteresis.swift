import Basics

/// Keeps one subscription from changing its layer to and fro: some time between two raises, and longer after one that
/// had to be taken back. A pause ends sooner than a raise comes: the lowest layer is worth more to who sees nothing.
struct LayerHysteresis: Sendable {
  static let interval = TimeSpan.milliseconds(1_500)
  /// A raise that lasts shorter has failed.
  static let minimumRaise = TimeSpan.seconds(6)
  /// The longest time between a raise that failed and the next: several on one path that each try again disturb all of
  /// them.
  static let maximumBackOff = TimeSpan.seconds(16)
  /// Not longer than this where a probe has shown room for everything.
  static let provenBackOff = TimeSpan.seconds(6)
  /// A raise that failed so long ago says nothing.
  private static let memory = TimeSpan.seconds(40)
  /// For this long the lowest layer goes on although there is too little for it: a pause costs more than a moment of
  /// too much.
  static let patience = TimeSpan.milliseconds(1_500)

  /// And only for this long while packets wait long, for then everything that matters more waits behind it.
  static let queuedPatience = TimeSpan.milliseconds(400)

  /// A pause lasts this long at least, and twice as long where there was one shortly before.
  static let leastPause = TimeSpan.milliseconds(1_500)

  private var lastRaise: Instant?
  private var lastLower = Instant.zero
  private var backOff = Self.interval
  /// Before this there is no raise.
  private(set) var nextRaise = Instant.zero
  /// Before this the frame rate of the smallest size isn't raised.
  private var nextRefinement = Instant.zero
  /// Whether a first choice was made.
  private(set) var hasChosen = false

  private var pausedAt: Instant?
  /// Before this a pause goes on.
  private var nextReturn = Instant.zero

  /// Since when there is too little for the lowest layer.
  private var shortSince: Instant?

  /// Whether the lowest layer may be given up.
  func mayPause(isQueued: Bool, now: Instant) -> Bool {
    shortSince.map { now - $0 >= (isQueued ? Self.queuedPatience : Self.patience) } ?? false
  }

  /// Whether a pause may end, should there be room.
  func mayReturn(now: Instant) -> Bool { now >= nextReturn }

  /// Whether the frame rate of the smallest size may be raised. That a larger size failed is not held against it.
  func mayRefine(now: Instant) -> Bool { now >= nextRefinement }

  /// Nothing is forwarded from now on.
  mutating func paused(now: Instant) {
    let isAgain = pausedAt.map { now - $0 < .seconds(8) } ?? false
    pausedAt = now
    nextReturn = now + Self.leastPause * (isAgain ? 2 : 1)
  }

  /// Notes whether there was too little for the lowest layer.
  mutating func noteShortage(_ isShort: Bool, now: Instant) {
    if !isShort { shortSince = nil } else if shortSince == nil { shortSince = now }
  }

  /// Smoothed rate of the option forwarded now: a keyframe alone doesn't change the layer.
  private var cost = 0.0
  private var costOf: LayerIndex?

  /// The smoothed rate of `option`, which is forwarded now.
  mutating func smoothed(_ option: LayerOption) -> DataRate {
    let rate = Double(option.rate.bitsPerSecond)
    if costOf != option.index || cost <= 0 {
      cost = rate
      costOf = option.index
    } else {
      cost += (rate > cost ? 0.06 : 0.2) * (rate - cost)
    }
    return DataRate(bitsPerSecond: Int64(cost))
  }

  /// The largest layer that was forwarded for a while without anything waiting for it, and when last.
  private var carried: (option: LayerOption, at: Instant)?
  /// Longer ago it says nothing of what the path takes now.
  private static let carriedMemory = TimeSpan.seconds(60)
  /// A layer forwarded for less than this hasn't shown that the path carries it.
  private static let carriedAfter = TimeSpan.seconds(1)

  /// `option` is forwarded, and nothing waits on the path.
  mutating func noteCarried(_ option: LayerOption, now: Instant) {
    if let lastRaise, now - lastRaise < Self.carriedAfter { return }
    if let carried, carried.option.index.spatial > option.index.spatial, now - carried.at < Self.carriedMemory {
      return
    }
    carried = (option, now)
  }

  /// A layer larger than `index` that the path has carried lately: when the receiver wants it again it needs no probe.
  func carried(above index: LayerIndex, now: Instant) -> LayerOption? {
    guard let carried, carried.option.index.spatial > index.spatial, now - carried.at < Self.carriedMemory else {
      return nil
    }
    return carried.option
  }

  /// Whether the last raise failed.
  var isBackedOff: Bool { backOff > Self.interval }

  /// Whether more than now may be forwarded. `isProven`: a probe has just shown that the path takes everything.
  func mayRaise(isProven: Bool, now: Instant) -> Bool {
    if !hasChosen || now >= nextRaise { return true }
    return isProven && (!isBackedOff || now - lastLower >= Self.provenBackOff)
  }

  /// Another publication, or a new beginning.
  mutating func reset() { self = LayerHysteresis() }

  /// A first choice, which doesn't count as a raise.
  mutating func chose() { hasChosen = true }

  /// More is forwarded from now on.
  mutating func raised(now: Instant) {
    if let lastRaise, now - lastRaise > Self.memory { backOff = Self.interval }
    lastRaise = now
    nextRaise = now + Self.interval
  }

  /// Less is forwarded from now on.
  mutating func lowered(now: Instant) {
    carried = nil
    if let lastRaise, now - lastRaise < Self.minimumRaise {
      backOff = min(backOff * 2, Self.maximumBackOff)
    } else {
      backOff = Self.interval
    }
    nextRaise = now + backOff
    nextRefinement = now + Self.interval
    lastLower = now
  }
}
