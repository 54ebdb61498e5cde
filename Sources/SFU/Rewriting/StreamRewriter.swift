public import Basics
public import RTC

/// Renumbers one source stream after another into a single outgoing stream: sequence numbers without holes that the
/// source did not have, one continuous time line, continuous picture ids.
///
/// What was lost on the way from the source stays a gap (the receiver asks for it and gets it when it was recovered);
/// what the router left out on purpose is closed. The mapping is kept as a short list of *spans*: from one source
/// sequence number on, everything is shifted by the same amounts. So a packet costs a comparison, no memory is kept per
/// packet, and both directions can be looked up: late packets find their place, and a NACK finds its source packet.
public struct StreamRewriter: Sendable {
  /// A run of packets that share their offsets.
  struct Span: Sendable {
    var source: Int64
    var out: Int64
    var timestampOffset: UInt32
    var pictureOffset: UInt16
    var tl0Offset: UInt8
    /// Which attached source the run belongs to.
    var serial: UInt32
  }

  /// The numbers of one outgoing packet.
  public struct Numbers: Sendable, Hashable {
    /// The outgoing sequence number, extended to 64 bits.
    public var sequence: Int64
    /// The outgoing timestamp.
    public var timestamp: UInt32
    /// The outgoing picture id, 15 bits.
    public var pictureID: UInt16
    /// The outgoing TL0PICIDX.
    public var tl0PictureIndex: UInt8
  }

  /// More runs are not kept; the oldest is forgotten.
  static let maximumSpans = 32

  private var spans: ContiguousArray<Span> = []
  private var serial: UInt32 = 0
  private var started = false
  private var highestSource: Int64 = .min
  private var lastPictureID: UInt16 = 0
  private var lastTL0: UInt8 = 0
  private var lastWasSwitch = false
  /// The highest outgoing sequence number so far.
  public private(set) var highestOut: Int64
  /// The newest outgoing timestamp.
  public private(set) var lastTimestamp: UInt32
  /// When ``lastTimestamp`` was sent.
  public private(set) var lastSent = Instant.zero

  /// A rewriter whose stream begins after `firstSequence` and at `firstTimestamp`; pass random values
  /// (RFC 3550 section 5.1).
  public init(firstSequence: UInt16, firstTimestamp: UInt32) {
    highestOut = Int64(firstSequence) &- 1 &+ 0x1_0000
    lastTimestamp = firstTimestamp
    spans.reserveCapacity(4)
  }

  /// Whether anything was sent.
  public var hasSent: Bool { started }

  /// Whether a source is attached whose packets pass.
  public var isRunning: Bool { spans.last?.serial == serial && !spans.isEmpty }

  /// The amount by which timestamps of the running source are shifted.
  public var timestampOffset: UInt32 { spans.last?.timestampOffset ?? 0 }

  /// The next packet that ``begin(with:now:clockRate:)`` is called for is of another source.
  public mutating func detach() {
    serial &+= 1
    highestSource = .min
  }

  /// Starts a run of another source with `packet`: its numbers follow those of the last packet sent, its time
  /// goes on by what has passed since.
  public mutating func begin(with packet: StoredPacket, now: Instant, clockRate: UInt32) {
    var timestamp = lastTimestamp
    if started {
      let elapsed = max(now - lastSent, .zero).nanoseconds
      let ticks = (elapsed / 1_000) &* Int64(clockRate) / 1_000_000
      timestamp = timestamp &+ max(UInt32(truncatingIfNeeded: ticks), 1)
    }
    append(
      Span(
        source: packet.sequence, out: highestOut &+ 1,
        timestampOffset: timestamp &- packet.timestamp.rawValue,
        pictureOffset: started ? (lastPictureID &+ 1) &- packet.picture.pictureID : 0,
        tl0Offset: started ? (lastTL0 &+ 1) &- packet.picture.tl0PictureIndex : 0,
        serial: serial))
    highestSource = packet.sequence &- 1
  }

