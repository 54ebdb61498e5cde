import Basics
import RTC
import SFU

/// A receiver that gets every packet and reports on each, as a browser does every 50 ms.
final class BenchReceiver {
  let member: Member
  private var arrivals = TransportFeedbackRecorder()
  private var next: UInt16 = 1
  private var bytes = [UInt8](repeating: 0, count: 1_200)

  init(member: Member) { self.member = member }

  /// Packets came; they have transport-wide numbers in a row.
  func receive(_ count: Int, now: Instant) {
    for _ in 0..<count {
      arrivals.receive(SequenceNumber(rawValue: next), now: now)
      next &+= 1
    }
  }

  /// The report that is due; nil for none.
  func makeReport(now: Instant) -> [UInt8]? {
    guard arrivals.deadline <= now else { return nil }
    var writer = RTCPWriter()
    var span = bytes.mutableSpan
    let done = arrivals.appendFeedback(
      to: &writer, sender: SSRC(rawValue: 9), media: SSRC(rawValue: 1_000), now: now, into: &span)
    return done ? Array(bytes[0..<writer.length]) : nil
  }
}
