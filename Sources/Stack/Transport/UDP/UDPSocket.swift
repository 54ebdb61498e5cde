public import Basics
internal import CLinux
internal import Glibc

/// A non-blocking UDP socket that receives and sends in batches.
///
/// It belongs to one worker: open it, register ``descriptor`` with the worker's ``EventLoop``, and use it on that loop
/// only. A socket bound to a wildcard address learns for each datagram which local address it came to, and answers from
/// that one (`IP_PKTINFO`, `IPV6_RECVPKTINFO`).
public final class UDPSocket {
  /// The result of ``send(_:to:from:)`` for a datagram.
  public enum SendResult: Sendable {
    /// The kernel took it.
    case sent
    /// The socket's buffer is full: media is dropped, control may be tried again when the socket is writable.
    case full
    /// It can never be sent as it is (no route, too large, wrong family, …).
    case failed
  }

  /// The descriptor to register with an ``EventLoop``; it stays this socket's to close.
  public let descriptor: Int32
  /// The address it is bound to, with the port that the system chose when 0 was asked for.
  public let localAddress: TransportAddress
  /// The counts at this moment.
  public var counters: UDPCounters { tally }
  // Not visible outside of the module: so the compiler can prove that no two accesses overlap, and a datagram needs no
  // check of it.
  private var tally = UDPCounters()
  /// Whether bursts leave through UDP segmentation offload: the kernel knows it, and has not refused it to everybody a
  /// moment ago. Single destinations whose paths refuse it are sent single datagrams in either case.
  public var usesSegmentation: Bool { knowsSegmentation && !refusals.isSystem }
  /// Whether the kernel coalesces incoming bursts (`UDP_GRO`).
  public let coalescesReceived: Bool

  let family: Int32
  private let knowsSegmentation: Bool
  var refusals = SegmentationRefusals()

  /// Opens and binds a socket.
  ///
  /// - Parameters:
  ///   - address: The address to bind to; a wildcard (`0.0.0.0`, `::`) for every interface, port 0 for any free one.
  ///   - dualStack: For an IPv6 wildcard: take IPv4 too. IPv4 peers appear under their IPv4 addresses.
  ///   - bufferSize: Bytes asked for in each direction; the system may give less (`net.core.rmem_max`).
  ///   - coalesce: Ask for `UDP_GRO`.
  public init(
    bind address: TransportAddress, dualStack: Bool = false, bufferSize: Int = 4 << 20, coalesce: Bool = true
  ) throws(TransportError) {
    let fd = parley_open_bound(Int32(SOCK_DGRAM.rawValue), address.raw, dualStack ? 1 : 0, 0)
    guard fd >= 0 else { throw .from(call: "opening a UDP socket", code: -fd, address: address) }
    descriptor = fd
    family = address.ip.isIPv4 ? AF_INET : AF_INET6
    localAddress = TransportAddress(parley_local_address(fd))
    let size = Int32(clamping: bufferSize)
    // The privileged forms pass the system's limit; the plain ones are the best effort of an ordinary user.
    if parley_set_option(fd, SOL_SOCKET, SO_RCVBUFFORCE, size) != 0 {
      _ = parley_set_option(fd, SOL_SOCKET, SO_RCVBUF, size)
    }
    if parley_set_option(fd, SOL_SOCKET, SO_SNDBUFFORCE, size) != 0 {
      _ = parley_set_option(fd, SOL_SOCKET, SO_SNDBUF, size)
    }
    if family == AF_INET {
      _ = parley_set_option(fd, Int32(IPPROTO_IP), IP_PKTINFO, 1)
    } else {
      _ = parley_set_option(fd, Int32(IPPROTO_IPV6), IPV6_RECVPKTINFO, 1)
    }
    let udp = Int32(IPPROTO_UDP)
    coalescesReceived = coalesce && parley_set_option(fd, udp, 104, 1) == 0  // UDP_GRO
    knowsSegmentation = parley_get_option(fd, udp, 103) >= 0  // UDP_SEGMENT, Linux 4.18
  }

  deinit { close(descriptor) }

