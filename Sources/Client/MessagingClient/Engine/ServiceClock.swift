import Basics
import Messaging

/// The service's time of day, counted on from what it has said last. This endpoint's own may be wrong by days.
struct ServiceClock: Sendable {
  private struct Reading {
    var time: MessageTime
    var at: Instant
  }

  private var reading: Reading?

  mutating func set(_ time: MessageTime, at now: Instant) { reading = Reading(time: time, at: now) }

  /// Nil until the service has said its time.
  func time(at now: Instant) -> MessageTime? {
    guard let reading else { return nil }
    let (sum, isTooMuch) = reading.time.milliseconds.addingReportingOverflow((now - reading.at).milliseconds)
    return isTooMuch ? reading.time : MessageTime(milliseconds: sum)
  }
}
