/// An IP address and a port. The transport protocol is stated separately.
public struct TransportAddress: Hashable, Sendable {
  public var ip: IPAddress
  /// The port, in host byte order.
  public var port: UInt16

  /// An address of `ip` and `port`.
  @inlinable public init(ip: IPAddress, port: UInt16) {
    self.ip = ip
    self.port = port
  }

  /// The full spelling, `192.0.2.1:80` or `[2001:db8::1]:80`. Use it where a protocol needs it, not in logs.
  public var text: String { ip.isIPv4 ? "\(ip.text):\(port)" : "[\(ip.text)]:\(port)" }
}

extension TransportAddress: CustomStringConvertible {
  /// The address with its host part hidden, fit for logs.
  public var description: String { ip.isIPv4 ? "\(ip):\(port)" : "[\(ip)]:\(port)" }
}