  /// Receives what is there, one system call (at most as many buffers as `slab` has slots), and hands each datagram to
  /// `body` with the address it came from and the local address it came to.
  ///
  /// The bytes are valid, and may be changed (SRTP opens in place), until `body` returns. Call again when the result
  /// says that more may wait, or leave it to the level-triggered loop. Nothing is allocated. Errors that a peer can
  /// cause (ICMP unreachable) are swallowed.
  ///
  /// - Returns: Whether the slab was filled, so that more may be waiting.
  @inlinable public func receive(
    into slab: ReceiveSlab,
    _ body: (inout MutableSpan<UInt8>, _ remote: TransportAddress, _ local: TransportAddress) -> Void
  ) -> Bool {
    if slab.isBusy { return false }
    slab.isBusy = true
    defer { slab.isBusy = false }
    let count = receiveBatch(into: slab)
    var index = 0
    while index < count {
      let filled = unsafe slab.filled(index, localPort: localAddress.port)
      index += 1
      let local = unsafe localAddress.ip.isUnspecified ? filled.local : localAddress
      var rest = unsafe filled.bytes
      if rest.isEmpty {
        noteTruncated()
        continue
      }
      while !rest.isEmpty {
        let length = unsafe min(filled.segment, rest.count)
        // Each part is a range of the slot that no other span covers while `body` runs.
        let part = unsafe UnsafeMutableBufferPointer(rebasing: rest[..<length])
        unsafe rest = UnsafeMutableBufferPointer(rebasing: rest[length...])
        noteReceived(length)
        var span = unsafe part.mutableSpan
        unsafe body(&span, filled.remote, local)
      }
    }
    return count == slab.slots
  }

  @usableFromInline func receiveBatch(into slab: ReceiveSlab) -> Int {
    var attempts = 0
    while attempts < 4 {
      let count = slab.fill(from: descriptor)
      if count > 0 {
        tally.receiveCalls &+= 1
        return count
      }
      // A pending error (ECONNREFUSED after an ICMP message, EINTR) is consumed by the call that reports it.
      if count == 0 || -count == Int(EAGAIN) { return 0 }
      attempts += 1
    }
    return 0
  }

  /// Datagrams that the kernel dropped because nobody read them in time. A system call.
  public var receiveBufferDrops: UInt64 { UInt64(parley_receive_drops(descriptor)) }

  @usableFromInline func noteReceived(_ length: Int) {
    tally.packetsReceived &+= 1
    tally.bytesReceived &+= UInt64(truncatingIfNeeded: length)
  }

  // An empty datagram is legal UDP and means nothing to any protocol here; it shares the counter.
  @usableFromInline func noteTruncated() { tally.packetsTruncated &+= 1 }

  // MARK: Sending

  /// Sends one datagram (STUN answers, DTLS flights, RTCP).
  ///
  /// - Parameters:
  ///   - bytes: At most 65,507.
  ///   - remote: The destination.
  ///   - local: The address to send from, as ``receive(into:_:)`` gave it; nil leaves it to the routing table.
  @discardableResult
  public func send(_ bytes: Span<UInt8>, to remote: TransportAddress, from local: TransportAddress?) -> SendResult {
    sendSegmented(bytes, segmentSize: bytes.count, to: remote, from: local)
  }

