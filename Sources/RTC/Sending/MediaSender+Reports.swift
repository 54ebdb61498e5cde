public import Basics

extension MediaSender {
  /// Writes one compound RTCP packet when it is due: sender reports with the canonical name of each stream that has sent
  /// (RFC 3550 section 6.4.1), and goodbyes for streams that ended. Returns its length, nil when nothing is due. Plain: the caller
  /// protects it. Call until nil.
  public mutating func makeReports(now: Instant, clock: NTPClock, into buffer: inout MutableSpan<UInt8>) -> Int? {
    var writer = RTCPWriter()
    if nextReport <= now {
      for index in streams.indices {
        guard let info = streams[index].senderInfo(now: now, clock: clock) else { continue }
        let before = writer
        do throws(RTCPError) {
          try writer.append(senderReport: info, into: &buffer)
          try writer.append(cname: cname, of: info.ssrc, into: &buffer)
        } catch {
          writer = before
          break
        }
      }
      nextReport = streams.isEmpty ? .distantFuture : now + configuration.reportInterval
    }
    return writer.length > 0 ? writer.length : nil
  }
}
