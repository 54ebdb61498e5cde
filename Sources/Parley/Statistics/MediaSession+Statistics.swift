import Basics
import Media
import RTC

extension MediaSession {
  /// Everything that was counted.
  func statistics(now: Instant) -> MeetingStatistics {
    var transport = counts
    transport.packetsDiscarded = peer.drops.total
    transport.roundTripTime = sender.roundTripTime
    transport.availableOutgoingBitrate = sender.targetBitrate
    transport.localAddress = peer.selectedPath?.local
    transport.remoteAddress = peer.selectedPath?.remote
    if let path = peer.selectedPath { transport.transportProtocol = path.transport == .udp ? "udp" : "tcp" }
    let inbound = receiver.statistics().map { rtp in
      var track = InboundTrackStatistics(mid: rtp.mid, rtp: rtp)
      switch slots[rtp.mid] {
      case let slot as VideoSlot:
        track.video = slot.buffer.statistics
        track.framesDecoded = slot.track?.framesDecoded ?? 0
      case let slot as AudioSlot: track.audio = slot.playout?.statistics
      default: break
      }
      return track
    }
    return MeetingStatistics(transport: transport, outbound: sender.statistics(), inbound: inbound)
  }
}