  /// Sends a run of datagrams to one receiver in as few system calls as possible: `bytes` is cut into datagrams of
  /// `segmentSize`, the last of which may be shorter.
  ///
  /// One call takes up to 64 datagrams and 65,507 bytes; longer runs are cut. If the path or the device refuses
  /// segmentation, the datagrams are sent singly, and so are those of the next minute.
  @discardableResult
  public func sendSegmented(
    _ bytes: Span<UInt8>, segmentSize: Int, to remote: TransportAddress, from local: TransportAddress?
  ) -> SendResult {
    guard !bytes.isEmpty, segmentSize > 0 else { return .failed }
    let from = (local ?? .unspecified).raw
    let to = remote.raw
    let isRun = bytes.count > segmentSize
    let perCall = Self.runLength(segmentSize: segmentSize, segmentation: isRun && sendsSegments(to: remote))
    // The pointer is used within the closure only; C reads `length` bytes at offsets below `count`.
    return unsafe bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return .failed }
      var offset = 0
      while offset < buffer.count {
        let length = min(perCall, buffer.count - offset)
        let message = unsafe parley_message(
          bytes: base + offset, length: UInt32(truncatingIfNeeded: length),
          segment: UInt16(truncatingIfNeeded: min(segmentSize, 65_535)), to: to, from: from)
        let result = unsafe transmit(message)
        if result != .sent {
          noteUnsent(buffer.count - offset - length, segmentSize: segmentSize, result)
          return result
        }
        offset += length
      }
      return .sent
    }
  }

  /// Whether a run to `remote` is to leave segmented. The clock is read only while something was refused lately.
  @inline(__always)
  func sendsSegments(to remote: TransportAddress) -> Bool {
    guard knowsSegmentation else { return false }
    return refusals.isEmpty || !refusals.contains(remote, now: MonotonicClock.now)
  }

  /// How many bytes of a run one message may carry.
  static func runLength(segmentSize: Int, segmentation: Bool) -> Int {
    if !segmentation { return segmentSize }
    return max(min(64, 65_507 / segmentSize), 1) * segmentSize
  }

  /// Sends one message, falling back to single datagrams where segmentation is refused.
  @unsafe func transmit(_ message: parley_message) -> SendResult {
    tally.sendCalls &+= 1
    var copy = unsafe message
    let code = unsafe parley_send(descriptor, family, &copy, 1)
    if code > 0 {
      unsafe noteSent(message)
      return .sent
    }
    return unsafe recover(message, code: -code)
  }

  /// Deals with a message that failed with the error number `code`.
  @unsafe func recover(_ message: parley_message, code: Int32) -> SendResult {
    let segments = unsafe Self.datagrams(message)
    if segments > 1 && (code == EMSGSIZE || code == EIO || code == EINVAL) {
      // EMSGSIZE: the path to this destination takes less than a segment at once (Linux 6.14 and later say so); alone,
      // each is fragmented. EIO: the device cannot do it. EINVAL: either of both.
      let now = MonotonicClock.now
      if code == EIO {
        refusals.addSystem(now: now)
      } else {
        refusals.add(TransportAddress(unsafe message.to), mayBeSystem: code == EINVAL, now: now)
      }
      return unsafe transmitSingly(message)
    }
    if code == EAGAIN || code == ENOBUFS {
      tally.packetsDropped &+= UInt64(segments)
      return .full
    }
    tally.sendErrors &+= UInt64(segments)
    return .failed
  }

  @unsafe func transmitSingly(_ message: parley_message) -> SendResult {
    let segment = unsafe Int(message.segment)
    let total = unsafe Int(message.length)
    guard let base = unsafe message.bytes, segment > 0 else { return .failed }
    var offset = 0
    var result = SendResult.sent
    while offset < total {
      var one = unsafe message
      unsafe one.bytes = base + offset
      unsafe one.length = UInt32(truncatingIfNeeded: min(segment, total - offset))
      unsafe one.segment = 0
      offset += segment
      tally.sendCalls &+= 1
      tally.segmentationFallbacks &+= 1
      let code = unsafe parley_send(descriptor, family, &one, 1)
      if code > 0 {
        unsafe noteSent(one)
      } else if code == -EAGAIN || code == -ENOBUFS {
        tally.packetsDropped &+= 1
        result = .full
      } else {
        tally.sendErrors &+= 1
        if result == .sent { result = .failed }
      }
    }
    return result
  }

  @unsafe static func datagrams(_ message: parley_message) -> Int {
    let segment = unsafe Int(message.segment)
    let length = unsafe Int(message.length)
    return segment == 0 || segment >= length ? 1 : (length + segment - 1) / segment
  }

  @unsafe func noteSent(_ message: parley_message) {
    let datagrams = unsafe Self.datagrams(message)
    if datagrams > 1 { refusals.noteTaken() }
    tally.packetsSent &+= UInt64(datagrams)
    tally.bytesSent &+= unsafe UInt64(message.length)
  }

  private func noteUnsent(_ length: Int, segmentSize: Int, _ result: SendResult) {
    guard length > 0 else { return }
    let datagrams = UInt64((length + segmentSize - 1) / segmentSize)
    if result == .full { tally.packetsDropped &+= datagrams } else { tally.sendErrors &+= datagrams }
  }
}

extension UDPSocket {
  /// Makes the kernel refuse segmentation (it needs checksums), so that tests reach the fallback.
  @_spi(Testing) public func disableChecksumForTests() {
    _ = parley_set_option(descriptor, SOL_SOCKET, 11, 1)  // SO_NO_CHECK
  }
}
