public import Basics
import RTC

/// The recent packets of one source stream, kept once for all its subscribers: forwarding reads from here, and so do
/// retransmissions.
///
/// A fixed ring of slots is indexed by sequence number; the bytes lie in chunks that are allocated only as the
/// stream's rate demands and reused in turn, so memory follows the bit rate and never exceeds ``Limits/bytes``.
/// A packet is found in constant time, and nothing is allocated once the stream's rate has been seen.
///
/// Around each payload there is room for what a receiver's copy needs in front (the original sequence number of
/// RFC 4588) and behind (RTP padding), so that a copy is encrypted straight out of the store.
public final class RetransmissionStore {
  /// How much a store may hold.
  public struct Limits: Sendable {
    /// Number of slots, a power of two.
    public var packets: Int
    /// Size of one chunk in bytes.
    public var chunkBytes: Int
    public var chunks: Int
    /// Older packets need not be kept: their chunk is reused before a new one is allocated.
    public var age: TimeSpan

    /// At most this many bytes of packets.
    public var bytes: Int { chunkBytes * chunks }

    /// Video: 1 s at up to 1 MiB.
    public static let video = Limits(packets: 512, chunkBytes: 65_536, chunks: 16, age: .seconds(1))
    /// Audio: 128 packets in at most 64 KiB.
    public static let audio = Limits(packets: 128, chunkBytes: 16_384, chunks: 4, age: .seconds(1))

    /// Limits of the given sizes; `packets` is rounded up to a power of two.
    public init(packets: Int, chunkBytes: Int, chunks: Int, age: TimeSpan) {
      var slots = 16
      while slots < min(packets, 16_384) { slots *= 2 }
      self.packets = slots
      self.chunkBytes = max(chunkBytes, 4_096)
      self.chunks = max(chunks, 2)
      self.age = age
    }
  }

  /// The fate of an offered packet.
  public enum Insertion: Sendable {
    /// It is kept in this slot.
    case stored(slot: Int)
    /// It was there before.
    case duplicate
    /// It is older than anything the ring can hold.
    case tooOld
    /// It does not fit a chunk.
    case tooLarge
  }

  /// Bytes left free in front of a payload: the original sequence number (RFC 4588 section 4).
  static let headroom = 2
  /// Bytes left free behind a payload: padding that evens out a burst.
  static let tailroom = 56

  private let limits: Limits
  private let mask: Int64
  private var slots: FixedTable<StoredPacket>? { didSet { table = BorrowedReference(slots) } }
  /// ``slots``, for packets that are inserted.
  private var table = BorrowedReference<FixedTable<StoredPacket>>(nil)
  private var chunks: ContiguousArray<ByteBlock> = []
  // Of each chunk how often it was reused, and when the newest of its packets came.
  private let generations: FixedTable<UInt32>
  private let newestArrivals: FixedTable<Instant>
  private var chunk = -1
  private var used = 0
  private var highest: Int64 = .min

  /// An empty store; it takes no memory for packets before the first one.
  public init(limits: Limits) {
    self.limits = limits
    self.mask = Int64(limits.packets - 1)
    generations = FixedTable(repeating: 0, count: limits.chunks)
    newestArrivals = FixedTable(repeating: .zero, count: limits.chunks)
  }

  /// Number of slots: packets whose sequence numbers differ by a multiple of it take the same one.
  var capacity: Int { limits.packets }

  /// Bytes that are allocated for packets now.
  public var allocatedBytes: Int { chunks.count * limits.chunkBytes }

  /// Keeps a packet: `packet` says what is known about it, the spans are its dependency descriptor (may be empty)
  /// and its payload without padding. Cost: one copy of the bytes.
  public func insert(
    _ packet: StoredPacket, descriptor: Span<UInt8>, payload: Span<UInt8>
  ) -> Insertion {
    if table.isNil { allocateSlots() }
    return table.use { insert(packet, descriptor: descriptor, payload: payload, into: $0) } ?? .tooLarge
  }

