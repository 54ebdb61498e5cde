import Basics
import Media
import RTC

/// The figures of a session, before its meeting assigns them to publications.
struct SessionStatistics: Sendable {
  struct Outbound: Sendable {
    var rtp: OutboundStreamStatistics
    /// Nil for what is not encoded here.
    var encoder: VideoEncoderStatistics?
  }

  struct Inbound: Sendable {
    var track: RemoteTrack
    /// Since the subscription began.
    var rtp: InboundStreamStatistics
    var video: VideoJitterStatistics?
    var audio: AudioPlayoutStatistics?
    /// Whether anybody hears it, so that ``audio`` says how loud it is.
    var isHeard = false
  }

  var transport: TransportStatistics
  var outbound: [Outbound]
  var inbound: [Inbound]
  /// Nil in a meeting that is not encrypted.
  var encryption: EncryptionStatistics?
}

extension MediaSession {
  /// Everything that was counted.
  func statistics(now: Instant) -> SessionStatistics {
    var transport = counts
    transport.packetsDiscarded = peer.drops.total
    transport.receiveBufferDrops = output.receiveBufferDrops
    transport.iceState = peer.iceState
    transport.dtlsState = peer.dtlsState
    transport.selectedCandidatePair = peer.selectedCandidatePair.map {
      CandidatePairStatistics($0, availableOutgoingBitrate: sender.availableBitrate)
    }
    let outbound = sender.statistics().map { rtp in
      SessionStatistics.Outbound(rtp: rtp, encoder: publishers[rtp.mid]?.encoderStatistics(rtp.rid))
    }
    let inbound = receiver.statistics().compactMap { rtp -> SessionStatistics.Inbound? in
      guard let slot = slots[rtp.mid], let track = slot.remoteTrack else { return nil }
      var stream = SessionStatistics.Inbound(track: track, rtp: rtp.since(slot.baseline))
      // The stream is older than what the slot carries.
      guard stream.rtp.packetsReceived > 0 else { return nil }
      if let video = slot as? VideoSlot { stream.video = video.buffer.statistics }
      if let audio = slot as? AudioSlot {
        stream.audio = audio.playout?.statistics
        stream.isHeard = audio.isListened || mixSink != nil
      }
      return stream
    }
    return SessionStatistics(transport: transport, outbound: outbound, inbound: inbound, encryption: encryption?.counts)
  }
}

extension InboundStreamStatistics {
  /// The counts after `start`: a slot's stream goes on when the slot carries something else. All of it when the
  /// stream itself is new.
  func since(_ start: InboundStreamStatistics?) -> InboundStreamStatistics {
    guard let start, start.ssrc == ssrc else { return self }
    var rest = self
    rest.packetsReceived &-= start.packetsReceived
    rest.packetsLost &-= start.packetsLost
    rest.bytesReceived &-= start.bytesReceived
    rest.headerBytesReceived &-= start.headerBytesReceived
    rest.retransmittedPacketsReceived &-= start.retransmittedPacketsReceived
    rest.retransmittedBytesReceived &-= start.retransmittedBytesReceived
    rest.fecPacketsReceived &-= start.fecPacketsReceived
    rest.fecPacketsDiscarded &-= start.fecPacketsDiscarded
    rest.nackCount &-= start.nackCount
    rest.pliCount &-= start.pliCount
    rest.firCount &-= start.firCount
    return rest
  }
}
