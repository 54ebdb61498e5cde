public import Basics
internal import CLinux
internal import Glibc

/// A TCP connection on an ``EventLoop``, for ICE-TCP (RFC 6544) and TURN: bytes in as they come, whole frames out.
///
/// All of it happens on the loop's thread. A frame leaves whole or not at all, because half a frame would end the
/// framing of RFC 4571. A slow reader costs frames (counted), never unbounded memory.
public final class TCPConnection {
  /// Why a connection is over.
  public enum CloseReason: Sendable, Equatable {
    /// The other end finished.
    case endOfStream
    /// The connection broke; the system's error number.
    case failed(Int32)
    /// ``close()`` was called, or the receive handler asked for it.
    case closedHere
  }

  /// Counts of one connection.
  public struct Counters: Sendable, Hashable {
    /// Bytes read.
    public var bytesReceived: UInt64 = 0
    /// Bytes given to the kernel.
    public var bytesSent: UInt64 = 0
    /// Frames dropped because the write queue was full, or the connection broken.
    public var framesDropped: UInt64 = 0
  }

  public let remote: TransportAddress
  /// The address of this machine that the other end connected to.
  public let local: TransportAddress
  /// The counts at this moment.
  public private(set) var counters = Counters()
  /// Whether it is open.
  public private(set) var isOpen = true

  /// Bytes that wait to be written.
  public var waitingBytes: Int { queue.count - head }

  private let descriptor: Int32
  private let loop: EventLoop
  private var registration: EventLoop.Registration?
  private var onBytes: ((Span<UInt8>) -> Bool)?
  private var onClose: ((CloseReason) -> Void)?

  /// Bytes that the kernel did not take yet: `queue[head...]`.
  private var queue: [UInt8] = []
  private var head = 0
  private let queueLimit: Int
  private var readBuffer: [UInt8]

  /// Takes over an accepted connection. On the loop's thread.
  ///
  /// - Parameters:
  ///   - accepted: The connection; it belongs to this object now.
  ///   - loop: The loop it lives on.
  ///   - queueLimit: Bytes that may wait to be written.
  ///   - readSize: Bytes read at once; allocated once for the connection.
  ///   - onBytes: Called with what arrived, valid during the call; false closes the connection.
  ///   - onClose: Called once, when it is over.
  public init(
    _ accepted: TCPListener.Accepted, on loop: EventLoop, queueLimit: Int = 256 << 10, readSize: Int = 4_096,
    onBytes: @escaping (Span<UInt8>) -> Bool, onClose: @escaping (CloseReason) -> Void
  ) throws(TransportError) {
    descriptor = accepted.descriptor
    remote = accepted.remote
    local = accepted.local
    self.loop = loop
    self.queueLimit = queueLimit
    readBuffer = [UInt8](repeating: 0, count: max(readSize, 512))
    self.onBytes = onBytes
    self.onClose = onClose
    registration = try loop.register(descriptor, for: [.readable, .readHangUp]) { [weak self] readiness in
      self?.handle(readiness)
    }
  }

  deinit {
    // Reached with an open connection only when its owner let go of it; the loop's entry goes with the descriptor.
    if isOpen { _ = Glibc.close(descriptor) }
  }

  /// Sends one frame whole, or drops it whole.
  ///
  /// A broken connection is not closed here, in the middle of its owner's sending: the loop reports its end, and
  /// `onClose` is called then.
  ///
  /// - Returns: Whether it was sent or queued; false when the queue is full or the connection broken (both counted), or
  ///   closed.
  @discardableResult
  public func send(_ frame: Span<UInt8>) -> Bool {
    guard isOpen else { return false }
    let waiting = queue.count - head
    guard waiting == 0 || frame.count <= queueLimit - waiting else {
      counters.framesDropped &+= 1
      return false
    }
    var sent = 0
    if waiting == 0 {
      // The span's own pointer and count.
      sent = unsafe frame.withUnsafeBufferPointer { b in
        unsafe Glibc.send(descriptor, b.baseAddress, b.count, Int32(0x4000))  // MSG_NOSIGNAL
      }
      if sent < 0 {
        guard errno == EAGAIN || errno == EINTR else {
          counters.framesDropped &+= 1
          return false
        }
        sent = 0
      }
      counters.bytesSent &+= UInt64(sent)
      if sent == frame.count { return true }
      // Nothing of it has left: it may still be dropped whole. After the first byte it may not.
      if sent == 0 && frame.count > queueLimit {
        counters.framesDropped &+= 1
        return false
      }
      queue.removeAll(keepingCapacity: true)
      head = 0
    }
    var index = sent
    while index < frame.count {
      queue.append(frame[index])
      index += 1
    }
    if waiting == 0, let registration {
      loop.modify(registration, for: [.readable, .readHangUp, .writable])
    }
    return true
  }

  /// Closes the connection now; what waits is lost. `onClose` is called.
  public func close() { finish(.closedHere) }

  private func handle(_ readiness: Readiness) {
    if readiness.contains(.writable) { drain() }
    guard isOpen, !readiness.intersection([.readable, .hangUp, .error, .readHangUp]).isEmpty else { return }
    // The buffer is this object's and its count the limit; one read a tick keeps connections fair.
    let count = unsafe readBuffer.withUnsafeMutableBytes { b in unsafe recv(descriptor, b.baseAddress, b.count, 0) }
    if count > 0 {
      counters.bytesReceived &+= UInt64(count)
      let keep = onBytes?(readBuffer.span.extracting(first: count)) ?? false
      if !keep { finish(.closedHere) }
    } else if count == 0 {
      finish(.endOfStream)
    } else if errno != EAGAIN && errno != EINTR {
      finish(.failed(errno))
    }
  }

  private func drain() {
    while head < queue.count {
      // `head` is below the count.
      let sent = unsafe queue.withUnsafeBytes { b in
        unsafe Glibc.send(descriptor, b.baseAddress.map { unsafe $0 + head }, b.count - head, Int32(0x4000))
      }
      if sent < 0 {
        if errno == EINTR { continue }
        if errno != EAGAIN { finish(.failed(errno)) }
        return
      }
      head += sent
      counters.bytesSent &+= UInt64(sent)
    }
    queue.removeAll(keepingCapacity: queue.capacity <= 16_384)
    head = 0
    if let registration { loop.modify(registration, for: [.readable, .readHangUp]) }
  }

  private func finish(_ reason: CloseReason) {
    guard isOpen else { return }
    isOpen = false
    if let registration { loop.unregister(registration) }
    registration = nil
    _ = Glibc.close(descriptor)
    let notify = onClose
    onBytes = nil
    onClose = nil
    notify?(reason)
  }
}
