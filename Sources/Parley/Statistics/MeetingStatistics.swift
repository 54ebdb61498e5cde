public import Basics
public import Media
public import RTC

/// What a meeting's media did so far, in the terms of W3C's WebRTC statistics. Counts grow from the connection's start; a rejoin starts anew.
///
/// ```swift
/// if let statistics = await meeting.statistics() {
///   print("\(statistics.transport.bytesReceived) bytes over \(statistics.inbound.count) tracks")
/// }
/// ```
public struct MeetingStatistics: Sendable {
  /// The path and the estimate.
  ///
  /// ```swift
  /// let trip = statistics.transport.roundTripTime
  /// ```
  public var transport: TransportStatistics
  /// What is sent, one entry a stream: a simulcast track has three.
  ///
  /// ```swift
  /// let layers = statistics.outbound.count
  /// ```
  public var outbound: [OutboundStreamStatistics]
  /// What is received, one entry a subscription.
  ///
  /// ```swift
  /// let lost = statistics.inbound.map(\.rtp.packetsLost)
  /// ```
  public var inbound: [InboundTrackStatistics]
}

/// The transport of a meeting (`RTCTransportStats`, `RTCIceCandidatePairStats`).
///
/// ```swift
/// let transport = statistics.transport
/// print("\(transport.transportProtocol) to \(transport.remoteAddress?.text ?? "nowhere")")
/// ```
public struct TransportStatistics: Sendable {
  /// Media and control packets sent.
  ///
  /// ```swift
  /// let rate = Double(statistics.transport.packetsSent - before.transport.packetsSent) / seconds
  /// ```
  public var packetsSent: UInt64 = 0
  /// Media and control packets received.
  ///
  /// ```swift
  /// let isSilent = statistics.transport.packetsReceived == before.transport.packetsReceived
  /// ```
  public var packetsReceived: UInt64 = 0
  /// Bytes sent, with the headers above UDP.
  ///
  /// ```swift
  /// let upload = Double(statistics.transport.bytesSent - before.transport.bytesSent) * 8 / seconds
  /// ```
  public var bytesSent: UInt64 = 0
  /// Bytes received, with the headers above UDP.
  ///
  /// ```swift
  /// let download = Double(statistics.transport.bytesReceived - before.transport.bytesReceived) * 8 / seconds
  /// ```
  public var bytesReceived: UInt64 = 0
  /// Datagrams that were dropped, for whatever reason.
  ///
  /// ```swift
  /// if statistics.transport.packetsDiscarded > before.transport.packetsDiscarded { print("Datagrams were dropped.") }
  /// ```
  public var packetsDiscarded: UInt64 = 0
  /// The round-trip time by RTCP; nil while unknown.
  ///
  /// ```swift
  /// if let trip = statistics.transport.roundTripTime { print("\(trip.milliseconds) ms there and back") }
  /// ```
  public var roundTripTime: TimeSpan?
  /// What the network bears in sending, by the estimate.
  ///
  /// ```swift
  /// print("\(statistics.transport.availableOutgoingBitrate.bitsPerSecond / 1_000) kb/s can be sent.")
  /// ```
  public var availableOutgoingBitrate = DataRate.zero
  /// Our end of the path; nil while there is none.
  ///
  /// ```swift
  /// print("from \(statistics.transport.localAddress?.text ?? "nowhere")")
  /// ```
  public var localAddress: TransportAddress?
  /// The other end of the path.
  ///
  /// ```swift
  /// print("to \(statistics.transport.remoteAddress?.text ?? "nowhere")")
  /// ```
  public var remoteAddress: TransportAddress?
  /// `udp` or `tcp`.
  ///
  /// ```swift
  /// if statistics.transport.transportProtocol == "tcp" { print("Media goes over TCP.") }
  /// ```
  public var transportProtocol = "udp"
}

/// What is received of one publication (`RTCInboundRtpStreamStats`).
///
/// ```swift
/// for track in statistics.inbound where track.video != nil {
///   print(track.participant ?? "nobody", track.framesDecoded)
/// }
/// ```
public struct InboundTrackStatistics: Sendable {
  /// The publication's id; nil for a slot that carries nothing now.
  ///
  /// ```swift
  /// let ofScreen = statistics.inbound.first { $0.publication == publication.id }
  /// ```
  public var publication: String?
  /// Whose it is.
  ///
  /// ```swift
  /// let ofAnn = statistics.inbound.filter { $0.participant == participant.id }
  /// ```
  public var participant: String?
  /// The slot's m-section.
  ///
  /// ```swift
  /// for track in statistics.inbound { print("a=mid:\(track.mid.rawValue)") }
  /// ```
  public var mid: MID
  /// Packets.
  ///
  /// ```swift
  /// let lost = statistics.inbound.reduce(0) { $0 + $1.rtp.packetsLost }
  /// ```
  public var rtp: InboundStreamStatistics
  /// Frames and freezes; nil for audio.
  ///
  /// ```swift
  /// let freezes = statistics.inbound.compactMap(\.video?.freezeCount).reduce(0, +)
  /// ```
  public var video: VideoJitterStatistics?
  /// Samples and concealment; nil for video, and for audio that nobody hears.
  ///
  /// ```swift
  /// let concealed = statistics.inbound.compactMap(\.audio?.concealedSamples)
  /// ```
  public var audio: AudioPlayoutStatistics?
  /// Pictures decoded; 0 for audio, and for video that nobody watches.
  ///
  /// ```swift
  /// let isWatched = statistics.inbound.contains { $0.framesDecoded > 0 }
  /// ```
  public var framesDecoded = 0
}

extension Meeting {
  /// What media did so far; nil while there is no connection. Costs one visit to the media thread.
  ///
  /// ```swift
  /// if let statistics = await meeting.statistics() { print(statistics.transport.roundTripTime?.milliseconds ?? 0) }
  /// ```
  public func statistics() async -> MeetingStatistics? {
    guard let connection else { return nil }
    let statistics = await connection.call { session, now in session.statistics(now: now) }
    guard var statistics else { return nil }
    let carried = Dictionary(slots.map { ($0.mid, $0) }, uniquingKeysWith: { $1 })
    for index in statistics.inbound.indices {
      let slot = carried[statistics.inbound[index].mid.rawValue]
      statistics.inbound[index].publication = slot?.publication
      statistics.inbound[index].participant = slot?.participant
    }
    return statistics
  }
}
