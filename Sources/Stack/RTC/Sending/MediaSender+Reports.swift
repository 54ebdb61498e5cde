public import Basics

extension MediaSender {
  /// Writes one compound RTCP packet when it is due: sender reports with the canonical name of each stream that has
  /// sent (RFC 3550 section 6.4.1), the answer to a request for the round trip (RFC 3611 section 4.5), and goodbyes for
  /// streams that ended. Returns its length, nil when nothing is due. Plain: the caller protects it. Call until nil.
  public mutating func makeReports(now: Instant, clock: NTPClock, into buffer: inout MutableSpan<UInt8>) -> Int? {
    latest = max(latest, now)
    var writer = RTCPWriter()
    if !ended.isEmpty {
      writeGoodbye(&writer, &buffer)
      return writer.length > 0 ? writer.length : nil
    }
    guard nextReport <= now else { return nil }
    let ntp = clock.time(at: now)
    while reportCursor < streams.count {
      if let info = streams[reportCursor].senderInfo(now: now, clock: clock) {
        let before = writer
        do throws(RTCPError) {
          try writer.append(senderReport: info, into: &buffer)
          try writer.append(cname: cname, of: info.ssrc, into: &buffer)
        } catch {
          writer = before
          // A buffer that cannot hold one report ends the round; otherwise the rest goes into the next packet.
          if writer.length > 0 { return finish(&writer, ntp, now, &buffer) }
          break
        }
      }
      reportCursor += 1
    }
    reportCursor = 0
    nextReport = streams.isEmpty ? .distantFuture : now + configuration.reportInterval
    return finish(&writer, ntp, now, &buffer)
  }

  private mutating func finish(
    _ writer: inout RTCPWriter, _ ntp: NTPTime, _ now: Instant, _ buffer: inout MutableSpan<UInt8>
  ) -> Int? {
    guard writer.length > 0 else { return nil }
    if let asked, let first = streams.first {
      let delay = ReferenceDelay(to: asked.time, of: asked.by, arrival: asked.arrival, now: now)
      // If it doesn't fit here, it goes into the next report.
      if (try? writer.append(delay: delay, sender: first.ssrc, into: &buffer)) != nil { self.asked = nil }
    }
    sentReports[sentReportCount & 7] = SentReport(middle: ntp.middle32, sent: now)
    sentReportCount &+= 1
    return writer.length
  }

  /// A compound packet begins with a report, even an empty one (RFC 3550 section 6.1).
  private mutating func writeGoodbye(_ writer: inout RTCPWriter, _ buffer: inout MutableSpan<UInt8>) {
    let count = min(ended.count, 31)
    let gone = Array(ended.prefix(count))
    ended.removeFirst(count)
    do throws(RTCPError) {
      try writer.append(receiverReportFrom: gone[0], blocks: Span(), into: &buffer)
      if !cname.isEmpty { try writer.append(cname: cname, of: gone[0], into: &buffer) }
      try writer.append(byeFor: gone.span, into: &buffer)
    } catch { return }
  }
}
