public import Basics
internal import CLinux
internal import Glibc

/// A listening TCP socket, or Unix socket.
///
/// Opening it is where "port in use" shows, with an error that says what to do. Connections are taken with
/// ``accept()`` when an ``EventLoop`` (or another poller) says that the descriptor is readable.
public final class TCPListener {
  /// A connection that was accepted and belongs to whoever holds this value: hand it to a ``TCPConnection`` or
  /// an ``HTTPServer``, or ``close()`` it.
  public struct Accepted: Sendable {
    /// The non-blocking socket, owned by the receiver of this value.
    public let descriptor: Int32
    public let remote: TransportAddress
    /// The address of this machine that the other end connected to.
    public let local: TransportAddress

    /// Closes the connection unused.
    public func close() { _ = Glibc.close(descriptor) }
  }

  /// The descriptor to poll; it stays this listener's to close.
  public let descriptor: Int32
  /// The address that it listens on, with the port that the system chose when 0 was asked for.
  public let localAddress: TransportAddress
  /// Kept in reserve: given up for a moment when descriptors run out, so that the waiting connection can be
  /// accepted and closed instead of waking the loop for ever.
  private var spare: Int32

  /// Opens a listener.
  ///
  /// - Parameters:
  ///   - address: The address to listen on; port 0 for any free one.
  ///   - dualStack: For an IPv6 wildcard: take IPv4 too.
  ///   - backlog: Connections that may wait to be accepted.
  public init(
    bind address: TransportAddress, dualStack: Bool = true, backlog: Int = 1_024
  ) throws(TransportError) {
    let fd = parley_open_bound(
      Int32(SOCK_STREAM.rawValue), address.raw, dualStack ? 1 : 0, Int32(clamping: backlog))
    guard fd >= 0 else { throw .from(call: "listening", code: -fd, address: address) }
    descriptor = fd
    localAddress = TransportAddress(parley_local_address(fd))
    spare = dup(fd)
  }

  /// Opens a Unix socket that only this user can connect to. Its connections have no addresses.
  ///
  /// - Parameters:
  ///   - path: The socket's path, 107 bytes at most; nothing may be there. It stays when the listener is gone.
  ///   - backlog: Connections that may wait to be accepted.
  public init(path: String, backlog: Int = 16) throws(TransportError) {
    // The string lives during the call.
    let fd = unsafe parley_open_unix(path, Int32(clamping: backlog))
    guard fd >= 0 else {
      throw -fd == ENAMETOOLONG ? .socketPathTooLong(path) : .system(call: "listening at \(path)", code: -fd)
    }
    descriptor = fd
    localAddress = .unspecified
    spare = dup(fd)
  }

  deinit {
    close(descriptor)
    if spare >= 0 { close(spare) }
  }

  /// Takes the next connection, or nil when none waits. `TCP_NODELAY` is set on it.
  public func accept() -> Accepted? {
    while true {
      var peer = parley_address()
      // `peer` is written only when a connection was accepted.
      let fd = unsafe parley_accept(descriptor, &peer)
      if fd >= 0 {
        _ = parley_set_option(fd, Int32(IPPROTO_TCP), 1, 1)  // TCP_NODELAY
        return Accepted(
          descriptor: fd, remote: TransportAddress(peer), local: TransportAddress(parley_local_address(fd)))
      }
      switch -fd {
      case EMFILE, ENFILE:
        guard spare >= 0 else { return nil }
        close(spare)
        let refused = unsafe parley_accept(descriptor, &peer)
        if refused >= 0 { close(refused) }
        spare = dup(descriptor)
        if refused < 0 { return nil }
      case EINTR, ECONNABORTED, EPROTO, EPERM:
        continue
      default:
        return nil
      }
    }
  }

  /// Accepts on `loop` from now on and gives each connection to `handler`, on the loop's thread. At most 64 a tick, so
  /// that a flood of connections does not starve packets.
  ///
  /// - Returns: The registration; unregister it to stop accepting.
  public func start(
    on loop: EventLoop, handler: @escaping (Accepted) -> Void
  ) throws(TransportError) -> EventLoop.Registration {
    try loop.register(descriptor, for: .readable) { [unowned self] _ in
      var taken = 0
      while taken < 64, let accepted = self.accept() {
        handler(accepted)
        taken += 1
      }
    }
  }
}
