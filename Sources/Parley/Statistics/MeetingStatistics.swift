public import Basics
public import Media
public import RTC

/// What a meeting's media did so far, in the terms of W3C's WebRTC statistics. Counts grow from the connection's start; a rejoin starts anew.
public struct MeetingStatistics: Sendable {
  /// The path and the estimate.
  public var transport: TransportStatistics
  /// What is sent, one entry a stream: a simulcast track has three.
  public var outbound: [OutboundStreamStatistics]
  /// What is received, one entry a subscription.
  public var inbound: [InboundTrackStatistics]
}

/// The transport of a meeting (`RTCTransportStats`, `RTCIceCandidatePairStats`).
public struct TransportStatistics: Sendable {
  /// Media and control packets sent.
  public var packetsSent: UInt64 = 0
  /// Media and control packets received.
  public var packetsReceived: UInt64 = 0
  /// Bytes sent, with the headers above UDP.
  public var bytesSent: UInt64 = 0
  /// Bytes received, with the headers above UDP.
  public var bytesReceived: UInt64 = 0
  /// Datagrams that were dropped, for whatever reason.
  public var packetsDiscarded: UInt64 = 0
  /// The round-trip time by RTCP; nil while unknown.
  public var roundTripTime: TimeSpan?
  /// What the network bears in sending, by the estimate.
  public var availableOutgoingBitrate = DataRate.zero
  /// Our end of the path; nil while there is none.
  public var localAddress: TransportAddress?
  /// The other end of the path.
  public var remoteAddress: TransportAddress?
  /// `udp`, `tcp` or `relay`.
  public var transportProtocol = "udp"
}

/// What is received of one publication (`RTCInboundRtpStreamStats`).
public struct InboundTrackStatistics: Sendable {
  /// The publication's id; nil for a slot that carries nothing now.
  public var publication: String?
  /// Whose it is.
  public var participant: String?
  /// The slot's m-section.
  public var mid: MID
  /// Packets.
  public var rtp: InboundStreamStatistics
  /// Frames and freezes; nil for audio.
  public var video: VideoJitterStatistics?
  /// Samples and concealment; nil for video, and for audio that nobody hears.
  public var audio: AudioPlayoutStatistics?
  /// Pictures decoded; 0 for audio, and for video that nobody watches.
  public var framesDecoded = 0
}

extension Meeting {
  /// What media did so far; nil while there is no connection. Costs one visit to the media thread.
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
