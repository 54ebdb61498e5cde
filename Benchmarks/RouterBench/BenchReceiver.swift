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

  /// Writes the report that is due and returns its length, 0 for none.
  func writeReport(now: Instant) -> Int {
    guard arrivals.deadline <= now else { return 0 }
    var writer = RTCPWriter()
    var span = bytes.mutableSpan
    let done = arrivals.appendFeedback(
      to: &writer, sender: SSRC(rawValue: 9), media: SSRC(rawValue: 1_000), now: now, into: &span)
    return done ? writer.length : 0
  }

  /// Gives the report to the router.
  func deliver(_ length: Int, to router: Router, now: Instant) {
    let whole = bytes
    router.receiveRTCP(whole.span.extracting(0..<length), from: member, now: now)
  }
}
