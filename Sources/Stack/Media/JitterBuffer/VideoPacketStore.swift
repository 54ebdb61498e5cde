import Basics
import RTC

/// Keeps packets of one video stream by sequence number, and finds the frames that are complete.
///
/// The codec's descriptor marks the start of a frame (VP8: S and PID, VP9: B). For codecs without one it is the packet
/// before: it ends a frame or has another timestamp. A frame ends with the marker. Packets of padding only are
/// transparent: they are present, and pass on the marks of the packet before them.
///
/// Cost: constant per packet on average: each packet's place in its frame is found out once. Memory: 64 bytes a place
/// (256 places at first), and the payloads, whose buffers are used again.
struct VideoPacketStore: Sendable {
  /// The marks of one packet by itself.
  struct Marks: OptionSet, Sendable {
    let rawValue: UInt16
    /// It ends a superframe.
    static let ends = Marks(rawValue: 1)
    /// It starts a superframe, whatever came before.
    static let starts = Marks(rawValue: 2)
    /// It starts a superframe if the packet before ended one.
    static let mayStart = Marks(rawValue: 4)
    /// Decoding can start with its superframe.
    static let isKey = Marks(rawValue: 8)
    static let isPadding = Marks(rawValue: 16)
    /// It was sent again.
    static let isRetransmission = Marks(rawValue: 32)
    /// H.264: a parameter set of either kind.
    static let hasSPS = Marks(rawValue: 64)
    static let hasPPS = Marks(rawValue: 128)
    /// H.264: other frames may refer to it.
    static let isReference = Marks(rawValue: 256)
    /// H.264: a unit goes on behind it.
    static let isOpen = Marks(rawValue: 512)
    /// The first packet of a frame that was reported.
    static let isReported = Marks(rawValue: 1_024)
    /// Padding whose predecessor is known.
    static let isAttached = Marks(rawValue: 2_048)
  }

  struct Slot: Sendable {
    var sequence = Int64.min
    /// The first packet of the frame that it belongs to; `.min` while that is not known.
    var first = Int64.min
    var timestamp: UInt32 = 0
    var buffer: Int32 = -1
    /// How many bytes of dependency descriptor precede the payload in the buffer.
    var descriptorLength: UInt16 = 0
    var marks: Marks = []
    var arrival = Instant.zero
  }

  /// The result of inserting a packet.
  enum Insertion: Hashable, Sendable {
    case stored
    case duplicate
    /// There is no place: drop something and try again.
    case full
  }

  private let maximumPackets: Int
  private let maximumBytes: Int
  private var slots: [Slot]
  private var buffers: [[UInt8]] = []
  private var freeBuffers: [Int32] = []
  /// Bytes kept now.
  private(set) var byteCount = 0
  private(set) var packetCount = 0
  /// The highest number kept or released.
  private(set) var highest: Int64?
  /// A frame is known to start here: where the last one ended.
  var boundary: Int64?
  /// Whether this sender sets markers. Once it did, a frame without one was cut off.
  private var hasMarkers = false
  /// Frames that have become complete, for the owner to take: first and last number.
  var completed: [ClosedRange<Int64>] = []

  init(maximumPackets: Int, maximumBytes: Int) {
    var size = 64
    while size < min(maximumPackets, 1 << 16) { size *= 2 }
    self.maximumPackets = size
    self.maximumBytes = maximumBytes
    slots = [Slot](repeating: Slot(), count: min(256, size))
  }

  private func place(_ sequence: Int64) -> Int { Int(sequence & Int64(slots.count &- 1)) }

  /// The packet with the number; nil when it is not here.
  func slot(_ sequence: Int64) -> Slot? {
    let slot = slots[place(sequence)]
    return slot.sequence == sequence ? slot : nil
  }

  /// Lends the payload of a packet to `body`, and its dependency descriptor's length; nil when the packet is not here.
  func withPayload<Result>(_ sequence: Int64, _ body: (Span<UInt8>) -> Result) -> Result? {
    guard let slot = slot(sequence), slot.buffer >= 0 else { return nil }
    let buffer = buffers[Int(slot.buffer)]
    let bytes = buffer.span
    return body(bytes.extracting(Int(slot.descriptorLength)..<bytes.count))
  }

  /// Lends the dependency descriptor of a packet to `body`; nil when it has none.
  func withDescriptor<Result>(_ sequence: Int64, _ body: (Span<UInt8>) -> Result) -> Result? {
    guard let slot = slot(sequence), slot.buffer >= 0, slot.descriptorLength > 0 else { return nil }
    let buffer = buffers[Int(slot.buffer)]
    let bytes = buffer.span
    return body(bytes.extracting(0..<Int(slot.descriptorLength)))
  }

