public import Foundation

// The measurements of a connection besides packets, from versions 2.32 to 2.34 of the SDK.

/// The publisher's own measurements of its connection.
open class OTSenderStats: NSObject {
  /// The most bits a second that the estimate may reach.
  open internal(set) var connectionMaxAllocatedBitrate: Int64 = 0
  /// The bits a second that the connection is estimated to take.
  open internal(set) var connectionEstimatedBandwidth: Int64 = 0

  /// Holds no measurements; for subclasses only.
  public override init() { super.init() }

  /// These bits a second.
  public init(maxBitrate: Int64, currentBitrate: Int64) {
    super.init()
    (connectionMaxAllocatedBitrate, connectionEstimatedBandwidth) = (maxBitrate, currentBitrate)
  }
}

/// One size in which a publisher's video is sent.
open class OTPublisherKitVideoLayerStats: NSObject {
  /// Pixels a row.
  open internal(set) var width: Int32 = 0
  /// Height in pixels.
  open internal(set) var height: Int32 = 0
  /// Frames encoded in the last second.
  open internal(set) var encodedFrameRate: Double = 0
  /// Bits of video in the last second.
  open internal(set) var bitrate: Int64 = 0
  /// The same with the headers of the packets.
  open internal(set) var totalBitrate: Int64 = 0
  /// Such as `VP8`.
  open internal(set) var codec: String?
  /// Always nil: each size is a stream of its own.
  open internal(set) var scalabilityMode: String?
  /// Why it is not larger; ``OTPublisherVideoEventReason/none`` when nothing holds it back.
  open internal(set) var qualityLimitationReason = OTPublisherVideoEventReason.none

  /// Holds no measurements; for subclasses only.
  public override init() { super.init() }
}

/// How good a connection is.
public enum OTNetworkCondition: Int32, Sendable {
  /// Nothing is known yet.
  case unknown = 0
  case critical = 1
  case warning = 2
  case fair = 3
  case good = 4
  /// As good as can be.
  case excellent = 5
}

/// Why a connection is not better.
public enum OTNetworkReason: Int32, Sendable {
  /// The stream has no problem.
  case none = 0
  /// Nothing is known yet.
  case unknown = 1
  /// It has no room for more.
  case bandwidth = 2
  case packetLoss = 3
  /// Of `networkConditionChanged` alone: the condition is another one.
  case networkConditionChange = 4
}

/// The side whose connection makes a stream worse.
public enum OTNetworkDegradationSource: Int32, Sendable {
  /// Nothing is known, or nothing makes it worse.
  case none = 0
  /// Both, or it isn't known which.
  case bothOrUnclear = 1
  /// The client's own connection.
  case local = 2
  /// That of the publisher.
  case remote = 3
}

/// How good one way to or from the server is.
open class OTTransportStats: NSObject {
  /// The bits a second that it is estimated to take; 0 while none are known, as on the way from the server.
  open internal(set) var connectionEstimatedBandwidth: Int64 = 0
  /// How good it is.
  open internal(set) var networkCondition = OTNetworkCondition.unknown
  /// Why it is not better.
  open internal(set) var networkConditionReason = OTNetworkReason.unknown

  /// Nothing is known, for subclasses.
  public override init() { super.init() }

  /// A way on which this share of the packets is lost, 0 to 1; nil when nothing is known.
  convenience init(bandwidth: Int64, loss: Double?, isFull: Bool) {
    self.init()
    connectionEstimatedBandwidth = bandwidth
    guard let loss else { return }
    switch loss {
    case ..<0.01: networkCondition = .excellent
    case ..<0.03: networkCondition = .good
    case ..<0.06: networkCondition = .fair
    case ..<0.12: networkCondition = .warning
    default: networkCondition = .critical
    }
    networkConditionReason = networkCondition == .excellent ? .none : .packetLoss
    if isFull, networkCondition.rawValue > OTNetworkCondition.fair.rawValue {
      (networkCondition, networkConditionReason) = (.fair, .bandwidth)
    }
  }
}

/// The connection of a publisher.
open class OTPublisherKitMediaLinkStats: NSObject {
  /// Empty: the server passes everything on.
  open internal(set) var connectionId = ""
  /// Empty when this module makes the statistics.
  open internal(set) var subscriberId = ""
  /// The way to the server.
  open internal(set) var transport = OTTransportStats()

  /// Nothing is known, for subclasses.
  public override init() { super.init() }

  convenience init(_ transport: OTTransportStats) {
    self.init()
    self.transport = transport
  }
}

/// The connections between a publisher and a subscriber.
open class OTSubscriberKitMediaLinkStats: NSObject {
  /// The way from the server.
  open internal(set) var transport = OTTransportStats()
  /// The publisher's way to the server: never known here.
  open internal(set) var remotePublisherTransport = OTTransportStats()
  /// The side that makes the stream worse: the client's own one where packets are lost on it.
  open internal(set) var networkDegradationSource = OTNetworkDegradationSource.none

  /// Nothing is known, for subclasses.
  public override init() { super.init() }

  convenience init(_ transport: OTTransportStats) {
    self.init()
    self.transport = transport
    switch transport.networkCondition {
    case .warning, .critical: networkDegradationSource = .local
    case .unknown, .fair, .good, .excellent: break
    }
  }
}
