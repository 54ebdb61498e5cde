public import Basics

/// The settings of a ``PeerConnection``. Sharing one between connections costs nothing.
public struct PeerConnectionConfiguration: Sendable {
  /// A UDP socket that a client may send checks from.
  public struct Socket: Hashable, Sendable {
    /// The socket's own address.
    public var address: TransportAddress
    /// The number the socket's owner knows it by, below ``IcePath/firstRelayHandle``; it comes back in
    /// ``IcePath/handle``.
    public var handle: UInt32

    public init(address: TransportAddress, handle: UInt32 = 0) {
      self.address = address
      self.handle = handle
    }
  }

  /// Certificate and SRTP profiles, one for the process.
  public var dtls: DTLSContext
  /// The codecs and extensions that a server accepts in offers.
  public var policy: MediaPolicy
  /// A server's own candidates for its answers.
  public var candidates: [IceCandidate]
  /// A client's UDP sockets at the start, of either family; see ``PeerConnection/addSocket(_:now:)`` for later ones,
  /// and ``PeerConnection/pollIceRequest()`` for TCP.
  public var sockets: [Socket]
  /// A client's STUN and TURN servers. URLs that cannot be used are ignored, see ``PeerConnection/ignoredIceServers``.
  public var iceServers: [IceServer]
  /// Whether a client may use paths that do not go through a TURN server.
  public var iceTransportPolicy: IceTransportPolicy
  /// The lifetime that is asked of TURN servers; nil leaves it to them. It is refreshed in time either way.
  public var turnAllocationLifetime: TimeSpan?
  /// The codecs a client offers, in order of preference.
  public var codecs: [Codec]
  /// The most bytes of a DTLS datagram.
  public var mtu: Int
  /// How patient the handshake is.
  public var dtlsTiming: DTLSTiming

  public init(
    dtls: DTLSContext, policy: MediaPolicy = .standard, candidates: [IceCandidate] = [], sockets: [Socket] = [],
    iceServers: [IceServer] = [], iceTransportPolicy: IceTransportPolicy = .all,
    turnAllocationLifetime: TimeSpan? = nil,
    codecs: [Codec] = [.opus, .vp8, .vp9, .h264, .av1], mtu: Int = 1_200, dtlsTiming: DTLSTiming = DTLSTiming()
  ) {
    self.dtls = dtls
    self.policy = policy
    self.candidates = candidates
    self.sockets = sockets
    self.iceServers = iceServers
    self.iceTransportPolicy = iceTransportPolicy
    self.turnAllocationLifetime = turnAllocationLifetime
    self.codecs = codecs
    self.mtu = mtu
    self.dtlsTiming = dtlsTiming
  }
}
