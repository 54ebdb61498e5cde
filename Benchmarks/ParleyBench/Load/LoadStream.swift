import Basics
import RTC

/// A stream that a load client receives: checks that nothing is missing or damaged, and how long packets were under
/// way.
struct LoadStream {
  let ssrc: SSRC
  var statistics: ReceiveStatistics
  private var highest: SequenceNumber?
  private let stampOffset: Int

  init(ssrc: SSRC, kind: MediaKind) {
    self.ssrc = ssrc
    stampOffset = LoadPublication.stampOffset(kind)
    statistics = ReceiveStatistics(ssrc: ssrc, clockRate: kind == .audio ? 48_000 : 90_000)
  }

  mutating func take(_ header: RTPHeader, _ datagram: Span<UInt8>, _ now: Instant, _ measurement: inout Measurement) {
    statistics.receive(header, now: now)
    measurement.received += 1
    measurement.receivedBytes += header.payloadLength
    if let highest {
      let step = header.sequenceNumber.distance(from: highest)
      if step > 1 { measurement.missing += step - 1 } else if step < 0 { measurement.missing -= 1 }
      if step > 0 { self.highest = header.sequenceNumber }
    } else {
      highest = header.sequenceNumber
    }
    let start = header.payloadOffset + stampOffset
    guard header.payloadLength >= stampOffset + PacketStamp.length else {
      // Server-made padding has no content to check.
      if header.payloadLength > 0 { measurement.damaged += 1 }
      return
    }
    guard let sent = PacketStamp.read(datagram, at: start) else {
      measurement.damaged += 1
      return
    }
    measurement.delays.record(now - sent)
  }
}
