/// The TSNs that have arrived (RFC 9260 section 6.2): everything up to ``cumulative``, and ranges beyond it.
///
/// Gap blocks count in 16 bits from the cumulative TSN, so nothing further ahead is accepted; the number of ranges is
/// bounded.
struct SCTPReceivedSequence: Sendable {
  enum Verdict {
    case new
    case duplicate
    case tooFarAhead
    /// New, but it would make one range too many.
    case tooManyGaps
  }

  /// The last TSN without a gap before it.
  private(set) var cumulative: Int64
  /// The TSNs beyond it, ascending and apart.
  private(set) var ranges: [ClosedRange<Int64>] = []
  /// Duplicates since the last SACK, at most ``maximumDuplicates``.
  private(set) var duplicates: [UInt32] = []
  private let maximumRanges: Int

  static let maximumDuplicates = 16
  /// The furthest a TSN may be ahead.
  static let maximumDistance: Int64 = 65_535

  init(initialTSN: UInt32, maximumRanges: Int) {
    cumulative = Int64(initialTSN) &- 1
    self.maximumRanges = max(maximumRanges, 1)
  }

  var hasGaps: Bool { !ranges.isEmpty }

  /// The 64-bit form of a TSN on the wire.
  func unwrap(_ wire: UInt32) -> Int64 { SCTPSerial.unwrap(wire, near: cumulative) }

  /// Whether a TSN is new, known or too far ahead. A binary search.
  func verdict(_ tsn: Int64) -> Verdict {
    if tsn <= cumulative { return .duplicate }
    if tsn &- cumulative > Self.maximumDistance { return .tooFarAhead }
    let index = position(of: tsn)
    if index < ranges.count, ranges[index].contains(tsn) { return .duplicate }
    if tsn == cumulative &+ 1 || ranges.count < maximumRanges { return .new }
    let touchesNext = index < ranges.count && ranges[index].lowerBound == tsn &+ 1
    let touchesPrevious = index > 0 && ranges[index &- 1].upperBound == tsn &- 1
    return touchesNext || touchesPrevious ? .new : .tooManyGaps
  }

  /// Takes note of a TSN for which ``verdict(_:)`` was `new`.
  mutating func insert(_ tsn: Int64) {
    if tsn == cumulative &+ 1 {
      cumulative = tsn
      absorb()
      return
    }
    let index = position(of: tsn)
    let touchesNext = index < ranges.count && ranges[index].lowerBound == tsn &+ 1
    let touchesPrevious = index > 0 && ranges[index &- 1].upperBound == tsn &- 1
    switch (touchesPrevious, touchesNext) {
    case (true, true):
      ranges[index &- 1] = ranges[index &- 1].lowerBound...ranges[index].upperBound
      ranges.remove(at: index)
    case (true, false): ranges[index &- 1] = ranges[index &- 1].lowerBound...tsn
    case (false, true): ranges[index] = tsn...ranges[index].upperBound
    case (false, false): ranges.insert(tsn...tsn, at: index)
    }
  }

  mutating func noteDuplicate(_ wire: UInt32) {
    if duplicates.count < Self.maximumDuplicates { duplicates.append(wire) }
  }

  mutating func clearDuplicates() { duplicates.removeAll(keepingCapacity: true) }

  /// Counts everything up to `tsn` as arrived (RFC 3758 section 3.6).
  mutating func skip(to tsn: Int64) {
    guard tsn > cumulative else { return }
    cumulative = tsn
    let gone = position(of: tsn &+ 1)
    if gone < ranges.count, ranges[gone].lowerBound <= tsn { cumulative = ranges[gone].upperBound }
    ranges.removeAll { $0.upperBound <= cumulative }
    absorb()
  }

  /// The first range that does not lie wholly before `tsn`.
  private func position(of tsn: Int64) -> Int {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low &+ high) / 2
      if ranges[middle].upperBound < tsn { low = middle &+ 1 } else { high = middle }
    }
    return low
  }

  private mutating func absorb() {
    if let first = ranges.first, first.lowerBound == cumulative &+ 1 {
      cumulative = first.upperBound
      ranges.removeFirst()
    }
  }
}
