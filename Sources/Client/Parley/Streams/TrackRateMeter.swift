package import Basics
package import RTC

/// The rates of each RTP stream in the last second, from two consecutive statistics.
package struct TrackRateMeter {
  package struct Rate: Sendable {
    /// Bits a second without headers.
    package var payload: Int64 = 0
    /// Bits a second with headers.
    package var total: Int64 = 0
    /// The share of the packets that was lost, 0 to 1; nil when nothing came.
    package var loss: Double?

    package init() {}
  }

  private struct Counts {
    var bytes: UInt64
    var headers: UInt64
    var packets: UInt64 = 0
    var lost: Int64 = 0
  }

  private var before: [SSRC: Counts] = [:]
  private var time = MonotonicClock.now

  package init() {}

  /// Returns the rates of every stream that the statistics before had, too.
  package mutating func rates(of statistics: MeetingStatistics, now: Instant = MonotonicClock.now) -> [SSRC: Rate] {
    var counts: [SSRC: Counts] = [:]
    for each in statistics.outbound { counts[each.ssrc] = Counts(bytes: each.bytesSent, headers: each.headerBytesSent) }
    for each in statistics.inbound {
      counts[each.ssrc] = Counts(
        bytes: each.bytesReceived, headers: each.headerBytesReceived, packets: each.packetsReceived,
        lost: each.packetsLost)
    }
    defer { (before, time) = (counts, now) }
    let seconds = (now - time).seconds
    guard seconds > 0 else { return [:] }
    var rates: [SSRC: Rate] = [:]
    for (ssrc, new) in counts {
      guard let old = before[ssrc], new.bytes >= old.bytes, new.headers >= old.headers, new.packets >= old.packets
      else { continue }
      func bits(_ bytes: UInt64) -> Int64 { Int64(Double(bytes) * 8 / seconds) }
      let (came, lost) = (Double(new.packets - old.packets), Double(max(new.lost - old.lost, 0)))
      var rate = Rate()
      rate.payload = bits(new.bytes - old.bytes)
      rate.total = bits(new.bytes - old.bytes + new.headers - old.headers)
      rate.loss = came + lost > 0 ? lost / (came + lost) : nil
      rates[ssrc] = rate
    }
    return rates
  }
}
