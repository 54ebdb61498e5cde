public import Basics
internal import CLinux
internal import Glibc

/// A TCP or TLS connection that this side opens, on an ``EventLoop``: for TURN over TCP and TLS and for ICE-TCP. Bytes
/// in as they come, whole packets out. It speaks no HTTP; for that there is ``HTTPClient``.
///
/// All of it happens on the loop's thread, and nothing blocks. A slow reader costs packets (counted), never unbounded
/// memory. `onClose` is called exactly once, also when the connection never came to be.
public final class ClientStream {
  /// The protection of the bytes.
  public enum Security: Sendable {
    case none
    /// TLS with a server whose certificate must be for `host`, a name or an address.
    case tls(host: String, context: TLSClientContext)
  }

  /// The address that the stream connects to.
  public let remote: TransportAddress
  /// Our own address; unspecified until ``isOpen``.
  public private(set) var local = TransportAddress.unspecified
  /// Whether packets can be sent: connected, and TLS established.
  public private(set) var isOpen = false
  /// Packets dropped because the write queue was full.
  public private(set) var packetsDropped: UInt64 = 0

  private let loop: EventLoop
  private let queueLimit: Int
  private var session: TLSClientSession?
  private var descriptor: Int32
  private var timer: Int32
  private var connecting: EventLoop.Registration?
  private var limit: EventLoop.Registration?
  private var connection: TCPConnection?
  private var onOpen: (() -> Void)?
  private var onBytes: ((Span<UInt8>) -> Bool)?
  private var onClose: ((TransportError?) -> Void)?

  /// Starts to connect. On the loop's thread.
  /// - Parameters:
  ///   - remote: The address to connect to.
  ///   - security: The protection of the bytes.
  ///   - loop: The loop it lives on.
  ///   - timeLimit: The limit for connecting, TLS included.
  ///   - queueLimit: Bytes that may wait to be written.
  ///   - onOpen: Called when packets can be sent.
  ///   - onBytes: Called with the received bytes, valid during the call; false closes the connection.
  ///   - onClose: Called once, when it is over: with the reason, or nil when one of the ends closed it in order.
  /// - Throws: When no connection can even be attempted; then no handler is called.
  public init(
    to remote: TransportAddress, security: Security, on loop: EventLoop, timeLimit: TimeSpan = .seconds(10),
    queueLimit: Int = 256 << 10, onOpen: @escaping () -> Void, onBytes: @escaping (Span<UInt8>) -> Bool,
    onClose: @escaping (TransportError?) -> Void
  ) throws(TransportError) {
    self.remote = remote
    self.loop = loop
    self.queueLimit = queueLimit
    if case .tls(let host, let context) = security { session = try TLSClientSession(context, host: host) }
    let timer = parley_timer_create()
    guard timer >= 0 else { throw .system(call: "timerfd_create", code: -timer) }
    let descriptor = parley_connect_start(remote.raw)
    guard descriptor >= 0 else {
      Glibc.close(timer)
      throw .connectionFailed("\(remote.text): \(errorText(-descriptor))")
    }
    self.timer = timer
    self.descriptor = descriptor
    self.onOpen = onOpen
    self.onBytes = onBytes
    self.onClose = onClose
    connecting = try loop.register(descriptor, for: .writable) { [weak self] _ in self?.connected() }
    limit = try loop.register(timer, for: .readable) { [weak self] _ in
      self?.finish(.timedOut("Connecting to \(remote.text)"))
    }
    parley_timer_set(timer, max(timeLimit.nanoseconds, 1))
  }

  deinit {
    // Reached with anything open only when its owner let go of it; the loop's entries go with the descriptors.
    if descriptor >= 0 { Glibc.close(descriptor) }
    if timer >= 0 { Glibc.close(timer) }
  }

  /// Sends one packet whole, or drops it whole.
  /// - Returns: Whether it was sent or queued; false when the queue is full (counted) or the connection is not open.
  @discardableResult
  public func send(_ packet: Span<UInt8>) -> Bool {
    guard isOpen, let connection else { return false }
    guard let session else {
      if connection.send(packet) { return true }
      packetsDropped &+= 1
      return false
    }
    // A record that TLS has numbered may not be dropped any more, so there must be room before.
    guard connection.waitingBytes + packet.count + 512 <= queueLimit, session.write(packet) else {
      packetsDropped &+= 1
      return false
    }
    flush()
    return true
  }

  /// Closes the connection, in order where TLS is spoken; what waits is lost. `onClose` is called with nil.
  public func close() {
    session?.close()
    flush()
    finish(nil)
  }

  private func connected() {
    let code = parley_get_option(descriptor, Int32(SOL_SOCKET), Int32(SO_ERROR))
    guard code == 0 else { return finish(.connectionFailed("\(remote.text): \(errorText(abs(code)))")) }
    if let connecting { loop.unregister(connecting) }
    connecting = nil
    // Small packets must leave at once.
    _ = parley_set_option(descriptor, Int32(IPPROTO_TCP), Int32(TCP_NODELAY), 1)
    local = TransportAddress(parley_local_address(descriptor))
    let accepted = TCPListener.Accepted(descriptor: descriptor, remote: remote, local: local)
    descriptor = -1
    do throws(TransportError) {
      connection = try TCPConnection(
        accepted, on: loop, queueLimit: queueLimit, readSize: 16_384,
        onBytes: { [weak self] bytes in self?.received(bytes) ?? false },
        onClose: { [weak self] reason in self?.ended(reason) })
    } catch { return finish(error) }
    if session == nil {
      opened()
    } else {
      _ = received([UInt8]().span)
    }
  }

  private func opened() {
    isOpen = true
    if let limit { loop.unregister(limit) }
    limit = nil
    Glibc.close(timer)
    timer = -1
    let notify = onOpen
    onOpen = nil
    notify?()
  }

  private func received(_ bytes: Span<UInt8>) -> Bool {
    guard let session else { return onBytes?(bytes) ?? false }
    var goesOn = true
    session.receive(bytes) { plain in
      // The first bytes may come with the end of the handshake.
      if !isOpen { opened() }
      goesOn = onBytes?(plain) ?? false
      return goesOn
    }
    flush()
    switch session.state {
    case .handshaking: return true
    case .open:
      if !isOpen { opened() }
      return goesOn
    case .closed:
      finish(nil)
      return false
    case .failed(let error):
      finish(error)
      return false
    }
  }

  private func flush() {
    guard let session, let connection else { return }
    session.takeWire { connection.send($0) }
  }

  private func ended(_ reason: TCPConnection.CloseReason) {
    switch reason {
    case .endOfStream:
      finish(isOpen ? nil : .connectionFailed("\(remote.text): the other end closed the connection"))
    case .failed(let code): finish(.connectionFailed("\(remote.text): \(errorText(code))"))
    case .closedHere: finish(nil)
    }
  }

  private func finish(_ error: TransportError?) {
    guard let notify = onClose else { return }
    onClose = nil
    onOpen = nil
    onBytes = nil
    isOpen = false
    for registration in [connecting, limit] { if let registration { loop.unregister(registration) } }
    connecting = nil
    limit = nil
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
    if timer >= 0 { Glibc.close(timer) }
    timer = -1
    connection?.close()
    notify(error)
  }
}