  @inline(__always)
  private func insert(
    _ packet: StoredPacket, descriptor: Span<UInt8>, payload: Span<UInt8>, into slots: FixedTable<StoredPacket>
  ) -> Insertion {
    let sequence = packet.sequence
    if highest != .min, sequence <= highest &- Int64(limits.packets) { return .tooOld }
    let slot = Int(sequence & mask)
    if slots[slot].sequence == sequence { return .duplicate }
    if slots[slot].sequence > sequence { return .tooOld }
    let needed = descriptor.count + Self.headroom + payload.count + Self.tailroom
    guard needed <= limits.chunkBytes, payload.count <= 0xFFFF, descriptor.count <= 0xFF else { return .tooLarge }
    if chunk < 0 || used + needed > limits.chunkBytes { nextChunk(packet.arrival) }

    var stored = packet
    stored.chunk = UInt16(truncatingIfNeeded: chunk)
    stored.generation = generations[chunk]
    stored.descriptorLength = UInt16(truncatingIfNeeded: descriptor.count)
    stored.payloadLength = UInt16(truncatingIfNeeded: payload.count)
    stored.offset = UInt32(truncatingIfNeeded: used + descriptor.count + Self.headroom)
    if descriptor.count > 0 { chunks[chunk].copy(descriptor, to: used) }
    chunks[chunk].copy(payload, to: used + descriptor.count + Self.headroom)
    // Old bytes must not leave as padding.
    chunks[chunk].clear((used + needed - Self.tailroom)..<(used + needed))
    used += needed
    newestArrivals[chunk] = packet.arrival
    slots[slot] = stored
    if sequence > highest { highest = sequence }
    return .stored(slot: slot)
  }

  /// The slot of the packet with the extended sequence number `sequence`, nil when it is not (or no longer) here.
  @inline(__always)
  public func slot(of sequence: Int64) -> Int? {
    guard let slots else { return nil }
    let slot = Int(sequence & mask)
    guard slots[slot].sequence == sequence, isCurrent(slots[slot]) else { return nil }
    return slot
  }

  /// The packet in `slot`, which must come from ``insert(_:descriptor:payload:)`` or ``slot(of:)``.
  @inline(__always)
  public subscript(slot: Int) -> StoredPacket { slots?[slot] ?? StoredPacket() }

  /// Sets to what length forwarded copies of the packet in `slot` are padded; at most `tailroom` more than it has.
  func setPaddedLength(_ length: UInt16, slot: Int) { slots?[slot].paddedLength = length }

  /// Whether the packet's bytes are still there.
  @inline(__always)
  func isCurrent(_ packet: StoredPacket) -> Bool {
    Int(packet.chunk) < chunks.count && generations[Int(packet.chunk)] == packet.generation
  }

  /// Forgets everything and frees the memory.
  public func removeAll() {
    slots = nil
    chunks = []
    chunk = -1
    used = 0
    highest = .min
  }

  /// Bytes of the chunk that holds `packet`; its payload begins at the packet's offset. Nothing may be inserted while
  /// the span is in use.
  @inline(__always)
  @_lifetime(borrow self)
  func span(_ range: Range<Int>, of packet: StoredPacket) -> Span<UInt8> {
    // Chunks are freed with the store or by `removeAll()`, so the span may depend on the store. Depending on the chunk,
    // it would have to own it: a retain and a release for each packet.
    let bytes = unsafe chunks[Int(packet.chunk)].pointer(range)
    return unsafe _overrideLifetime(Span(_unsafeElements: bytes), borrowing: self)
  }

  /// One byte of the payload.
  @inline(__always)
  func byte(at offset: Int, of packet: StoredPacket) -> UInt8 {
    chunks[Int(packet.chunk)][Int(packet.offset) &+ offset]
  }

  /// Overwrites one byte at `offset` from the start of the packet's payload (negative: in its headroom).
  @inline(__always)
  func setByte(_ value: UInt8, at offset: Int, of packet: StoredPacket) {
    chunks[Int(packet.chunk)][Int(packet.offset) &+ offset] = value
  }

  private func allocateSlots() {
    // Below every number: nothing is kept there yet.
    var nothing = StoredPacket()
    nothing.sequence = .min
    slots = FixedTable(repeating: nothing, count: limits.packets)
  }

  /// Moves to a chunk whose packets are no longer needed; allocates one only when all are.
  private func nextChunk(_ now: Instant) {
    used = 0
    if !chunks.isEmpty {
      let next = (chunk + 1) % chunks.count
      if chunks.count >= limits.chunks || (chunks.count > 1 && now - newestArrivals[next] > limits.age) {
        chunk = next
        generations[next] &+= 1
        newestArrivals[next] = now
        return
      }
    }
    // Inserted behind the current chunk, so that the order of reuse stays the order of age. Assigned as a whole, since
    // an array that is changed in place is checked for exclusive access by who reads it, for each packet.
    chunks = chunks + [ByteBlock(count: limits.chunkBytes)]
    chunk = chunks.count - 1
    generations[chunk] = 0
    newestArrivals[chunk] = now
  }
}
