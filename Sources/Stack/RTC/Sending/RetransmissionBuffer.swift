import Basics

/// The recent packets of one outgoing stream: they wait here for the pacer, and then for a request to send them again
/// (RFC 4588).
///
/// A ring of slots is indexed by sequence number. The payloads lie in one ring of bytes that grows, by doubling and up
/// to a limit, only as the stream's rate demands. Each payload has two bytes of headroom for the original sequence
/// number (RFC 4588 section 4). Adding and finding are constant-time; nothing is allocated once the stream's rate has
/// been seen.
struct RetransmissionBuffer: Sendable {
  /// How much is kept.
  struct Limits: Hashable, Sendable {
    /// Number of slots, a power of two.
    var packets: Int
    /// Most bytes of payload.
    var bytes: Int
    /// Packets older than this may be overwritten before the ring grows.
    var age: TimeSpan

    /// Limits; `packets` is rounded up to a power of two, 64 to 16,384.
    init(packets: Int, bytes: Int, age: TimeSpan) {
      var power = 64
      while power < min(packets, 16_384) { power *= 2 }
      self.packets = power
      self.bytes = max(bytes, 4_096)
      self.age = age
    }
  }

  struct Packet: Hashable, Sendable {
    /// The extended sequence number; negative for an empty slot.
    var sequence: Int64 = -1
    /// The start of the payload, counted from the first byte ever added.
    var position: Int64 = 0
    var length: UInt16 = 0
    var payloadType = PayloadType(rawValue: 0)
    var marker = false
    var isKeyframe = false
    /// RFC 6464, encoded; 0xFF where not measured.
    var audioLevel: UInt8 = 0xFF
    var timestamp = RTPTimestamp(rawValue: 0)
    var added = Instant.zero
    /// Whether it has left for the first time.
    var isSent = false
  }

  /// Bytes in front of each payload.
  static let headroom = 2

  let limits: Limits
  private var slots: ContiguousArray<Packet> = []
  private(set) var bytes: [UInt8] = []
  /// How many bytes have ever been written, skipped ones included.
  private var written: Int64 = 0
  private var newest: Int64 = -1
  /// No packet before this one is whole.
  private var oldest: Int64 = 0

  /// An empty buffer; it takes no memory before the first packet.
  init(limits: Limits) { self.limits = limits }

  /// Bytes allocated for payloads now.
  var allocatedBytes: Int { bytes.count }

  /// Adds `packet` with its payload. False when the payload is longer than the ring may be.
  mutating func append(_ packet: Packet, payload: Span<UInt8>, now: Instant) -> Bool {
    let needed = Self.headroom &+ payload.count
    guard needed <= limits.bytes / 2, payload.count <= 0xFFFF, packet.sequence >= 0 else { return false }
    if slots.isEmpty { slots = ContiguousArray(repeating: Packet(), count: limits.packets) }
    if bytes.isEmpty { bytes = [UInt8](repeating: 0, count: min(limits.bytes, max(16_384, needed &* 2))) }
    while bytes.count < limits.bytes, bytes.count < needed &* 2 || wouldLose(needed, now) { grow() }
    written = start(of: needed)
    var stored = packet
    stored.position = written &+ Int64(Self.headroom)
    stored.length = UInt16(truncatingIfNeeded: payload.count)
    stored.added = now
    let offset = Int(stored.position % Int64(bytes.count))
    var target = bytes.mutableSpan
    for index in payload.indices { target[offset &+ index] = payload[index] }
    written &+= Int64(needed)
    slots[slot(packet.sequence)] = stored
    newest = max(newest, packet.sequence)
    return true
  }

  /// The packet with the extended number `sequence`; nil when it is not, or no longer, here.
  func packet(_ sequence: Int64) -> Packet? {
    guard !slots.isEmpty, sequence >= 0 else { return nil }
    let packet = slots[slot(sequence)]
    return packet.sequence == sequence && isWhole(packet) ? packet : nil
  }

  /// The newest packet whose number on the wire is `number`; nil when it is not here.
  func packet(numbered number: SequenceNumber) -> Packet? {
    guard newest >= 0 else { return nil }
    let distance = number.distance(from: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: newest)))
    return packet(newest &+ Int64(distance))
  }

  /// Notes that the packet has left for the first time.
  mutating func markSent(_ sequence: Int64) {
    guard !slots.isEmpty, sequence >= 0, slots[slot(sequence)].sequence == sequence else { return }
    slots[slot(sequence)].isSent = true
  }

  /// The place of the payload in ``bytes``.
  func range(of packet: Packet) -> Range<Int> {
    let offset = Int(packet.position % Int64(max(bytes.count, 1)))
    return offset..<(offset &+ Int(packet.length))
  }

  /// The place of payload and headroom in ``bytes``, after the original sequence number has been written into the
  /// headroom.
  mutating func retransmissionRange(of packet: Packet) -> Range<Int> {
    let payload = range(of: packet)
    let start = payload.lowerBound &- Self.headroom
    bytes[start] = UInt8(truncatingIfNeeded: packet.sequence >> 8)
    bytes[start &+ 1] = UInt8(truncatingIfNeeded: packet.sequence)
    return start..<payload.upperBound
  }

  /// Forgets everything and frees the memory.
  mutating func removeAll() {
    slots = []
    bytes = []
    written = 0
    newest = -1
    oldest = 0
  }

  private func slot(_ sequence: Int64) -> Int { Int(truncatingIfNeeded: sequence) & (limits.packets &- 1) }

  private func isWhole(_ packet: Packet) -> Bool {
    packet.position &- Int64(Self.headroom) >= written &- Int64(bytes.count)
  }

  /// The place for `needed` bytes in one piece: at the ring's start when they do not fit before its end.
  private func start(of needed: Int) -> Int64 {
    let count = Int64(bytes.count)
    let rest = count &- written % count
    return rest < Int64(needed) ? written &+ rest : written
  }

  /// Whether writing `needed` bytes would overwrite a packet that is still of use. `oldest` only moves on, so the cost
  /// is constant on average.
  private mutating func wouldLose(_ needed: Int, _ now: Instant) -> Bool {
    let end = start(of: needed) &+ Int64(needed)
    guard end > Int64(bytes.count), newest >= 0 else { return false }
    oldest = max(oldest, newest &- Int64(limits.packets) &+ 1)
    while oldest <= newest {
      if let packet = self.packet(oldest) {
        let isLost = packet.position &- Int64(Self.headroom) < end &- Int64(bytes.count)
        return isLost && now - packet.added < limits.age
      }
      oldest &+= 1
    }
    return false
  }

  /// Doubles the ring and moves what is whole to its start, in order.
  private mutating func grow() {
    var larger = [UInt8](repeating: 0, count: min(limits.bytes, bytes.count &* 2))
    var position = 0
    var sequence = max(0, newest &- Int64(limits.packets) &+ 1)
    while sequence <= newest {
      let slot = slot(sequence)
      if let packet = self.packet(sequence) {
        let from = range(of: packet)
        let start = position &+ Self.headroom
        for index in 0..<from.count { larger[start &+ index] = bytes[from.lowerBound &+ index] }
        slots[slot].position = Int64(start)
        position = start &+ from.count
      } else {
        // Positions start again at 0, so overwritten packets must not look whole.
        slots[slot].sequence = -1
      }
      sequence &+= 1
    }
    bytes = larger
    written = Int64(position)
  }
}
