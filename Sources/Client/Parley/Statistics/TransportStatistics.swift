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
  ///
  /// ```swift
  /// let rate = Double(statistics.transport.packetsSent - before.transport.packetsSent) / seconds
  /// ```
  public var packetsSent: UInt64 = 0

  /// Packets received, likewise.
  ///
  /// ```swift
  /// let isSilent = statistics.transport.packetsReceived == before.transport.packetsReceived
  /// ```
  public var packetsReceived: UInt64 = 0

  /// Bytes sent, without what UDP, TCP and TLS put around them; with what a TURN server wants around them.
  ///
  /// ```swift
  /// let upload = Double(statistics.transport.bytesSent - before.transport.bytesSent) * 8 / seconds
  /// ```
  public var bytesSent: UInt64 = 0

  /// Bytes received, likewise.
  ///
  /// ```swift
  /// let download = Double(statistics.transport.bytesReceived - before.transport.bytesReceived) * 8 / seconds
  /// ```
  public var bytesReceived: UInt64 = 0

  /// Datagrams received that were dropped, for whatever reason. Not a member of the W3C's.
  ///
  /// ```swift
  /// if transport.packetsDiscarded > before.transport.packetsDiscarded { print("Datagrams were dropped.") }
  /// ```
  public var packetsDiscarded: UInt64 = 0

  /// Datagrams that this machine's system dropped because this process did not read them in time: loss that is neither the network's nor
  /// the server's. Not a member of the W3C's.
  ///
  /// ```swift
  /// if transport.receiveBufferDrops > before.transport.receiveBufferDrops { print("This machine is too slow.") }
  /// ```
  public var receiveBufferDrops: UInt64 = 0

  /// Where ICE stands.
  ///
  /// ```swift
  /// if transport.iceState == .disconnected { print("The path has gone quiet.") }
  /// ```
  public var iceState = IceTransportState.new

  /// Where DTLS stands.
  ///
  /// ```swift
  /// let isSecured = transport.dtlsState == .connected
  /// ```
  public var dtlsState = DTLSTransportState.new

  /// How often the selected pair changed; the first one counts.
  ///
  /// ```swift
  /// if transport.selectedCandidatePairChanges > 1 { print("Media has changed its way.") }
  /// ```
  public var selectedCandidatePairChanges: UInt64 = 0

  /// The way that media goes; nil while there is none.
  ///
  /// ```swift
  /// if transport.selectedCandidatePair?.local.protocol == .tcp { print("Media goes over TCP.") }
  /// ```
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
  /// This machine's end.
  ///
  /// ```swift
  /// let isRelayed = pair.local.candidateType == .relayed
  /// ```
  public let local: CandidateStatistics

  /// The server's end.
  ///
  /// ```swift
  /// print("Media goes to \(pair.remote.address?.text ?? "a name").")
  /// ```
  public let remote: CandidateStatistics

  /// How long the last answer to a check of the path took, consent checks included, which come every 4 to 6 seconds. Nil while none
  /// could be timed. What RTCP says of a stream is in `RemoteInboundStatistics.roundTripTime`.
  ///
  /// ```swift
  /// if let trip = pair.currentRoundTripTime { print("\(trip.milliseconds) ms there and back") }
  /// ```
  public let currentRoundTripTime: TimeSpan?

  /// The sum of all that were timed.
  ///
  /// ```swift
  /// let mean = pair.totalRoundTripTime.seconds / Double(max(pair.responsesReceived, 1))
  /// ```
  public let totalRoundTripTime: TimeSpan

  /// How many there were.
  ///
  /// ```swift
  /// let wasChecked = pair.responsesReceived > 0
  /// ```
  public let responsesReceived: UInt64

  /// What the network bears in sending, by the estimate; nil before the first report of the server on what was sent.
  ///
  /// ```swift
  /// if let rate = pair.availableOutgoingBitrate { print("\(rate.bitsPerSecond / 1_000) kb/s can be sent.") }
  /// ```
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
  /// What the address is: `host`, `srflx`, `prflx` or `relay`.
  ///
  /// ```swift
  /// if pair.local.candidateType == .relayed { print("Through \(pair.local.url ?? "a TURN server")") }
  /// ```
  public let candidateType: IceCandidate.Kind

  /// The address. It hides its host part when it is printed; `address.text` is the full one. Nil for a name.
  ///
  /// ```swift
  /// let address = pair.local.address.map(\.description)  // fit for a log: its host part is hidden
  /// ```
  public let address: TransportAddress?

  /// What media is carried in at this end: `udp` or `tcp`. A relayed address takes UDP, however its TURN server is reached.
  ///
  /// ```swift
  /// let isUDP = pair.local.protocol == .udp
  /// ```
  public let `protocol`: IceTransport

  /// How the TURN server is reached: over UDP, TCP or TLS. Nil for other types and for the remote end.
  ///
  /// ```swift
  /// if pair.local.relayProtocol == .tls { print("Only TLS gets through here.") }
  /// ```
  public let relayProtocol: IceServerURL.Transport?

  /// The URL of the TURN server of a relayed address; nil for other types and for the remote end.
  ///
  /// ```swift
  /// let server = pair.local.url
  /// ```
  public let url: String?

  /// The candidate's priority (RFC 8445 section 5.1.2).
  ///
  /// ```swift
  /// print("candidate priority \(pair.local.priority)")
  /// ```
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
