import Basics
import RTC

/// Renumbers one source stream after another into a single outgoing stream: sequence numbers without holes that the
/// source did not have, one continuous time line, continuous PictureIDs and frame numbers.
///
/// Packets lost on the way from the source stay a gap (the receiver asks for them and gets them once they are
/// recovered); gaps of packets that the router left out on purpose are closed. The mapping is kept as a short list of
/// *spans*: from one source sequence number on, everything is shifted by the same amounts and the same layers pass. So
/// a packet costs a comparison, no memory is kept per packet, and both directions can be looked up: late packets find
/// their place, and a NACK finds its source packet.
///
/// An object, of which a packet changes numbers alone: a value in a subscription would be checked for exclusive access
/// as a whole, for each packet.
final class StreamRewriter {
  /// More runs are not kept; the oldest are forgotten. With layers left out each frame may begin a run, so this is
  /// about two seconds.
  static let maximumSpans = 64
  /// How far a packet's number may lie beyond the last one that was sent. A larger gap is closed: nobody waits for so
  /// many packets, and a receiver, who sees 16 bits of the number, would take a gap of 32,768 for one backwards (RFC
  /// 3711 section 3.3.1).
  static let maximumGap: Int64 = 1_000

  private var spans: ContiguousArray<Span> = []
  /// The last of ``spans``, apart from the list, for packets that come in order.
  private var newest: Span?
  /// Counts the sources that were attached.
  private(set) var serial: UInt32 = 0
  private var started = false
  private var highestSource: Int64 = .min
  private var lastPictureID: UInt16 = 0
  private var lastTL0: UInt8 = 0
  private var lastFrameNumber: UInt16 = 0
  private var hasSentFrameNumber = false
  /// The source's PictureID that was left out last; -1 for none.
  private var lastOmitted: Int32 = -1
  /// The highest outgoing sequence number so far.
  private(set) var highestOut: Int64
  /// The highest that was given to a packet; behind ``highestOut`` while what follows a gap is left out.
  private var highestSent: Int64
  /// The newest outgoing timestamp.
  private(set) var lastTimestamp: UInt32
  /// When ``lastTimestamp`` was sent.
  private(set) var lastSent = Instant.zero

  /// A rewriter whose stream begins after `firstSequence` and at `firstTimestamp`; pass random values
  /// (RFC 3550 section 5.1).
  init(firstSequence: UInt16, firstTimestamp: UInt32) {
    highestOut = Int64(firstSequence) &- 1 &+ 0x1_0000
    highestSent = highestOut
    lastTimestamp = firstTimestamp
    spans.reserveCapacity(4)
  }

  /// Whether anything was sent.
  var hasSent: Bool { started }

  /// Whether a source is attached whose packets pass.
  var isRunning: Bool { newest?.serial == serial }

  /// The amount by which timestamps of the newest run are shifted.
  var timestampOffset: UInt32 { newest?.timestampOffset ?? 0 }

  /// The next packet that ``begin(with:now:clockRate:)`` is called for is of another source.
  func detach() {
    serial &+= 1
    highestSource = .min
  }

  /// The next packet is the first that other keys encrypt: its number follows the last one's, with the roll-overs that
  /// it began with, or is 0 where the next one is near. Nothing that was sent before can be looked up any more. Call
  /// ``begin(with:now:clockRate:)`` before the next packet.
  func startOver() {
    highestOut = Int64(Self.first(UInt16(truncatingIfNeeded: highestOut &+ 1))) &+ 0xFFFF
    highestSent = highestOut
    spans.removeAll(keepingCapacity: true)
    newest = nil
    detach()
  }

  /// The first number under new keys of a stream whose next one would be `next`. A receiver that misses all packets up
  /// to a roll-over does not know of it and could read none ever after (RFC 3711 section 3.3.1), so none begins shortly
  /// before one. At most a quarter of all numbers is left out, which no receiver takes for a step back.
  static func first(_ next: UInt16) -> UInt16 { next < 0xC000 ? next : 0 }

  /// The outgoing timestamp for something that happens now: the last one, and what has passed since.
  func timestamp(now: Instant, clockRate: UInt32) -> UInt32 {
    guard started else { return lastTimestamp }
    let elapsed = max(now - lastSent, .zero).nanoseconds
    let ticks = (elapsed / 1_000) &* Int64(clockRate) / 1_000_000
    return lastTimestamp &+ max(UInt32(truncatingIfNeeded: ticks), 1)
  }

  /// Starts a run of another source with `packet`: its numbers follow those of the last packet sent, its time
  /// goes on by what has passed since.
  func begin(with packet: StoredPacket, now: Instant, clockRate: UInt32) {
    begin(with: packet, timestamp: timestamp(now: now, clockRate: clockRate))
  }

  /// Starts a run of another source with `packet` at an outgoing timestamp, which must be later than the last one.
  func begin(with packet: StoredPacket, timestamp: UInt32) {
    append(
      Span(
        source: packet.sequence, out: highestOut &+ 1,
        timestampOffset: timestamp &- packet.timestamp.rawValue,
        pictureOffset: started ? (lastPictureID &+ 1) &- packet.picture.pictureID : 0,
        frameOffset: hasSentFrameNumber ? (lastFrameNumber &+ 1) &- packet.layers.frameNumber : 0,
        tl0Offset: started ? (lastTL0 &+ 1) &- packet.picture.tl0PictureIndex : 0,
        serial: serial))
    highestSource = packet.sequence &- 1
    lastOmitted = -1
  }