  /// Goes on with the same source at `packet` after a pause: the pause leaves no gap in the numbers, and the source's
  /// own time line goes on.
  public mutating func resume(with packet: StoredPacket) {
    guard var span = spans.last, span.serial == serial else { return }
    span.source = packet.sequence
    span.out = highestOut &+ 1
    span.pictureOffset = (lastPictureID &+ 1) &- packet.picture.pictureID
    span.tl0Offset = (lastTL0 &+ 1) &- packet.picture.tl0PictureIndex
    append(span)
    highestSource = packet.sequence &- 1
  }

  /// The numbers for `packet` of the running source; nil when it comes from before the run began or was left out.
  @inline(__always)
  public mutating func rewrite(_ packet: StoredPacket, now: Instant) -> Numbers? {
    guard let span = spans.last, span.serial == serial else { return nil }
    if packet.sequence > highestSource {
      highestSource = packet.sequence
      highestOut = span.out &+ (packet.sequence &- span.source)
      let numbers = Self.numbers(packet, span)
      if !started || Int32(truncatingIfNeeded: numbers.timestamp &- lastTimestamp) > 0 {
        lastTimestamp = numbers.timestamp
        lastSent = now
      }
      started = true
      lastPictureID = numbers.pictureID
      lastTL0 = numbers.tl0PictureIndex
      return numbers
    }
    return late(packet)
  }

  /// Leaves `packet` out: a packet that is the newest leaves no gap behind.
  public mutating func skip(_ packet: StoredPacket) {
    guard var span = spans.last, span.serial == serial, packet.sequence > highestSource else { return }
    // What lies between the highest packet and this one was lost and stays a gap that can still be filled.
    let out = span.out &+ (packet.sequence &- span.source)
    highestSource = packet.sequence
    highestOut = out &- 1
    span.source = packet.sequence &+ 1
    span.out = out
    append(span)
  }

  /// Which source packet went out under `sequence`, and under which numbers; nil when it is unknown, too old or of a source
  /// that is no longer attached.
  public func source(of sequence: SequenceNumber) -> (source: Int64, out: Int64)? {
    let highest = UInt16(truncatingIfNeeded: highestOut)
    let distance = Int64(Int16(truncatingIfNeeded: Int(sequence.rawValue) &- Int(highest)))
    guard distance <= 0, started else { return nil }
    let out = highestOut &+ distance
    var next = Int64.max
    for span in spans.reversed() {
      guard span.serial == serial else { return nil }
      if out >= span.out, out < next { return (span.source &+ (out &- span.out), out) }
      next = span.out
    }
    return nil
  }

  /// The numbers under which `packet` went out before; nil when it did not.
  public func numbers(of packet: StoredPacket, out: Int64) -> Numbers? {
    for span in spans.reversed() where span.serial == serial && packet.sequence >= span.source {
      let numbers = Self.numbers(packet, span)
      return numbers.sequence == out ? numbers : nil
    }
    return nil
  }

  private func late(_ packet: StoredPacket) -> Numbers? {
    var limit = Int64.max
    for span in spans.reversed() {
      guard span.serial == serial else { return nil }
      if packet.sequence >= span.source {
        let numbers = Self.numbers(packet, span)
        // A packet that was left out would take the number of the one after it.
        return numbers.sequence < limit ? numbers : nil
      }
      limit = span.out
    }
    return nil
  }

  @inline(__always)
  private static func numbers(_ packet: StoredPacket, _ span: Span) -> Numbers {
    Numbers(
      sequence: span.out &+ (packet.sequence &- span.source),
      timestamp: packet.timestamp.rawValue &+ span.timestampOffset,
      pictureID: (packet.picture.pictureID &+ span.pictureOffset) & 0x7FFF,
      tl0PictureIndex: packet.picture.tl0PictureIndex &+ span.tl0Offset)
  }

  private mutating func append(_ span: Span) {
    // A run that no packet used is replaced, so that a row of left-out packets takes one place.
    if let last = spans.last, last.serial == span.serial, last.out == span.out, last.source <= span.source,
      highestOut < last.out
    {
      spans[spans.count - 1] = span
      return
    }
    if spans.count == Self.maximumSpans { spans.removeFirst(8) }
    spans.append(span)
  }
}
