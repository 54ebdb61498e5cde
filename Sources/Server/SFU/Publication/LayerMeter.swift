import Basics

/// The rates of one stream's layers, measured over about a second in two halves. Fixed size; a packet costs an
/// addition.
struct LayerMeter: Sendable {
  /// Half of what is measured over.
  static let half = TimeSpan.milliseconds(500)
  /// For this long what is measured is less than what comes.
  static let youth = TimeSpan.seconds(3)
  /// The overhead of RTP, SRTP, UDP and IP for a payload, about: 12 + 16 of extensions, 16, 8 and 20.
  static let overhead = 72
  private static let width = Int(PacketLayers.maximum) + 1

  private var bytes = InlineArray<16, UInt32>(repeating: 0)
  private var oldBytes = InlineArray<16, UInt32>(repeating: 0)
  private var pictures = InlineArray<4, UInt16>(repeating: 0)
  private var oldPictures = InlineArray<4, UInt16>(repeating: 0)
  private var start = Instant.zero
  /// When the stream began, or began anew after a gap.
  private var began = Instant.zero
  /// How long the old half was; nil without one.
  private var oldSpan: TimeSpan?
  /// Whether each cell holds all that its layer needs, not the layer alone.
  private var isCumulative = false
  /// Counts the halves; a new one brings new rates.
  private(set) var epoch: UInt32 = 0
  private var startsOver = false

  /// The stream has other layers from the next packet on: what was measured says nothing of what comes.
  mutating func startOver() { startsOver = true }

  /// Counts a packet of `payload` bytes for its own layer.
  @inline(__always)
  mutating func count(_ layers: PacketLayers, payload: Int, endsPicture: Bool, now: Instant) {
    turn(now, cumulative: false)
    let cell = Int(layers.spatial & 3) &* Self.width &+ Int(layers.temporal & 3)
    bytes[cell] &+= UInt32(truncatingIfNeeded: payload &+ Self.overhead)
    if endsPicture { pictures[Int(layers.temporal & 3)] &+= 1 }
  }

  /// Counts a packet of `payload` bytes for each cell of `cells` (bit 4·spatial + temporal): the layers that need it.
  mutating func count(cells: UInt16, _ layers: PacketLayers, payload: Int, endsPicture: Bool, now: Instant) {
    turn(now, cumulative: true)
    var rest = cells
    while rest != 0 {
      let cell = rest.trailingZeroBitCount
      rest &= rest &- 1
      bytes[cell] &+= UInt32(truncatingIfNeeded: payload &+ Self.overhead)
    }
    if endsPicture { pictures[Int(layers.temporal & 3)] &+= 1 }
  }

  /// Whether a layer has arrived lately.
  func arrives(spatial: Int, temporal: Int) -> Bool {
    let cell = spatial &* Self.width &+ temporal
    return bytes[cell] > 0 || oldBytes[cell] > 0
  }

  /// The rate of the layer and all that it needs.
  func rate(spatial: Int, temporal: Int, now: Instant) -> DataRate {
    var sum: Int64 = 0
    for lower in 0...spatial {
      for slower in 0...temporal where !isCumulative || (lower == spatial && slower == temporal) {
        let cell = lower &* Self.width &+ slower
        sum &+= Int64(bytes[cell]) &+ (oldSpan == nil ? 0 : Int64(oldBytes[cell]))
      }
    }
    return DataRate(bitsPerSecond: sum &* 8_000 / max(span(now).milliseconds, 1))
  }

  /// The frame rate with the temporal layers up to one.
  func frameRate(temporal: Int, now: Instant) -> Double {
    var sum = 0
    for layer in 0...min(temporal, 3) { sum &+= Int(pictures[layer]) &+ (oldSpan == nil ? 0 : Int(oldPictures[layer])) }
    return Double(sum) / span(now).seconds
  }

  /// Whether frame rates can be told: half a second of pictures has been counted, and they come still.
  func hasRates(now: Instant) -> Bool { oldSpan != nil && !isStale(now: now) }

  /// Whether nothing has been counted for so long that what was measured says nothing.
  func isStale(now: Instant) -> Bool { now - start > Self.half * 5 }

  /// Whether the stream has begun lately. Its rate is still that of its first packets, and encoders take seconds to
  /// come to theirs.
  func isYoung(now: Instant) -> Bool { now - began < Self.youth }

  private func span(_ now: Instant) -> TimeSpan {
    // A stream that has just begun has sent a keyframe above all; spread over less it would look too large.
    max((oldSpan ?? .zero) + (now - start), Self.half)
  }

  @inline(__always)
  private mutating func turn(_ now: Instant, cumulative: Bool) {
    if now - start >= Self.half || cumulative != isCumulative || startsOver { roll(now, cumulative) }
  }

  private mutating func roll(_ now: Instant, _ cumulative: Bool) {
    let isNext = now - start < Self.half * 2 && cumulative == isCumulative && !startsOver
    startsOver = false
    if !isNext { began = now }
    oldBytes = isNext ? bytes : InlineArray(repeating: 0)
    oldPictures = isNext ? pictures : InlineArray(repeating: 0)
    oldSpan = isNext ? now - start : nil
    bytes = InlineArray(repeating: 0)
    pictures = InlineArray(repeating: 0)
    isCumulative = cumulative
    start = now
    epoch &+= 1
  }
}
