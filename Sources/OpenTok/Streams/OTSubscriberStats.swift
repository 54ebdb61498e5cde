public import Foundation

/// What of a subscriber's picture was received.
// unchecked: open to subclasses; it is filled when it is made.
open class OTSubscriberKitVideoNetworkStats: NSObject, @unchecked Sendable {
  /// Packets that did not come.
  open internal(set) var videoPacketsLost: UInt64 = 0
  /// Packets received.
  open internal(set) var videoPacketsReceived: UInt64 = 0
  /// Bytes received.
  open internal(set) var videoBytesReceived: UInt64 = 0
  /// Now, in milliseconds since 1970.
  open internal(set) var timestamp: Double = 0
  /// What the publisher's client measures of its connection: always nil, as no client here tells others.
  open internal(set) var senderStats: OTSenderStats?
  /// Pixels a row; 0 before the first picture.
  open internal(set) var width: Int32 = 0
  /// Rows.
  open internal(set) var height: Int32 = 0
  /// Pictures decoded in the last second.
  open internal(set) var decodedFrameRate: Double = 0
  /// Bits of pictures in the last second.
  open internal(set) var bitrate: Int64 = 0
  /// The same with the headers of the packets.
  open internal(set) var totalBitrate: Int64 = 0
  /// Such as `VP8`.
  open internal(set) var codec: String?
  /// How often no picture came for 5 seconds.
  open internal(set) var pauseCount: Int64 = 0
  /// How long that was in all, in milliseconds.
  open internal(set) var totalPausesDuration: Int64 = 0
  /// How often a picture stood for longer than it should.
  open internal(set) var freezeCount: Int64 = 0
  /// How long that was in all, in milliseconds.
  open internal(set) var totalFreezesDuration: Int64 = 0

  /// Nothing, for subclasses.
  public override init() { super.init() }

  /// These counts.
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

/// What of a subscriber's sound was received.
// unchecked: open to subclasses; it is filled when it is made.
open class OTSubscriberKitAudioNetworkStats: NSObject, @unchecked Sendable {
  /// Packets that did not come.
  open internal(set) var audioPacketsLost: UInt64 = 0
  /// Packets received.
  open internal(set) var audioPacketsReceived: UInt64 = 0
  /// Bytes received.
  open internal(set) var audioBytesReceived: UInt64 = 0
  /// Now, in milliseconds since 1970.
  open internal(set) var timestamp: Double = 0
  /// What the publisher's client measures of its connection: always nil, as no client here tells others.
  open internal(set) var senderStats: OTSenderStats?

  /// Nothing, for subclasses.
  public override init() { super.init() }

  /// These counts.
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
}
