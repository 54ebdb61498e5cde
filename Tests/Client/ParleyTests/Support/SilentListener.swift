import Glibc
import TestSupport

/// A TCP port that lets connect and says nothing.
final class SilentListener {
  let port: UInt16
  private let descriptor: Int32

  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        bind(descriptor, raw, length) == 0 && listen(descriptor, 8) == 0 && getsockname(descriptor, raw, &length) == 0
      }
    }
    guard bound else { throw StillMissing("a free port") }
    self.descriptor = descriptor
    port = UInt16(bigEndian: address.sin_port)
  }

  /// Whether somebody connected; takes the connection and keeps it open.
  var hasConnection: Bool { accept(descriptor, nil, nil) >= 0 }

  deinit { close(descriptor) }
}
