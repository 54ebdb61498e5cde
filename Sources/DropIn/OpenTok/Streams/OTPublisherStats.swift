public import Foundation
import Parley

/// Counts of a publisher's sent video.
open class OTPublisherKitVideoNetworkStats: NSObject {
  /// Empty: the server passes everything on.
  open internal(set) var connectionId = ""
  /// Empty when this module makes the statistics.
  open internal(set) var subscriberId = ""
  /// Packets that did not reach the server.
  open internal(set) var videoPacketsLost: Int64 = 0
  open internal(set) var videoPacketsSent: Int64 = 0
  /// Bytes sent.
  open internal(set) var videoBytesSent: Int64 = 0
  /// Now, in milliseconds since 1970.
  open internal(set) var timestamp: Double = 0
  /// When it began, likewise.
  open internal(set) var startTime: Double = 0
  /// The sizes that are sent, a layer each, the largest last.
  open internal(set) var videoLayers: [OTPublisherKitVideoLayerStats] = []
  /// The way to the server, as ``OTPublisherKitMediaLinkStats`` has it; nil in statistics of an app's own.
  open internal(set) var transport: OTTransportStats?

  /// Holds no measurements; for subclasses only.
  public override init() { super.init() }

  public init(
    connectionId: String, subscriberId: String, packetsLost: Int64, packetsSent: Int64, bytesSent: Int64,
    timestamp: Double, startTime: Double
  ) {
    super.init()
    (self.connectionId, self.subscriberId) = (connectionId, subscriberId)
    (videoPacketsLost, videoPacketsSent, videoBytesSent) = (packetsLost, packetsSent, bytesSent)
    (self.timestamp, self.startTime) = (timestamp, startTime)
  }

  convenience init(
    _ counts: SentCounts, _ layers: [OTPublisherKitVideoLayerStats], _ transport: OTTransportStats
  ) {
    self.init(
      connectionId: "", subscriberId: "", packetsLost: counts.lost, packetsSent: counts.packets,
      bytesSent: counts.bytes, timestamp: counts.now, startTime: counts.start)
    (videoLayers, self.transport) = (layers, transport)
  }
}

/// Counts of a publisher's sent audio.
open class OTPublisherKitAudioNetworkStats: NSObject {
  /// Empty: the server passes everything on.
  open internal(set) var connectionId = ""
  /// Empty when this module makes the statistics.
  open internal(set) var subscriberId = ""
  /// Packets that did not reach the server.
  open internal(set) var audioPacketsLost: Int64 = 0
  open internal(set) var audioPacketsSent: Int64 = 0
  /// Bytes sent.
  open internal(set) var audioBytesSent: Int64 = 0
  /// Now, in milliseconds since 1970.
  open internal(set) var timestamp: Double = 0
  /// When it began, likewise.
  open internal(set) var startTime: Double = 0

  /// Holds no measurements; for subclasses only.
  public override init() { super.init() }

  public init(
    connectionId: String, subscriberId: String, packetsLost: Int64, packetsSent: Int64, bytesSent: Int64,
    timestamp: Double, startTime: Double
  ) {
    super.init()
    (self.connectionId, self.subscriberId) = (connectionId, subscriberId)
    (audioPacketsLost, audioPacketsSent, audioBytesSent) = (packetsLost, packetsSent, bytesSent)
    (self.timestamp, self.startTime) = (timestamp, startTime)
  }

  convenience init(_ counts: SentCounts) {
    self.init(
      connectionId: "", subscriberId: "", packetsLost: counts.lost, packetsSent: counts.packets,
      bytesSent: counts.bytes, timestamp: counts.now, startTime: counts.start)
  }
}

/// A report about everything that a publisher sends.
open class OTPublisherRtcStats: NSObject {
  /// Empty: the server passes everything on.
  open var connectionId = ""
  /// An array of objects with the names of the W3C's statistics (`outbound-rtp`), as JSON.
  open var jsonArrayOfReports = "[]"

  public override init() { super.init() }

  convenience init(_ json: String) {
    self.init()
    jsonArrayOfReports = json
  }
}

struct SentCounts: Sendable {
  var lost: Int64 = 0
  var packets: Int64 = 0
  var bytes: Int64 = 0
  var now = Date().timeIntervalSince1970 * 1_000
  var start = 0.0

  init(_ counts: TrackCounts, start: Double) {
    (lost, packets) = (counts.lost, Int64(clamping: counts.packets))
    (bytes, self.start) = (Int64(clamping: counts.bytes), start)
  }
}
