public import Foundation
import Parley

/// Counts of a subscriber's received video.
open class OTSubscriberKitVideoNetworkStats: NSObject {
  /// Packets that did not come.
  open internal(set) var videoPacketsLost: UInt64 = 0
  open internal(set) var videoPacketsReceived: UInt64 = 0
  /// Bytes received.
  open internal(set) var videoBytesReceived: UInt64 = 0
  /// Now, in milliseconds since 1970.
  open internal(set) var timestamp: Double = 0
  /// The publisher's measurements of its connection: always nil, since no client here reports them to others.
  open internal(set) var senderStats: OTSenderStats?
  /// Pixels a row; 0 before the first frame.
  open internal(set) var width: Int32 = 0
  /// Height in pixels.
  open internal(set) var height: Int32 = 0
  /// Frames decoded in the last second.
  open internal(set) var decodedFrameRate: Double = 0
  /// Bits of video in the last second.
  open internal(set) var bitrate: Int64 = 0
  /// The same with the headers of the packets.
  open internal(set) var totalBitrate: Int64 = 0
  /// Such as `VP8`.
  open internal(set) var codec: String?
  /// How often no frame came for 5 seconds.
  open internal(set) var pauseCount: Int64 = 0
  /// How long that was in all, in milliseconds.
  open internal(set) var totalPausesDuration: Int64 = 0
  /// How often a frame was shown for longer than it should be.
  open internal(set) var freezeCount: Int64 = 0
  /// How long that was in all, in milliseconds.
  open internal(set) var totalFreezesDuration: Int64 = 0

  /// Holds no measurements; for subclasses only.
  public override init() { super.init() }

  public init(packetsLost: UInt64, packetsReceived: UInt64, bytesReceived: UInt64, timestamp: Double) {
    super.init()
    (videoPacketsLost, videoPacketsReceived) = (packetsLost, packetsReceived)
    (videoBytesReceived, self.timestamp) = (bytesReceived, timestamp)
  }

  /// These counts, and what the sender measures.
  public init(
    packetsLost: UInt64, packetsReceived: UInt64, bytesReceived: UInt64, timestamp: Double, senderStats: OTSenderStats?
  ) {
    super.init()
    (videoPacketsLost, videoPacketsReceived) = (packetsLost, packetsReceived)
    (videoBytesReceived, self.timestamp, self.senderStats) = (bytesReceived, timestamp, senderStats)
  }

  convenience init(_ counts: ReceivedCounts) {
    self.init(
      packetsLost: counts.lost, packetsReceived: counts.packets, bytesReceived: counts.bytes, timestamp: counts.now)
  }
}

/// Counts of a subscriber's received audio.
open class OTSubscriberKitAudioNetworkStats: NSObject {
  /// Packets that did not come.
  open internal(set) var audioPacketsLost: UInt64 = 0
  open internal(set) var audioPacketsReceived: UInt64 = 0
  /// Bytes received.
  open internal(set) var audioBytesReceived: UInt64 = 0
  /// Now, in milliseconds since 1970.
  open internal(set) var timestamp: Double = 0
  /// The publisher's measurements of its connection: always nil, since no client here reports them to others.
  open internal(set) var senderStats: OTSenderStats?

  /// Holds no measurements; for subclasses only.
  public override init() { super.init() }

  public init(packetsLost: UInt64, packetsReceived: UInt64, bytesReceived: UInt64, timestamp: Double) {
    super.init()
    (audioPacketsLost, audioPacketsReceived) = (packetsLost, packetsReceived)
    (audioBytesReceived, self.timestamp) = (bytesReceived, timestamp)
  }

  /// These counts, and what the sender measures.
  public init(
    packetsLost: UInt64, packetsReceived: UInt64, bytesReceived: UInt64, timestamp: Double, senderStats: OTSenderStats?
  ) {
    super.init()
    (audioPacketsLost, audioPacketsReceived) = (packetsLost, packetsReceived)
    (audioBytesReceived, self.timestamp, self.senderStats) = (bytesReceived, timestamp, senderStats)
  }

  convenience init(_ counts: ReceivedCounts) {
    self.init(
      packetsLost: counts.lost, packetsReceived: counts.packets, bytesReceived: counts.bytes, timestamp: counts.now)
  }
}

struct ReceivedCounts: Sendable {
  var lost: UInt64 = 0
  var packets: UInt64 = 0
  var bytes: UInt64 = 0
  var now = Date().timeIntervalSince1970 * 1_000

  init(_ counts: TrackCounts) {
    (lost, packets, bytes) = (UInt64(max(counts.lost, 0)), counts.packets, counts.bytes)
  }
}
