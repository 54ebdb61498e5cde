import Basics
import RTC

/// RTCP: reports that arrive, and those that are due.
extension MediaSession {
  func takeReports(_ compound: Span<UInt8>, _ now: Instant) {
    due.insert(.sender)
    var reader = RTCPReader()
    while let message = try? reader.next(in: compound) {
      sender.receive(message, in: compound, now: now)
      receiver.receive(message, in: compound, now: now)
      switch message {
      case .receiverReport, .senderReport: prepareForLoss()
      default: break
      }
    }
  }

  /// Reports losses that the server names to publishers; about once a second.
  private func prepareForLoss() {
    guard !publishers.isEmpty else { return }
    for stream in sender.statistics() { publishers[stream.mid]?.prepare(forLoss: stream.remote?.fractionLost ?? 0) }
  }

  func sendReports(_ now: Instant, _ srtp: SRTPSender, _ route: IceRoute) {
    scratch.withUnsafeMutableBufferPointer { bytes in
      var buffer = bytes.mutableSpan
      // Bounded: each makes progress, but a fault must not hold the thread.
      for _ in 0..<16 {
        guard let length = receiver.makeFeedback(now: now, sender: reporter, into: &buffer),
          let total = try? srtp.protectRTCP(&buffer, length: length)
        else { break }
        send(buffer.span.extracting(0..<total), route)
      }
      guard due.contains(.sender) else { return }
      if let length = sender.makeReports(now: now, clock: UnixTime.clock, into: &buffer),
        let total = try? srtp.protectRTCP(&buffer, length: length)
      {
        send(buffer.span.extracting(0..<total), route)
      }
    }
  }
}
