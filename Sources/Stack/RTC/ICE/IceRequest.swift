import Basics

/// Something that ICE needs done outside, because ``RTC`` does no I/O. Take requests with
/// ``PeerConnection/pollIceRequest()`` after every call that lets the connection work.
public enum IceRequest: Hashable, Sendable {
  /// Look up this host name and answer with ``PeerConnection/nameResolved(_:addresses:now:)``, with no addresses when
  /// it has none.
  case resolve(name: String)
  /// Open a stream and answer with ``PeerConnection/streamOpened(_:handle:local:remote:now:)`` or
  /// ``PeerConnection/streamFailed(_:now:)``.
  case openStream(IceStreamRequest)
  /// Close the stream that was opened with this handle: nothing needs it any more. No answer is expected.
  case closeStream(handle: UInt32)
}

/// A TCP or TLS connection that ICE asks for.
public struct IceStreamRequest: Hashable, Sendable {
  /// The protection of the connection.
  public enum Security: Hashable, Sendable {
    /// Nothing; what flows in it is protected by itself.
    case none
    /// TLS. The server's certificate must be verified against the host.
    case tls
  }

  /// Identifies the request in the answer.
  public let id: UInt32
  /// The server to connect to. A name is to be resolved, and sent and checked as the server's name in TLS.
  public let host: IceCandidate.Host
  /// The port to connect to.
  public let port: UInt16
  /// Whether to speak TLS.
  public let security: Security
  /// The framing of packets on the stream: make the ``FramedStream`` that reads it with this.
  /// ``PeerConnection/pollTransmit()`` and ``PeerConnection/encapsulate(_:route:into:)`` describe the sent form.
  public let framing: StreamFraming

  public init(
    id: UInt32, host: IceCandidate.Host, port: UInt16, security: Security, framing: StreamFraming
  ) {
    self.id = id
    self.host = host
    self.port = port
    self.security = security
    self.framing = framing
  }
}

/// How packets are told apart on a byte stream.
public enum StreamFraming: Hashable, Sendable {
  /// Each packet after its length in two bytes (RFC 4571): ICE-TCP. The length is not part of the packet.
  case length
  /// STUN messages and ChannelData, which carry their lengths themselves (RFC 8656 sections 2.1 and 12.5): TURN over
  /// TCP and TLS. The headers are part of the packet; ChannelData is padded to a multiple of four bytes.
  case turn
}
