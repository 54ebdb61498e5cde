public import Basics

extension HTTPServer {
  /// The limits of connections, requests and times, and the certificate.
  public struct Configuration: Sendable {
    /// The certificate to serve with; nil serves plain HTTP.
    public var tls: TLSIdentity?
    /// Connections at a time. For another one, the oldest that has not had a request answered gives way, or else one
    /// that idles; where there is none, the new one is answered 503 and closed.
    public var connectionLimit = 4_096
    /// How many of them are kept for WebSockets that come back to something that they had
    /// (``WebSocketConnection/isReserved``).
    public var reservedConnections = 0
    /// Connections at a time of one address, or of one /64 network of IPv6, in which each machine may take any address;
    /// and each network has a share of all (``NetworkShares``). Nil for any number of any network.
    public var connectionsPerNetwork: Int?
    /// The client of a request over a connection that doesn't count: a proxy knows it.
    public var client: @Sendable (HTTPRequest) -> IPAddress = { $0.remote.ip }
    /// Whether this machine's own connections count there too; a proxy may be what connects from it.
    public var boundsLoopback = true
    /// The addresses whose connections don't count besides: proxies, which connect for many. Their requests and
    /// WebSockets do (``client``).
    public var isUnbounded: @Sendable (IPAddress) -> Bool = { _ in false }
    /// The answer to a connection over one of these limits; true for that of its network, false for that of all. Called
    /// once for each such connection, on the service thread. Over TLS nobody sees it: the connection is closed before a
    /// handshake, which would cost more than serving it.
    public var crowded: @Sendable (Bool) -> HTTPResponse = { isNetwork in
      .refusal(
        isNetwork ? "Too many connections of one address are open." : "Too many connections are open.", status: 503,
        code: "tooManyConnections")
    }
    /// Bytes of a request's headers together with its request line.
    public var headerLimit = 16 << 10
    /// Bytes of path and query; more is answered 414.
    public var uriLimit = 4 << 10
    /// Bytes of a body; more is answered 413 and not buffered.
    public var bodyLimit = 1 << 20
    /// How long a client may take from connecting to the end of its headers (the TLS handshake included). One that has
    /// begun them is answered 408 then.
    public var headerTimeout = TimeSpan.seconds(10)
    /// How long a body may take; then 408 is answered.
    public var bodyTimeout = TimeSpan.seconds(30)
    /// Bytes a second at which a body that goes to an ``HTTPBodySink`` has to come, in every ``bodyTimeout`` of it.
    public var uploadRate = 16 << 10
    /// Bytes that are read and thrown away of a body that its ``HTTPBodySink`` has refused.
    public var refusedBodyLimit = 4 << 20
    /// How long such a body is read.
    public var refusedBodyTimeout = TimeSpan.seconds(5)
    /// How long a connection may idle between requests.
    public var idleTimeout = TimeSpan.seconds(30)
    /// How long a response may make no progress because the client does not read.
    public var writeTimeout = TimeSpan.seconds(30)
    /// Limits and times of WebSockets.
    public var webSocket = WebSocketLimits()

    /// The defaults: plain HTTP.
    public init() {}
  }

  /// Counts since the start, and of the present.
  public struct Counters: Sendable, Hashable {
    public var accepted: UInt64 = 0
    /// Connections answered 503 or closed because the limit was reached.
    public var refused: UInt64 = 0
    /// Connections closed for new ones, because too many were open.
    public var evicted: UInt64 = 0
    /// Connections closed because a deadline passed.
    public var timedOut: UInt64 = 0
    public var requests: UInt64 = 0
    public var open = 0
  }
}
