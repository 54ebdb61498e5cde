public import Foundation

/// What of a publisher's picture was sent.
public final class OTPublisherKitVideoNetworkStats: NSObject, Sendable {
  /// Empty: the server passes everything on.
  public let connectionId = ""
  /// Empty.
  public let subscriberId = ""
  /// Packets that did not reach the server.
  public let videoPacketsLost: Int64
  /// Packets sent.
  public let videoPacketsSent: Int64
  /// Bytes sent.
  public let videoBytesSent: Int64
  /// Now, in milliseconds since 1970.
  public let timestamp: Double
  /// When it began, likewise.
  public let startTime: Double

  init(_ counts: SentCounts) {
    (videoPacketsLost, videoPacketsSent, videoBytesSent) = (counts.lost, counts.packets, counts.bytes)
    (timestamp, startTime) = (counts.now, counts.start)
    super.init()
  }
}

/// What of a publisher's sound was sent.
public final class OTPublisherKitAudioNetworkStats: NSObject, Sendable {
  /// Empty: the server passes everything on.
  public let connectionId = ""
  /// Empty.
  public let subscriberId = ""
  /// Packets that did not reach the server.
  public let audioPacketsLost: Int64
  /// Packets sent.
  public let audioPacketsSent: Int64
  /// Bytes sent.
  public let audioBytesSent: Int64
  /// Now, in milliseconds since 1970.
  public let timestamp: Double
  /// When it began, likewise.
  public let startTime: Double

  init(_ counts: SentCounts) {
    (audioPacketsLost, audioPacketsSent, audioBytesSent) = (counts.lost, counts.packets, counts.bytes)
    (timestamp, startTime) = (counts.now, counts.start)
    super.init()
  }
}

/// What of a subscriber's picture was received.
public final class OTSubscriberKitVideoNetworkStats: NSObject, Sendable {
  /// Packets that did not come.
  public let videoPacketsLost: UInt64
  /// Packets received.
  public let videoPacketsReceived: UInt64
  /// Bytes received.
  public let videoBytesReceived: UInt64
  /// Now, in milliseconds since 1970.
  public let timestamp: Double

  init(_ counts: ReceivedCounts) {
    (videoPacketsLost, videoPacketsReceived) = (counts.lost, counts.packets)
    (videoBytesReceived, timestamp) = (counts.bytes, counts.now)
    super.init()
  }
}

/// What of a subscriber's sound was received.
public final class OTSubscriberKitAudioNetworkStats: NSObject, Sendable {
  /// Packets that did not come.
  public let audioPacketsLost: UInt64
  /// Packets received.
  public let audioPacketsReceived: UInt64
  /// Bytes received.
  public let audioBytesReceived: UInt64
  /// Now, in milliseconds since 1970.
  public let timestamp: Double

  init(_ counts: ReceivedCounts) {
    (audioPacketsLost, audioPacketsReceived) = (counts.lost, counts.packets)
    (audioBytesReceived, timestamp) = (counts.bytes, counts.now)
    super.init()
  }
}

/// A report about everything that a publisher sends.
public final class OTPublisherRtcStats: NSObject, Sendable {
  /// Empty: the server passes everything on.
  public let connectionId = ""
  /// An array of objects with the names of the W3C's statistics (`outbound-rtp`), as JSON.
  public let jsonArrayOfReports: String

  init(_ json: String) {
    jsonArrayOfReports = json
    super.init()
  }
}

struct SentCounts: Sendable {
  var lost: Int64 = 0
  var packets: Int64 = 0
  var bytes: Int64 = 0
  var now = Date().timeIntervalSince1970 * 1_000
  var start = 0.0
}

struct ReceivedCounts: Sendable {
  var lost: UInt64 = 0
  var packets: UInt64 = 0
  var bytes: UInt64 = 0
  var now = Date().timeIntervalSince1970 * 1_000
}
