public import Basics

/// When packets arrived, by transport-wide sequence number (draft-holmer-rmcat-transport-wide-cc-extensions-01 section
/// 3.1).
public struct TransportFeedback: Hashable, Sendable {
  /// The SSRC of the reporting receiver (draft-holmer-rmcat-transport-wide-cc-extensions-01).
  public let senderSSRC: SSRC
  /// A stream of the transport; its value means nothing.
  public let mediaSSRC: SSRC
  /// The number of the first packet reported on.
  public let baseSequence: SequenceNumber
  /// How many packets it reports on, received or not: 1 to 65,535.
  public let statusCount: Int
  /// The time that the first difference adds to, in units of 64 ms, signed 24 bits; the receiver chose its origin.
  public let referenceTime: Int32
  /// The report's number, wrapping; a gap shows that a report was lost.
  public let feedbackCount: UInt8
  let chunks: Int
  let deltas: Int
  let end: Int

  /// Checks that the chunks hold all statuses and the rest all differences. Cost: one step per two bytes of chunks.
  init(body: Range<Int>, in datagram: Span<UInt8>) throws(RTCPError) {
    guard body.count >= 18 else { throw .malformed }
    let start = body.lowerBound
    senderSSRC = SSRC(rawValue: datagram.networkUInt32(at: start))
    mediaSSRC = SSRC(rawValue: datagram.networkUInt32(at: start &+ 4))
    baseSequence = SequenceNumber(rawValue: datagram.networkUInt16(at: start &+ 8))
    statusCount = Int(datagram.networkUInt16(at: start &+ 10))
    referenceTime = Int32(bitPattern: datagram.networkUInt24(at: start &+ 12) << 8) >> 8
    feedbackCount = datagram[start &+ 15]
    chunks = start &+ 16
    end = body.upperBound

    guard statusCount > 0 else { throw .malformed }
    var remaining = statusCount
    var offset = chunks
    var deltaBytes = 0
    while remaining > 0 {
      guard offset &+ 2 <= end else { throw .malformed }
      let chunk = TransportFeedbackChunk(datagram.networkUInt16(at: offset), remaining: remaining)
      guard let size = chunk.deltaBytes, chunk.count > 0 else { throw .malformed }
      deltaBytes &+= size
      remaining &-= chunk.count
      offset &+= 2
    }
    guard deltaBytes <= end &- offset else { throw .malformed }
    deltas = offset
  }

  /// An iterator over the packets that arrived, in the order of their numbers. A number that it leaves out did not
  /// arrive.
  ///
  /// Runs of lost packets are passed over in one step, so the work is bounded by the length of the packet, not by
  /// ``statusCount``.
  public var arrivals: TransportFeedbackIterator { TransportFeedbackIterator(self) }
}

/// A packet that arrived.
public struct TransportFeedbackArrival: Hashable, Sendable {
  /// Its transport-wide sequence number.
  public let sequenceNumber: SequenceNumber
  /// When it arrived, in 250 µs since the report's reference time; may be negative.
  public let ticks: Int32

  /// When it arrived, since the report's reference time.
  public var sinceReference: TimeSpan { TimeSpan.microseconds(Int64(ticks) &* 250) }
}

/// One packet status chunk (section 3.1.3 and 3.1.4).
struct TransportFeedbackChunk {
  let bits: UInt16
  /// How many statuses it holds, cut to what the report needs.
  let count: Int

  init(_ bits: UInt16, remaining: Int) {
    self.bits = bits
    let capacity = bits & 0x8000 == 0 ? Int(bits & 0x1FFF) : bits & 0x4000 == 0 ? 14 : 7
    count = min(capacity, remaining)
  }

  /// 0 lost, 1 small difference, 2 large or negative difference, 3 reserved.
  func symbol(at index: Int) -> UInt8 {
    if bits & 0x8000 == 0 { return UInt8(truncatingIfNeeded: bits >> 13 & 3) }
    if bits & 0x4000 == 0 { return UInt8(truncatingIfNeeded: bits >> UInt16(13 &- index) & 1) }
    return UInt8(truncatingIfNeeded: bits >> UInt16(12 &- 2 &* index) & 3)
  }

  /// Whether all its statuses are "lost".
  var isEmpty: Bool { bits & 0x8000 == 0 ? bits & 0x6000 == 0 : bits & 0x3FFF == 0 }

  /// The bytes of differences that belong to it; nil when it holds the reserved symbol.
  var deltaBytes: Int? {
    if bits & 0x8000 == 0 {
      let symbol = symbol(at: 0)
      return symbol == 3 ? nil : Int(symbol) &* count
    }
    var total = 0
    for index in 0..<count {
      let symbol = symbol(at: index)
      if symbol == 3 { return nil }
      total &+= Int(symbol)
    }
    return total
  }
}

/// Walks the arrivals of a transport-wide feedback report.
public struct TransportFeedbackIterator: Sendable {
  private var sequence: SequenceNumber
  private var remaining: Int
  private var chunkOffset: Int
  private var deltaOffset: Int
  private let end: Int
  private var ticks: Int32 = 0
  private var bits: UInt16 = 0
  private var chunkCount = 0
  private var chunkIndex = 0

  init(_ feedback: TransportFeedback) {
    sequence = feedback.baseSequence
    remaining = feedback.statusCount
    chunkOffset = feedback.chunks
    deltaOffset = feedback.deltas
    end = feedback.end
  }

  /// The next packet that arrived; nil after the last one.
  public mutating func next(in datagram: Span<UInt8>) -> TransportFeedbackArrival? {
    guard end <= datagram.count else { return nil }
    while true {
      if chunkIndex == chunkCount {
        guard remaining > 0, chunkOffset &+ 2 <= end else { return nil }
        let chunk = TransportFeedbackChunk(
          datagram.networkUInt16(at: chunkOffset), remaining: remaining)
        chunkOffset &+= 2
        remaining &-= chunk.count
        if chunk.isEmpty {
          sequence = sequence.advanced(by: chunk.count)
          continue
        }
        bits = chunk.bits
        chunkCount = chunk.count
        chunkIndex = 0
        continue
      }
      let symbol = TransportFeedbackChunk(bits, remaining: chunkCount).symbol(at: chunkIndex)
      let number = sequence
      chunkIndex &+= 1
      sequence = sequence.advanced(by: 1)
      switch symbol {
      case 1:
        guard deltaOffset < end else { return nil }
        ticks &+= Int32(datagram[deltaOffset])
        deltaOffset &+= 1
      case 2:
        guard deltaOffset &+ 2 <= end else { return nil }
        ticks &+= Int32(Int16(bitPattern: datagram.networkUInt16(at: deltaOffset)))
        deltaOffset &+= 2
      default: continue
      }
      return TransportFeedbackArrival(sequenceNumber: number, ticks: ticks)
    }
  }
}
