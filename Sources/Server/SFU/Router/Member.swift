public import Basics
import RTC

/// A participant as a router sees it: what it sends, what it receives, and when it must next be told something.
public final class Member {
  public let id: ParticipantID
  /// The router's number for it, reused after it left.
  public let index: Int
  /// The half that receives from it.
  public let ingress: Ingress
  /// The half that sends to it.
  public let egress: Egress
  /// How well it is connected.
  public private(set) var quality = ConnectionQualityMeter()
  private var measurements = ConnectionMeasurements()

  /// The SSRC under which receiver reports and feedback are sent to it.
  let reporter: SSRC
  /// The canonical name under which slots are described (RFC 3550 section 6.5.1); the one in the answer.
  public var canonicalName = "parley"
  /// When a report of what it receives last told the round trip. A participant who receives nothing is asked otherwise.
  var lastRoundTripReport = Instant.zero
  /// When the next regular report to it is due.
  var nextReport: Instant
  /// The deadline that the router's heap has.
  var scheduled = Instant.distantFuture
  var fullIntraRequests: UInt8 = 0
  /// What it was last told that it is not sent for lack of bandwidth.
  var paused: [PausedPublication] = []

  init(id: ParticipantID, index: Int, reporter: SSRC, clock: NTPClock, now: Instant) {
    self.id = id
    self.index = index
    self.reporter = reporter
    ingress = Ingress(participant: index, now: now)
    egress = Egress(participant: index, clock: clock)
    nextReport = now + .milliseconds(500)
  }

  /// The earliest of what is due.
  var deadline: Instant {
    min(
      min(min(nextReport, ingress.feedback.deadline), min(ingress.nackDeadline, ingress.keyframeDeadline)),
      egress.bandwidthDeadline)
  }

  /// Something authentic came that is no media: a consent check, or data. A participant who only listens isn't lost.
  public func heard(now: Instant) { ingress.lastArrival = now }

  /// Judges the connection from what was measured since the last time; true when the judgement changed.
  func judgeQuality(now: Instant) -> Bool {
    measurements.sample(ingress, egress, now: now).map { quality.update($0) } ?? false
  }
}
