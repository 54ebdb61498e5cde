package import Basics

/// Counts of a track, of all its layers together.
package struct TrackCounts: Sendable {
  package var packets: UInt64 = 0
  package var bytes: UInt64 = 0
  package var lost: Int64 = 0
}

/// The figures that drop-in modules report of a stream.
extension MeetingStatistics {
  package func sentTracks(of kind: StreamKind) -> [OutboundTrackStatistics] {
    outbound.filter { $0.source == kind.video || $0.source == kind.audio }
  }

  package func receivedTracks(of kind: StreamKind, from participant: String) -> [InboundTrackStatistics] {
    inbound.filter { $0.participant == participant && ($0.source == kind.video || $0.source == kind.audio) }
  }

  package func sentCounts(of source: TrackSource) -> TrackCounts {
    var counts = TrackCounts()
    for each in outbound where each.source == source {
      counts.packets += each.packetsSent
      counts.bytes += each.bytesSent
      counts.lost += Int64(clamping: each.remote?.packetsLost ?? 0)
    }
    return counts
  }

  package func receivedCounts(of source: TrackSource, from participant: String) -> TrackCounts {
    var counts = TrackCounts()
    for each in inbound where each.participant == participant && each.source == source {
      counts.packets += each.packetsReceived
      counts.bytes += each.bytesReceived
      counts.lost += Int64(max(each.packetsLost, 0))
    }
    return counts
  }

  /// The bits a second that the way to the server is estimated to take; nil while nothing is known.
  package var availableBitrate: DataRate? { transport.selectedCandidatePair?.availableOutgoingBitrate }
}

extension CodecStatistics {
  /// The codec's name alone, such as `VP8`.
  package var name: String { mimeType.split(separator: "/").last.map(String.init) ?? mimeType }
}
