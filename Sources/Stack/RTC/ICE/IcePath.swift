public import Basics

/// The transport protocol of an ICE candidate (RFC 8839 section 5.1, RFC 6544 section 4.5).
public enum IceTransport: UInt8, Hashable, Sendable {
  case udp
  /// A stream with a two-byte length before each packet (``FramedStream``).
  case tcp
}

/// One way between the two sides: the 5-tuple, and the socket or connection it runs over.
///
/// Media may flow only over a path that an authenticated check has proven (RFC 7675). Copies are free.
public struct IcePath: Hashable, Sendable {
  public var transport: IceTransport
  public var local: TransportAddress
  /// The peer's address as we see it.
  public var remote: TransportAddress
  /// The socket or connection, in the numbering of whoever owns it. Two TCP connections between the same addresses, one
  /// after the other, differ here. Numbers from ``firstRelayHandle`` on are not the owner's: they stand for addresses
  /// on TURN servers.
  public var handle: UInt32

  /// The first of the handles that ICE gives to relayed addresses; owners of sockets use those below.
  public static let firstRelayHandle: UInt32 = 0x8000_0000

  @inlinable
  public init(transport: IceTransport, local: TransportAddress, remote: TransportAddress, handle: UInt32 = 0) {
    self.transport = transport
    self.local = local
    self.remote = remote
    self.handle = handle
  }

  /// Whether packets go through a TURN server: ``local`` is an address there, and what is sent must be wrapped, see
  /// ``PeerConnection/selectedRoute``.
  @inlinable
  public var isRelayed: Bool { handle >= Self.firstRelayHandle }
}

/// Bytes that an agent wants sent over a path.
public struct IceTransmission: Hashable, Sendable {
  /// The path to send the datagram over.
  public let path: IcePath
  /// One datagram; one frame's content on ICE-TCP, to be framed with ``FramedStream/header(forLength:)``; on a stream
  /// to a TURN server the bytes as they are.
  public let bytes: [UInt8]

  /// Bytes for a path.
  public init(path: IcePath, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
  }
}
