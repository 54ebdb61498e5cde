import Basics
import RTC
public import Signaling

/// The statistics of a meeting's media so far, in the terms of "Identifiers for WebRTC's Statistics API" (W3C
/// webrtc-stats): the same names, counts and meanings. Times are ``Basics/TimeSpan``, rates are ``Basics/DataRate``,
/// levels and shares go from 0 to 1, and a member is nil while it is not known.
///
/// Counts grow from the connection's start, those of received streams from the start of the subscription; a rejoin
/// starts again.
///
/// ```swift
/// if let statistics = await meeting.statistics() {
///   print("\(statistics.transport.bytesReceived) bytes over \(statistics.inbound.count) tracks")
/// }
/// ```
public struct MeetingStatistics: Sendable {
  /// The path, its candidates and the estimate.
  public var transport: TransportStatistics

  /// The sent streams, one entry each: a simulcast track has one for each layer, with the same
  /// ``OutboundTrackStatistics/publication``.
  public var outbound: [OutboundTrackStatistics]

  /// The received streams, one entry a subscription of which a packet came.
  public var inbound: [InboundTrackStatistics]

  /// The publications that aren't received since this client can't decode them. The W3C's statistics have no such
  /// member.
  public var undecodable: [UndecodablePublication]

  /// Frames that were sealed, opened and dropped; nil in a meeting that is not encrypted.
  public var encryption: EncryptionStatistics?
}

extension Meeting {
  /// The statistics of media so far; nil while there is no connection. Costs one visit to the media thread.
  ///
  /// ```swift
  /// if let statistics = await meeting.statistics() { print(statistics.transport.packetsReceived) }
  /// ```
  public func statistics() async -> MeetingStatistics? {
    guard let connection else { return nil }
    let measured = await connection.call { session, now in session.statistics(now: now) }
    guard let measured else { return nil }
    // One walk for everything: there may be hundreds of participants, and reading an observed property isn't free.
    var inbound = [InboundTrackStatistics?](repeating: nil, count: measured.inbound.count)
    var undecodable: [UndecodablePublication] = []
    for participant in participants {
      for publication in participant.publications {
        if let codec = publication.undecodableCodec {
          undecodable.append(
            UndecodablePublication(publication: publication.id, participant: participant.id, codec: codec))
        }
        guard let track = publication.subscription?.track else { continue }
        // A stream that isn't found is of something that is not subscribed to any more.
        for (index, stream) in measured.inbound.enumerated() where track.isSame(as: stream.track) {
          inbound[index] = inbound[index] ?? InboundTrackStatistics(publication, of: participant.id, stream)
        }
      }
    }
    return MeetingStatistics(
      transport: measured.transport, outbound: measured.outbound.compactMap(outbound),
      inbound: inbound.compactMap { $0 }, undecodable: undecodable, encryption: measured.encryption)
  }

  /// Nil for a track that isn't published any more.
  private func outbound(_ stream: SessionStatistics.Outbound) -> OutboundTrackStatistics? {
    let publication = local.publications.first { $0.mid == stream.rtp.mid }
    return publication.map { OutboundTrackStatistics($0, stream) }
  }
}
