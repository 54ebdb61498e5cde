/// SRTP's state of each SSRC of one direction: the highest index and, for receivers, a replay window.
///
/// Flat arrays and open addressing: a look-up is a multiplication and, as a rule, one probe; the last two streams found
/// are tried first. Streams are only ever added (after authentication), so a slot stays valid.
struct SRTPStreamTable {
  /// How far behind the highest index a packet may come, in packets. One 64-bit word of the ring below is always
  /// being reused, hence not all of its 1,024 bits.
  static let windowSize: UInt64 = 960
  private static let windowWords = 16

  /// The place of a packet's index among the received ones.
  enum Verdict { case fresh, replayed, tooOld }

  private var buckets: [Int32]
  private var ssrcs: [UInt32] = []
  private var highest: [UInt64] = []
  private var windows: [UInt64] = []
  private let hasWindows: Bool
  private let seed: UInt64
  private var lastSSRC: UInt32 = 0
  private var formerSSRC: UInt32 = 0
  private var lastSlot: Int = -1
  /// The one found before another: audio and video take turns.
  private var formerSlot: Int = -1

  /// An empty table. `seed` is secret, so that a peer cannot pick SSRCs that collide.
  init(hasWindows: Bool, seed: UInt64) {
    self.hasWindows = hasWindows
    self.seed = seed | 1
    buckets = [Int32](repeating: -1, count: 16)
  }

  /// The number of streams.
  var count: Int { ssrcs.count }

  @inline(__always)
  private func bucket(_ ssrc: UInt32) -> Int {
    let mixed = (UInt64(ssrc) ^ seed) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: (mixed ^ (mixed >> 29)) >> 20) & (buckets.count &- 1)
  }

  /// The slot of `ssrc`, or -1.
  @inline(__always)
  mutating func slot(of ssrc: UInt32) -> Int {
    if lastSlot >= 0, lastSSRC == ssrc { return lastSlot }
    if formerSlot >= 0, formerSSRC == ssrc { return formerSlot }
    var at = bucket(ssrc)
    while true {
      let slot = Int(buckets[at])
      if slot < 0 { return -1 }
      if ssrcs[slot] == ssrc {
        formerSSRC = lastSSRC
        formerSlot = lastSlot
        lastSSRC = ssrc
        lastSlot = slot
        return slot
      }
      at = (at &+ 1) & (buckets.count &- 1)
    }
  }

  /// The highest index of the stream in `slot`.
  @inline(__always)
  func highestIndex(_ slot: Int) -> UInt64 { highest[slot] }

  /// Adds a stream whose first index is `index`. Allocates; the caller has checked its limit.
  @inline(never)
  mutating func insert(_ ssrc: UInt32, index: UInt64) {
    // At most half full, so that a miss ends soon.
    if (ssrcs.count + 1) * 2 > buckets.count {
      let all = ssrcs
      buckets = [Int32](repeating: -1, count: buckets.count * 2)
      for (slot, ssrc) in all.enumerated() { place(ssrc, slot) }
    }
    let slot = ssrcs.count
    ssrcs.append(ssrc)
    highest.append(index)
    if hasWindows {
      windows.append(contentsOf: repeatElement(0, count: Self.windowWords))
      windows[slot * Self.windowWords + Self.word(index)] |= Self.bit(index)
    }
    place(ssrc, slot)
  }

  private mutating func place(_ ssrc: UInt32, _ slot: Int) {
    var at = bucket(ssrc)
    while buckets[at] >= 0 { at = (at &+ 1) & (buckets.count &- 1) }
    buckets[at] = Int32(truncatingIfNeeded: slot)
  }

  @inline(__always)
  private static func word(_ index: UInt64) -> Int { Int(truncatingIfNeeded: index >> 6) & (windowWords &- 1) }
  @inline(__always)
  private static func bit(_ index: UInt64) -> UInt64 { 1 << (index & 63) }

  /// Whether a packet of `index` may be accepted (RFC 3711 section 3.3.2). Changes nothing.
  @inline(__always)
  func check(_ slot: Int, index: UInt64) -> Verdict {
    let top = highest[slot]
    if index > top { return .fresh }
    if top &- index >= Self.windowSize { return .tooOld }
    return windows[slot &* Self.windowWords &+ Self.word(index)] & Self.bit(index) == 0 ? .fresh : .replayed
  }

  /// Notes a packet that was authenticated and that ``check(_:index:)`` called fresh.
  @inline(__always)
  mutating func accept(_ slot: Int, index: UInt64) {
    let base = slot &* Self.windowWords
    let top = highest[slot]
    if index > top {
      // The ring's words between the old and the new top leave the window: clear them for their new indices.
      let steps = min((index >> 6) &- (top >> 6), UInt64(Self.windowWords))
      var step: UInt64 = 0
      while step < steps {
        windows[base &+ Self.word(((index >> 6) &- step) << 6)] = 0
        step &+= 1
      }
      highest[slot] = index
    }
    windows[base &+ Self.word(index)] |= Self.bit(index)
  }

  /// Notes that packets up to `index` were sent in `slot` (-1 for none), and returns the slot of `ssrc` (-1 for none)
  /// and its highest index: together, since each look into the table is checked for exclusive access.
  @inline(__always)
  mutating func change(from slot: Int, index: UInt64, to ssrc: UInt32) -> (slot: Int, highest: UInt64) {
    if slot >= 0 { advance(slot, index: index) }
    let next = self.slot(of: ssrc)
    return (next, next >= 0 ? highest[next] : 0)
  }

  /// Notes that a packet of `index` was sent.
  @inline(__always)
  mutating func advance(_ slot: Int, index: UInt64) {
    if index > highest[slot] { highest[slot] = index }
  }
}