  /// Goes on with the same source at `packet` after a pause: the pause leaves no gap in the numbers, and the source's
  /// own time line goes on.
  func resume(with packet: StoredPacket) {
    guard var span = newest, span.serial == serial else { return }
    span.source = packet.sequence
    span.out = highestOut &+ 1
    span.pictureOffset = (lastPictureID &+ 1) &- packet.picture.pictureID
    span.tl0Offset = (lastTL0 &+ 1) &- packet.picture.tl0PictureIndex
    append(span)
    highestSource = packet.sequence &- 1
    lastOmitted = -1
  }

  /// Whether `packet` is newer than all of the running source so far.
  @inline(__always)
  func isNewest(_ packet: StoredPacket) -> Bool { packet.sequence > highestSource }

  /// The numbers for `packet` of the running source, which passes; nil when it comes from before the run began or was
  /// left out.
  @inline(__always)
  func rewrite(_ packet: StoredPacket, now: Instant) -> Numbers? {
    rewrite(packet, .all, now: now)
  }

  /// The same while `selection` holds for the newest packet. A late packet is judged by what held at its place.
  @inline(__always)
  func rewrite(_ packet: StoredPacket, _ selection: LayerSelection, now: Instant) -> Numbers? {
    guard var span = newest, span.serial == serial else { return nil }
    if packet.sequence > highestSource {
      let isFar = isFar(span.out &+ (packet.sequence &- span.source))
      if isFar || span.selection != selection { span = select(selection, from: packet, span, closesGap: isFar) }
      highestSource = packet.sequence
      highestOut = span.out &+ (packet.sequence &- span.source)
      highestSent = highestOut
      let numbers = Self.numbers(packet, span)
      if !started || Int32(truncatingIfNeeded: numbers.timestamp &- lastTimestamp) > 0 {
        lastTimestamp = numbers.timestamp
        lastSent = now
      }
      started = true
      lastPictureID = numbers.pictureID
      lastTL0 = numbers.tl0PictureIndex
      if packet.layers.flags.contains(.hasFrameNumber) {
        hasSentFrameNumber = true
        lastFrameNumber = numbers.frameNumber
      }
      return numbers
    }
    return late(packet)
  }

  /// Leaves `packet` out: a packet that is the newest leaves no gap behind.
  func skip(_ packet: StoredPacket) {
    guard let span = newest, span.serial == serial, packet.sequence > highestSource else { return }
    omit(packet, span)
  }

  /// Leaves out `packet`, the newest, because `selection` does not let it pass. If PictureIDs must run on without holes
  /// (VP8), the next frame gets this one's.
  func skip(_ packet: StoredPacket, _ selection: LayerSelection) {
    guard var span = newest, span.serial == serial, packet.sequence > highestSource else { return }
    span.selection = selection
    if packet.layers.flags.contains(.closesPictures), packet.picture.pictureIDOffset != 0,
      lastOmitted != Int32(packet.picture.pictureID)
    {
      lastOmitted = Int32(packet.picture.pictureID)
      span.pictureOffset &-= 1
    }
    omit(packet, span)
  }

  private func omit(_ packet: StoredPacket, _ current: Span) {
    var span = current
    // Packets between the highest one and this were lost and stay a gap that can still be filled.
    var out = span.out &+ (packet.sequence &- span.source)
    if isFar(out) { out = highestOut &+ 1 }
    highestSource = packet.sequence
    highestOut = out &- 1
    span.source = packet.sequence &+ 1
    span.out = out
    append(span)
  }

  @inline(__always)
  private func isFar(_ out: Int64) -> Bool { out &- highestSent > Self.maximumGap }

  /// Begins a run at `packet` in which other layers pass, or that leaves no gap before it.
  private func select(
    _ selection: LayerSelection, from packet: StoredPacket, _ current: Span, closesGap: Bool
  ) -> Span {
    var span = current
    span.out = closesGap ? highestOut &+ 1 : span.out &+ (packet.sequence &- span.source)
    span.source = packet.sequence
    span.selection = selection
    append(span)
    return span
  }

  /// The source packet that went out under `sequence`, and its outgoing numbers; nil when it is unknown or too old.
  func source(of sequence: SequenceNumber) -> Origin? {
    let highest = UInt16(truncatingIfNeeded: highestOut)
    let distance = Int64(Int16(truncatingIfNeeded: Int(sequence.rawValue) &- Int(highest)))
    guard distance <= 0, started else { return nil }
    let out = highestOut &+ distance
    for span in spans.reversed() where out >= span.out {
      return Origin(source: span.source &+ (out &- span.out), out: out, serial: span.serial)
    }
    return nil
  }

  /// The numbers under which `packet` of the source `serial` went out before; nil when it did not.
  func numbers(of packet: StoredPacket, out: Int64, serial: UInt32) -> Numbers? {
    for span in spans.reversed() where span.serial == serial && packet.sequence >= span.source {
      var numbers = Self.numbers(packet, span)
      numbers.isFiller = !span.selection.admits(packet.layers)
      return numbers.sequence == out ? numbers : nil
    }
    return nil
  }

  private func late(_ packet: StoredPacket) -> Numbers? {
    var limit = Int64.max
    for span in spans.reversed() {
      guard span.serial == serial else { return nil }
      if packet.sequence >= span.source {
        var numbers = Self.numbers(packet, span)
        numbers.isFiller = !span.selection.admits(packet.layers)
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
      frameNumber: packet.layers.frameNumber &+ span.frameOffset,
      tl0PictureIndex: packet.picture.tl0PictureIndex &+ span.tl0Offset)
  }

  private func append(_ span: Span) {
    defer { newest = span }
    // A run that no packet used is replaced, so that a row of left-out packets takes one place.
    if let last = newest, last.serial == span.serial, last.out == span.out, last.source <= span.source,
      highestOut < last.out
    {
      spans[spans.count - 1] = span
      return
    }
    if spans.count == Self.maximumSpans { spans.removeFirst(16) }
    spans.append(span)
  }
}
