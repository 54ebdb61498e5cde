import Basics
import RTC
import Transport

/// A TCP connection that carries ICE (RFC 6544), framed as RFC 4571 says.
final class TCPPeer {
  let handle: UInt32
  let opened: Instant
  var connection: TCPConnection?
  var stream: FramedStream? = FramedStream()
  /// The connection that has proven itself over it with an authenticated check, by ``Connection/index``.
  var owner: Int?

  init(handle: UInt32, opened: Instant) {
    self.handle = handle
    self.opened = opened
  }
}
