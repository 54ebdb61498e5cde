public import Basics

/// The pair of candidates that media goes over, and what its checks measured (W3C Identifiers for WebRTC's Statistics
/// API, `RTCIceCandidatePairStats`).
public struct IceCandidatePair: Hashable, Sendable {
  /// Ours. Behind a NAT it is the one that the peer sees, once checks have reported it.
  public var local: IceCandidate
  /// The peer's. Peer-reflexive if the peer didn't announce it.
  public var remote: IceCandidate
  /// How the TURN server is reached when ``local`` is relayed; nil otherwise.
  public var relayProtocol: IceServerURL.Transport?
  /// The URL of that TURN server; nil otherwise.
  public var relayURL: String?
  /// The round trip that the last answer to a check took, consent checks included; nil while none could be timed.
  public var currentRoundTripTime: TimeSpan?
  /// The sum of all round trips that were timed since the pair was selected, the one that proved it included.
  public var totalRoundTripTime: TimeSpan
  /// How many there were. An answer to a check that was sent more than once is not among them.
  public var responsesReceived: UInt64
}

/// The state of ICE, as the W3C's `RTCIceTransportState`.
public enum IceTransportState: String, Hashable, Sendable {
  /// The peer's description is not known yet.
  case new
  /// Paths are being checked, and none was found so far.
  case checking
  /// A path was found; a better one may still be.
  case connected
  /// A path was found, and nothing is left to check.
  case completed
  /// The path does not answer, or is gone; another one is being looked for.
  case disconnected
  /// No path works. Only an ICE restart helps.
  case failed
  /// The connection is over.
  case closed
}

/// The state of DTLS, as the W3C's `RTCDtlsTransportState`.
public enum DTLSTransportState: String, Hashable, Sendable {
  /// No handshake was begun.
  case new
  /// The handshake is under way.
  case connecting
  /// Keys are agreed on.
  case connected
  /// Closed by either side.
  case closed
  /// Ended by an error.
  case failed
}
