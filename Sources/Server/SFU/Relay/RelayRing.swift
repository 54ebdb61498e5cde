internal import Synchronization

/// Records from one thread to another without a lock: one writes, one reads, in a fixed piece of memory.
///
/// Each record lies in one piece, eight bytes before it hold its length. What does not fit is refused, nothing ever
/// waits. A record costs one copy and one release store; the two sides touch each other's counters only when they must
/// know more than they knew.
///
/// The reader may sleep: it says so with ``fallAsleep()``, and whoever wrote something asks ``wakes()`` once a tick
/// whether it has to be woken. Both are one exchange of the same flag, so a record that came in between is never
/// overlooked. In the same way the writer may wait for room: it says so with ``awaitRoom()``, and whoever read
/// something asks ``hasMadeRoom()``.
@safe public final class RelayRing: @unchecked Sendable {
  // Unchecked because: `written`, `knownHead` and `hasNews` are the writer's, `taken`, `knownTail` and `hasTaken` the
  // reader's; the memory between `head` and `tail` is the reader's, the rest the writer's, and both counters are
  // atomic.

  /// Size in bytes, a power of two.
  public let capacity: Int
  public var largestRecord: Int { capacity / 4 - Self.prefix }

  private static let prefix = 8
  /// Stands in place of a length where the rest of the memory is left out.
  private static let skip = UInt32.max

  // Allocated by `init`, freed by `deinit`; every offset is masked to `capacity`.
  private let base: UnsafeMutableRawPointer
  private let mask: Int

  private let tail = Atomic<Int>(0)
  private var written = 0
  private var knownHead = 0
  private var hasNews = false
  // The two sides' fields lie on cache lines of their own.
  private var gap = InlineArray<16, UInt64>(repeating: 0)
  private let head = Atomic<Int>(0)
  private var taken = 0
  private var knownTail = 0
  private var hasTaken = false
  private var secondGap = InlineArray<16, UInt64>(repeating: 0)
  private let asleep = Atomic<Bool>(false)
  private let awaitsRoom = Atomic<Bool>(false)

  /// An empty ring of `capacity` bytes, rounded up to a power of two (at least 4 KiB).
  public init(capacity: Int = 1 << 20) {
    var size = 4_096
    while size < min(capacity, 1 << 30) { size *= 2 }
    self.capacity = size
    mask = size - 1
    unsafe base = .allocate(byteCount: size, alignment: 64)
    unsafe base.initializeMemory(as: UInt8.self, repeating: 0, count: size)
  }

  deinit { unsafe base.deallocate() }

  // MARK: The writer's side

  /// Adds a record of `length` bytes that `body` writes; false when it does not fit, or when fewer than `spare` bytes
  /// would stay free.
  @inline(__always)
  public func write(length: Int, leaving spare: Int = 0, _ body: (inout MutableSpan<UInt8>) -> Void) -> Bool {
    guard length > 0, length <= largestRecord else { return false }
    let size = Self.size(of: length)
    let offset = written & mask
    let room = capacity &- offset
    let needed = (size <= room ? size : room &+ size) &+ spare
    if capacity &- (written &- knownHead) < needed {
      knownHead = head.load(ordering: .acquiring)
      if capacity &- (written &- knownHead) < needed { return false }
    }
    var start = offset
    if size > room {
      setLength(Self.skip, at: offset)
      written &+= room
      start = 0
    }
    setLength(UInt32(truncatingIfNeeded: length), at: start)
    // The record ends before `capacity`, and the reader does not look at it before `tail` says so.
    var span = unsafe MutableSpan<UInt8>(
      _unsafeStart: (base + start + Self.prefix).assumingMemoryBound(to: UInt8.self), count: length)
    body(&span)
    written &+= size
    tail.store(written, ordering: .releasing)
    hasNews = true
    return true
  }

  /// Whether the reader sleeps and has to be woken for what was written since the last call. It is then taken for
  /// awake.
  public func wakes() -> Bool {
    guard hasNews else { return false }
    hasNews = false
    return asleep.exchange(false, ordering: .acquiringAndReleasing)
  }

  /// Says that the writer is about to wait for being woken when there is room. Room that came before is seen by who
  /// tries once more afterwards.
  public func awaitRoom() { _ = awaitsRoom.exchange(true, ordering: .acquiringAndReleasing) }

  // MARK: The reader's side

  /// Gives the oldest record to `body` and removes it; false when there is none.
  @inline(__always)
  public func read(_ body: (Span<UInt8>) -> Void) -> Bool {
    if taken == knownTail {
      knownTail = tail.load(ordering: .acquiring)
      if taken == knownTail { return false }
    }
    var offset = taken & mask
    var length = self.length(at: offset)
    if length == Self.skip {
      // What was left out is published together with the record that comes first in the memory.
      taken &+= capacity &- offset
      offset = 0
      length = self.length(at: 0)
    }
    let count = min(Int(length), capacity &- offset &- Self.prefix)
    // The writer wrote the record before `tail` moved past it, and leaves it alone until `head` does.
    let span = unsafe Span<UInt8>(
      _unsafeStart: (base + offset + Self.prefix).assumingMemoryBound(to: UInt8.self), count: count)
    body(span)
    taken &+= Self.size(of: count)
    head.store(taken, ordering: .releasing)
    hasTaken = true
    return true
  }

  /// Whether there is nothing to read.
  public var isEmpty: Bool {
    taken == knownTail && taken == tail.load(ordering: .acquiring)
  }

  /// Says that the reader is about to wait for being woken; false when there is something to read first.
  public func fallAsleep() -> Bool {
    _ = asleep.exchange(true, ordering: .acquiringAndReleasing)
    if isEmpty { return true }
    _ = asleep.exchange(false, ordering: .acquiringAndReleasing)
    return false
  }

  /// Whether the writer waits for room and has to be woken, since something was read after the last call. It is then
  /// taken for awake.
  public func hasMadeRoom() -> Bool {
    guard hasTaken else { return false }
    hasTaken = false
    return awaitsRoom.exchange(false, ordering: .acquiringAndReleasing)
  }

  /// Says that the reader looks again by itself, so that nobody needs to wake it.
  public func stayAwake() { asleep.store(false, ordering: .relaxed) }

  // MARK: Memory

  @inline(__always)
  private static func size(of length: Int) -> Int { prefix &+ ((length &+ 7) & ~7) }

  @inline(__always)
  private func setLength(_ length: UInt32, at offset: Int) {
    // Offsets are multiples of 8 below `capacity`.
    unsafe base.storeBytes(of: length, toByteOffset: offset, as: UInt32.self)
  }

  @inline(__always)
  private func length(at offset: Int) -> UInt32 {
    // Offsets are multiples of 8 below `capacity`.
    unsafe base.load(fromByteOffset: offset, as: UInt32.self)
  }
}
