public import Basics
internal import CLinux
internal import Glibc

/// The outgoing media of one tick: memory into which packets are written in place, and the runs to send from it.
///
/// A worker keeps one for each socket. For a receiver, ``allocate(_:)`` a stretch (say for eight packets), write packets
/// one behind the other through ``withBytes(_:_:)``, and ``submit(_:segmentSize:to:from:)`` the part that was filled.
/// ``flush(through:)`` at the end of the tick sends all runs with one system call per 64, each run cut into datagrams by
/// the kernel. Nothing is copied and nothing allocated; the memory is mapped, so only what was once used is resident.
@safe public final class SendBatch {
  /// Bytes of the mapping.
  public let capacity: Int
  /// How many runs fit before a flush is due.
  public let runCapacity: Int
  /// Bytes handed out since the last flush.
  public private(set) var allocated = 0
  /// Runs submitted since the last flush.
  public private(set) var runCount = 0

  // Mapped by `init`, unmapped by `deinit`; ranges are checked against `capacity` before they become pointers.
  private let memory: UnsafeMutableRawBufferPointer
  private let messages: UnsafeMutableBufferPointer<parley_message>

  /// Maps memory for a batch.
  public init(capacity: Int = 4 << 20, runs: Int = 1_024) throws(TransportError) {
    let size = max(capacity, 65_536)
    let flags = Int32(0x02 | 0x20 | 0x4000)  // MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    guard let base = unsafe mmap(nil, size, 3, flags, -1, 0), Int(bitPattern: base) != -1 else {
      throw .outOfMemory("a send batch of \(size) bytes")
    }
    // Huge pages would make megabytes resident for a few packets.
    unsafe madvise(base, size, 15)
    self.capacity = size
    runCapacity = max(runs, 64)
    unsafe memory = UnsafeMutableRawBufferPointer(start: base, count: size)
    unsafe messages = .allocate(capacity: runCapacity)
  }

  deinit {
    unsafe munmap(memory.baseAddress, memory.count)
    unsafe messages.deallocate()
  }

  /// Takes `length` bytes for one receiver's packets; nil when the batch is full and must be flushed first.
  public func allocate(_ length: Int) -> Range<Int>? {
    guard length > 0, length <= capacity - allocated else { return nil }
    let range = allocated..<(allocated + length)
    allocated = range.upperBound
    return range
  }

  /// Gives the bytes of an allocated range to write into (or to read). A range outside of what was allocated since
  /// the last flush gives an empty span.
  @inlinable public func withBytes<R>(_ range: Range<Int>, _ body: (inout MutableSpan<UInt8>) -> R) -> R {
    let bytes = unsafe bytes(range)
    // The span covers a checked range of the mapping, which lives as long as this object.
    var span = unsafe bytes.mutableSpan
    return body(&span)
  }

  @usableFromInline @unsafe func bytes(_ range: Range<Int>) -> UnsafeMutableBufferPointer<UInt8> {
    guard range.lowerBound >= 0, range.upperBound <= allocated else {
      return unsafe UnsafeMutableBufferPointer(start: nil, count: 0)
    }
    let part = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[range])
    return unsafe part.assumingMemoryBound(to: UInt8.self)
  }

  /// Adds a run: the bytes of `range` as datagrams of `segmentSize` each, the last of which may be shorter.
  ///
  /// - Returns: False when it does not fit (flush first), is longer than one send can take (64 datagrams, 65,507 bytes),
  ///   or lies outside of what was allocated.
  @discardableResult
  public func submit(
    _ range: Range<Int>, segmentSize: Int, to remote: TransportAddress, from local: TransportAddress?
  ) -> Bool {
    guard runCount < runCapacity, !range.isEmpty, range.lowerBound >= 0, range.upperBound <= allocated,
      segmentSize > 0, range.count <= 65_507, range.count <= segmentSize &* 64, let base = unsafe memory.baseAddress
    else { return false }
    // `range` lies inside the mapping, and the entry inside the list (`runCount < runCapacity`).
    unsafe messages[runCount] = parley_message(
      bytes: (base + range.lowerBound).assumingMemoryBound(to: UInt8.self),
      length: UInt32(truncatingIfNeeded: range.count),
      segment: segmentSize >= range.count ? 0 : UInt16(truncatingIfNeeded: segmentSize),
      to: remote.raw, from: (local ?? .unspecified).raw)
    runCount += 1
    return true
  }

  /// Sends every run and empties the batch. What the socket's buffer cannot take is dropped and counted
  /// (``UDPCounters/packetsDropped``): media that waits is worth less than media that is late.
  public func flush(through socket: UDPSocket) {
    defer {
      runCount = 0
      allocated = 0
    }
    var next = 0
    while next < runCount {
      // Where segmentation is known not to work, runs are cut here; single datagrams still go 64 a call.
      if unsafe messages[next].segment != 0 && !socket.sendsSegments(to: TransportAddress(messages[next].to)) {
        _ = unsafe socket.transmitSingly(messages[next])
        next += 1
        continue
      }
      var end = next + 1
      while unsafe end < runCount && end - next < 64
        && (messages[end].segment == 0 || socket.sendsSegments(to: TransportAddress(messages[end].to)))
      { end += 1 }
      // `next..<end` lies inside the list, and each entry's pointer inside the mapping.
      let sent = unsafe socket.transmit(messages, next..<end)
      next += sent
    }
  }
}

extension UDPSocket {
  /// Sends a stretch of messages with one call and deals with the first that fails; how many are done with.
  @unsafe func transmit(_ messages: UnsafeMutableBufferPointer<parley_message>, _ range: Range<Int>) -> Int {
    guard let base = messages.baseAddress else { return range.count }
    counters.sendCalls &+= 1
    let code = unsafe parley_send(
      descriptor, family, base + range.lowerBound, UInt32(truncatingIfNeeded: range.count))
    if code > 0 {
      var index = range.lowerBound
      let end = range.lowerBound + Int(code)
      while index < end {
        unsafe noteSent(messages[index])
        index += 1
      }
      return Int(code)
    }
    let result = unsafe recover(messages[range.lowerBound], code: -code)
    if result != .full { return 1 }
    // The buffer is full for everybody: the rest of the batch would fail the same way.
    var index = range.lowerBound + 1
    while index < range.upperBound {
      counters.packetsDropped &+= unsafe UInt64(Self.datagrams(messages[index]))
      index += 1
    }
    return range.count
  }
}
