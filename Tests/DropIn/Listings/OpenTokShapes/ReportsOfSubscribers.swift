// A subscriber's report has a place for an error.
import OpenTok

enum Reports {
  static func ask(_ subscriber: OTSubscriberKit, _ publisher: OTPublisherKit?) -> OTError? {
    var error: OTError?
    subscriber.getRtcStatsReport(&error)
    publisher?.getRtcStatsReport()
    return error
  }
}
