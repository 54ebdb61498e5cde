import Basics
import RTC

/// A stream that a load client receives: checks that nothing is missing or damaged, and how long packets were under way.
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
    guard header.payloadLength >= stampOffset + 12 else {
      // Server-made padding has no content to check.
      if header.payloadLength > 0 { measurement.damaged += 1 }
      return
    }
    var stamp: UInt64 = 0
    for index in 0..<8 { stamp = stamp << 8 | UInt64(datagram[start + index]) }
    let check = UInt32(truncatingIfNeeded: stamp) ^ 0x5041_524C
    var seen: UInt32 = 0
    for index in 8..<12 { seen = seen << 8 | UInt32(datagram[start + index]) }
    guard check == seen else {
      measurement.damaged += 1
      return
    }
    measurement.delays.record(now - Instant(nanoseconds: Int64(bitPattern: stamp)))
  }
}