  /// Keeps a packet and appends the frames that it completes to ``completed``.
  mutating func insert(
    _ packet: ReceivedPacket, marks: Marks, payload: Span<UInt8>, descriptor: Span<UInt8>?
  ) -> Insertion {
    let sequence = packet.sequence
    while slots[place(sequence)].sequence != .min {
      if slots[place(sequence)].sequence == sequence { return .duplicate }
      guard slots.count < maximumPackets else { return .full }
      grow()
    }
    var size = payload.count
    // The largest descriptor there is has some 200 bytes; a header extension can have 255.
    if let descriptor, descriptor.count <= 255 { size &+= descriptor.count }
    guard byteCount &+ size <= maximumBytes else { return .full }
    var slot = Slot()
    slot.sequence = sequence
    slot.timestamp = packet.timestamp.rawValue
    slot.marks = marks
    slot.arrival = packet.arrival
    if !marks.contains(.isPadding) {
      if marks.contains(.ends) { hasMarkers = true }
      let buffer = freeBuffers.popLast() ?? Int32(truncatingIfNeeded: buffers.count)
      if Int(buffer) == buffers.count { buffers.append([]) }
      if let descriptor, descriptor.count <= 255 {
        slot.descriptorLength = UInt16(truncatingIfNeeded: descriptor.count)
        buffers[Int(buffer)].append(copying: descriptor)
      }
      buffers[Int(buffer)].append(copying: payload)
      slot.buffer = buffer
      byteCount &+= size
    }
    slots[place(sequence)] = slot
    packetCount &+= 1
    highest = max(highest ?? sequence, sequence)
    propagate(from: sequence)
    return .stored
  }

  /// Whether a packet below `sequence` is kept. Looks at every place.
  func hasPackets(below sequence: Int64) -> Bool {
    slots.contains { $0.sequence != .min && $0.sequence < sequence }
  }

  /// Forgets all packets of `range`, which must not be longer than the store.
  mutating func release(_ range: Range<Int64>) {
    guard packetCount > 0 else { return }
    if range.upperBound &- range.lowerBound > Int64(slots.count) {
      for index in slots.indices where range.contains(slots[index].sequence) { release(at: index) }
      return
    }
    for sequence in range where slots[place(sequence)].sequence == sequence { release(at: place(sequence)) }
  }

  /// Forgets all packets below `sequence`.
  mutating func releaseAll(below sequence: Int64) {
    for index in slots.indices where slots[index].sequence != .min && slots[index].sequence < sequence {
      release(at: index)
    }
  }

  mutating func removeAll() {
    for index in slots.indices where slots[index].sequence != .min { release(at: index) }
    completed.removeAll(keepingCapacity: true)
    highest = nil
    boundary = nil
    hasMarkers = false
  }

  private mutating func release(at index: Int) {
    let buffer = Int(slots[index].buffer)
    slots[index] = Slot()
    packetCount &-= 1
    guard buffer >= 0 else { return }
    byteCount &-= buffers[buffer].count
    // A very large buffer is not kept, or a few of them would hold much memory permanently.
    buffers[buffer].removeAll(keepingCapacity: buffers[buffer].capacity <= 2_048)
    freeBuffers.append(Int32(truncatingIfNeeded: buffer))
  }

  private mutating func grow() {
    let old = slots
    slots = [Slot](repeating: Slot(), count: old.count * 2)
    for slot in old where slot.sequence != .min { slots[place(slot.sequence)] = slot }
  }

  /// Finds out what the packet, and then those behind it, now know about their frames.
  private mutating func propagate(from sequence: Int64) {
    var next = sequence
    while slots[place(next)].sequence == next {
      guard evaluate(next) || next == sequence else { return }
      next &+= 1
    }
  }

  /// The state after the packet before: whether it ended a frame, its timestamp, and its frame's first packet. nil
  /// while that is not known.
  private func previous(_ sequence: Int64) -> (ended: Bool, slot: Slot)? {
    if sequence == boundary { return (true, Slot()) }
    let slot = slots[place(sequence &- 1)]
    guard slot.sequence == sequence &- 1 else { return nil }
    if slot.marks.contains(.isPadding), !slot.marks.contains(.isAttached) { return nil }
    return (slot.marks.contains(.ends), slot)
  }

  /// Whether anything new is known about the packet.
  private mutating func evaluate(_ sequence: Int64) -> Bool {
    let index = place(sequence)
    var slot = slots[index]
    let previous = previous(sequence)
    if slot.marks.contains(.isPadding) {
      guard let previous else { return false }
      var next = slot
      next.marks = previous.ended ? [.isPadding, .isAttached, .ends] : [.isPadding, .isAttached]
      if previous.slot.marks.contains(.isOpen) { next.marks.insert(.isOpen) }
      next.first = previous.slot.first
      next.timestamp = previous.slot.sequence == .min ? slot.timestamp : previous.slot.timestamp
      guard next.marks != slot.marks || next.first != slot.first else { return false }
      slots[index] = next
      return true
    }
    guard slot.first == .min else { return false }
    if slot.marks.contains(.starts) {
      slot.first = sequence
    } else if let previous {
      if previous.ended || previous.slot.timestamp != slot.timestamp {
        guard slot.marks.contains(.mayStart) else { return false }
        slot.first = sequence
      } else {
        guard previous.slot.first != .min else { return false }
        slot.first = previous.slot.first
      }
    } else {
      return false
    }
    slots[index] = slot
    if slot.first == sequence, let previous, !previous.ended, !hasMarkers, previous.slot.first != .min,
      !previous.slot.marks.contains(.isOpen)
    {
      // RFC 6184 section 5.1: the marker is a hint that some senders do not give; then another timestamp ends the
      // picture.
      complete(previous.slot.first...(sequence &- 1))
    }
    if slot.marks.contains(.ends) { complete(slot.first...sequence) }
    return true
  }

  private mutating func complete(_ range: ClosedRange<Int64>) {
    let index = place(range.lowerBound)
    guard slots[index].sequence == range.lowerBound, !slots[index].marks.contains(.isReported) else { return }
    slots[index].marks.insert(.isReported)
    completed.append(range)
  }
}
