public import Basics
public import RTC

/// The transport of a meeting (`RTCTransportStats`). Everything shares one.
///
/// ```swift
/// if let pair = statistics.transport.selectedCandidatePair {
///   print("\(pair.local.candidateType) to \(pair.remote.address?.text ?? "a name")")
/// }
/// ```
public struct TransportStatistics: Sendable {
  /// Packets sent: media, RTCP, DTLS and STUN.
  public var packetsSent: UInt64 = 0

  public var packetsReceived: UInt64 = 0

  /// Bytes sent, without what UDP, TCP and TLS put around them; with what a TURN server wants around them.
  public var bytesSent: UInt64 = 0

  /// Bytes received, likewise.
  public var bytesReceived: UInt64 = 0

  /// Datagrams received that were dropped, for whatever reason. Not a member of the W3C's.
  public var packetsDiscarded: UInt64 = 0

  /// Datagrams that this machine's system dropped because this process did not read them in time: loss that is neither
  /// the network's nor the server's. Not a member of the W3C's.
  public var receiveBufferDrops: UInt64 = 0

  public var iceState = IceTransportState.new

  public var dtlsState = DTLSTransportState.new

  /// How often the selected pair changed; the first one counts.
  public var selectedCandidatePairChanges: UInt64 = 0

  /// The way that media goes; nil while there is none.
  public var selectedCandidatePair: CandidatePairStatistics?
}

/// The pair of candidates that media goes over (`RTCIceCandidatePairStats`).
///
/// ```swift
/// if let pair = transport.selectedCandidatePair, let trip = pair.currentRoundTripTime {
///   print("\(trip.milliseconds) ms over \(pair.local.candidateType)")
/// }
/// ```
public struct CandidatePairStatistics: Hashable, Sendable {
  public let local: CandidateStatistics

  public let remote: CandidateStatistics

  /// How long the last answer to a check of the path took, consent checks included, which come every 4 to 6 seconds.
  /// Nil while none could be timed. RTCP's figures of a stream are in `RemoteInboundStatistics.roundTripTime`.
  public let currentRoundTripTime: TimeSpan?

  /// The sum of all that were timed.
  public let totalRoundTripTime: TimeSpan

  /// How many there were.
  public let responsesReceived: UInt64

  /// The estimated capacity for sending; nil before the first report of the server on what was sent.
  public let availableOutgoingBitrate: DataRate?

  init(_ pair: IceCandidatePair, availableOutgoingBitrate: DataRate?) {
    local = CandidateStatistics(pair.local, relayProtocol: pair.relayProtocol, url: pair.relayURL)
    remote = CandidateStatistics(pair.remote)
    currentRoundTripTime = pair.currentRoundTripTime
    totalRoundTripTime = pair.totalRoundTripTime
    responsesReceived = pair.responsesReceived
    self.availableOutgoingBitrate = availableOutgoingBitrate
  }
}

/// One end of a path (`RTCIceCandidateStats`).
///
/// ```swift
/// for end in [pair.local, pair.remote] { print(end.candidateType, end.address?.text ?? "a name") }
/// ```
public struct CandidateStatistics: Hashable, Sendable {
  /// The kind of address: `host`, `srflx`, `prflx` or `relay`.
  public let candidateType: IceCandidate.Kind

  /// The address. It hides its host part when it is printed; `address.text` is the full one. Nil for a name.
  public let address: TransportAddress?

  /// The transport at this end: `udp` or `tcp`. A relayed address takes UDP, however its TURN server is reached.
  public let `protocol`: IceTransport

  /// How the TURN server is reached: over UDP, TCP or TLS. Nil for other types and for the remote end.
  public let relayProtocol: IceServerURL.Transport?

  /// The URL of the TURN server of a relayed address; nil for other types and for the remote end.
  public let url: String?

  /// The candidate's priority (RFC 8445 section 5.1.2).
  public let priority: UInt32

  init(_ candidate: IceCandidate, relayProtocol: IceServerURL.Transport? = nil, url: String? = nil) {
    candidateType = candidate.kind
    address = candidate.transportAddress
    self.protocol = candidate.transport
    self.relayProtocol = relayProtocol
    self.url = url
    priority = candidate.priority
  }
}
