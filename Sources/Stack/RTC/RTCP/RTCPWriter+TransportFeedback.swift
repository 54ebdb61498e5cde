/// When a packet arrived, in steps of 250 µs of the receiver's clock, or that it did not.
///
/// Eight bytes, so that a window of them is a flat array.
public struct TransportFeedbackTicks: Hashable, Sendable {
  /// Whole steps since the clock's origin, at least 0; `missing` for a packet that did not arrive.
  @usableFromInline var rawValue: Int64

  /// An arrival `ticks` steps after the clock's origin; earlier ones count as the origin.
  @inlinable public init(ticks: Int64) { rawValue = max(0, ticks) }

  /// The packet did not arrive.
  public static let missing = TransportFeedbackTicks()
  private init() { rawValue = -1 }

  /// Whether the packet arrived.
  @inlinable public var isReceived: Bool { rawValue >= 0 }
}

extension RTCPWriter {
  /// Adds a transport-wide feedback report for as many of `arrivals` as fit, and returns how many that were
  /// (draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3.1).
  ///
  /// Lost packets at the start are reported too. A difference of more than 8.19 s ends the report early; go on with the
  /// rest in another one.
  /// - Parameters:
  ///   - arrivals: one entry for each sequence number from `base` on.
  ///   - feedbackCount: counts one up with each report.
  /// - Throws: ``RTCPError/count`` when nothing in `arrivals` was received,
  ///   ``RTCPError/bufferTooSmall`` when not one status fits.
  @discardableResult public mutating func append(
    transportFeedback arrivals: Span<TransportFeedbackTicks>, base: SequenceNumber, feedbackCount: UInt8,
    sender: SSRC, media: SSRC, into buffer: inout MutableSpan<UInt8>
  ) throws(RTCPError) -> Int {
    var first = 0
    while first < arrivals.count, !arrivals[first].isReceived { first &+= 1 }
    guard first < arrivals.count else { throw .count }
    // The reference time has units of 64 ms: 256 steps.
    let reference = arrivals[first].rawValue >> 8
    var packer = TransportFeedbackPacker(
      reference: reference &<< 8, available: min(arrivals.count, 0xFFFF), arrivals: arrivals)

    let start = length
    guard start &+ 24 <= buffer.count else { throw .bufferTooSmall }
    let chunks = start &+ 20
    var chunkOffset = chunks
    var deltaBytes = 0
    // One status after the other goes into chunks as long as these, their differences and the padding fit.
    while true {
      let room = (buffer.count & ~3) &- (chunkOffset &+ 2 &+ deltaBytes)
      guard let chunk = packer.nextChunk(arrivals, room: room), chunk.deltaBytes <= room else { break }
      buffer.setNetworkUInt16(chunk.bits, at: chunkOffset)
      chunkOffset &+= 2
      deltaBytes &+= chunk.deltaBytes
      packer.accept(chunk)
    }
    let written = packer.index
    guard written > 0 else { throw .bufferTooSmall }

    var offset = chunkOffset
    var last = reference &<< 8
    for index in 0..<written where arrivals[index].isReceived {
      let delta = arrivals[index].rawValue &- last
      last = arrivals[index].rawValue
      if delta >= 0, delta <= 255 {
        buffer[offset] = UInt8(truncatingIfNeeded: delta)
        offset &+= 1
      } else {
        buffer.setNetworkUInt16(UInt16(truncatingIfNeeded: delta), at: offset)
        offset &+= 2
      }
    }
    // Zero bytes up to the boundary: the length field counts them, the reader stops at the last difference.
    while (offset &- start) & 3 != 0 {
      buffer[offset] = 0
      offset &+= 1
    }
    _ = try begin(type: 205, count: 15, bodyLength: offset &- start &- 4, in: &buffer)
    buffer.setNetworkUInt32(sender.rawValue, at: start &+ 4)
    buffer.setNetworkUInt32(media.rawValue, at: start &+ 8)
    buffer.setNetworkUInt16(base.rawValue, at: start &+ 12)
    buffer.setNetworkUInt16(UInt16(truncatingIfNeeded: written), at: start &+ 14)
    buffer.setNetworkUInt24(UInt32(truncatingIfNeeded: reference), at: start &+ 16)
    buffer[start &+ 19] = feedbackCount
    return written
  }
}

/// Chooses the chunks of a transport-wide feedback report, greedily: a run where it covers at least what a
/// vector would, else a vector of 14 one-bit or 7 two-bit symbols. Every chunk but the last covers at least 7
/// statuses, so the choice costs a bounded look ahead.
struct TransportFeedbackPacker {
  /// A chunk, what it covers, and the state after it.
  struct Chunk {
    var bits: UInt16
    var count: Int
    var deltaBytes: Int
    var last: Int64
  }

  /// Statuses put into chunks so far.
  private(set) var index = 0
  private var last: Int64
  private let limit: Int

  init(reference: Int64, available: Int, arrivals: Span<TransportFeedbackTicks>) {
    last = reference
    var limit = 0
    var previous = reference
    while limit < available {
      let arrival = arrivals[limit]
      if arrival.isReceived {
        let delta = arrival.rawValue &- previous
        guard delta >= -0x8000, delta <= 0x7FFF else { break }
        previous = arrival.rawValue
      }
      limit &+= 1
    }
    self.limit = limit
  }

  mutating func accept(_ chunk: Chunk) {
    index &+= chunk.count
    last = chunk.last
  }

  /// The symbol of an arrival after `last`, which it moves on.
  private static func symbol(_ arrival: TransportFeedbackTicks, _ last: inout Int64) -> UInt16 {
    guard arrival.isReceived else { return 0 }
    let delta = arrival.rawValue &- last
    last = arrival.rawValue
    return delta >= 0 && delta <= 255 ? 1 : 2
  }

  /// The best chunk for the statuses from ``index`` on; nil when none is left.
  ///
  /// - Parameter room: the bytes left for differences. A run is cut to it; a vector may need more.
  func nextChunk(_ arrivals: Span<TransportFeedbackTicks>, room: Int) -> Chunk? {
    let remaining = limit &- index
    guard remaining > 0, room >= 0 else { return nil }

    var runLast = last
    let first = Self.symbol(arrivals[index], &runLast)
    let longest = min(remaining, 0x1FFF, first == 0 ? 0x1FFF : max(1, room / Int(first)))
    var run = 1
    while run < longest {
      var next = runLast
      guard Self.symbol(arrivals[index &+ run], &next) == first else { break }
      runLast = next
      run &+= 1
    }
    if run == remaining || run >= (first == 2 ? 7 : 14) {
      return Chunk(
        bits: first << 13 | UInt16(truncatingIfNeeded: run), count: run, deltaBytes: Int(first) &* run,
        last: runLast)
    }

    var one: UInt16 = 0
    var two: UInt16 = 0
    var oneLast = last
    var twoLast = last
    var oneBytes = 0
    var twoBytes = 0
    var allSmall = true
    for position in 0..<min(14, remaining) {
      let symbol = Self.symbol(arrivals[index &+ position], &oneLast)
      if symbol == 2 { allSmall = false }
      one |= (symbol & 1) << UInt16(13 &- position)
      oneBytes &+= Int(symbol)
      if position < 7 {
        two |= symbol << UInt16(12 &- 2 &* position)
        twoBytes = oneBytes
        twoLast = oneLast
      }
    }
    if allSmall {
      return Chunk(bits: 0x8000 | one, count: min(14, remaining), deltaBytes: oneBytes, last: oneLast)
    }
    return Chunk(bits: 0xC000 | two, count: min(7, remaining), deltaBytes: twoBytes, last: twoLast)
  }
}
