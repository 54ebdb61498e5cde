public import Basics

/// A STUN or TURN server that a client may use, in the form of the W3C's `RTCIceServer`: URLs of RFC 7064 and RFC 7065,
/// and for TURN the credentials.
///
///     IceServer(
///       urls: ["turn:turn.example.org", "turns:turn.example.org:443?transport=tcp"], username: "ann",
///       credential: Secret("…"))
public struct IceServer: Hashable, Sendable {
  /// How many URLs of all servers together are looked at; the rest is ignored. Each may cost sockets and allocations.
  public static let maximumURLs = 16
  /// The longest user name of a TURN server, in bytes (RFC 8489 section 14.3).
  public static let maximumUsername = 508

  /// `stun:`, `turn:` and `turns:` URLs. Those that cannot be used are ignored with a reason, see
  /// ``PeerConnection/ignoredIceServers``.
  public var urls: [String]
  /// The user name for TURN.
  public var username: String?
  /// The password for TURN.
  public var credential: Secret<String>?

  public init(urls: [String], username: String? = nil, credential: Secret<String>? = nil) {
    self.urls = urls
    self.username = username
    self.credential = credential
  }
}

/// The allowed paths, as the W3C's `RTCIceTransportPolicy`.
public enum IceTransportPolicy: Hashable, Sendable {
  /// Direct paths and those through TURN servers.
  case all
  /// Only ways through a TURN server: nobody but that server learns our address.
  case relay
}

/// A URL of an ``IceServer`` that is not used, and why.
public struct IgnoredIceServer: Hashable, Sendable {
  /// The URL as it was given, cut to 256 bytes.
  public let url: String
  /// Why it is not used.
  public let reason: IceServerURLError
}
