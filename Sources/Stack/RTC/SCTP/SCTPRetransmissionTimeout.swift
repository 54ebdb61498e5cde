internal import Basics

/// The retransmission timeout (RFC 9260 section 6.3.1): Jacobson's smoothed round trip and its variation.
struct SCTPRetransmissionTimeout {
  private let minimum: TimeSpan
  private let maximum: TimeSpan
  /// SRTT; nil before the first measurement.
  private(set) var smoothed: TimeSpan?
  private var variation = TimeSpan.zero
  /// The time to wait for an acknowledgement now, back-off included.
  private(set) var value: TimeSpan

  init(_ configuration: SCTPConfiguration) {
    minimum = max(configuration.minimumRTO, .milliseconds(1))
    maximum = max(configuration.maximumRTO, minimum)
    value = min(max(configuration.initialRTO, minimum), maximum)
  }

  /// Takes a round trip of something sent once (Karn's rule, C5). Ends a back-off.
  mutating func measured(_ roundTrip: TimeSpan) {
    let sample = min(max(roundTrip, .zero), .seconds(60)).nanoseconds
    if let smoothed {
      let error = abs(smoothed.nanoseconds &- sample)
      variation = TimeSpan(nanoseconds: (variation.nanoseconds &* 3 &+ error) / 4)
      self.smoothed = TimeSpan(nanoseconds: (smoothed.nanoseconds &* 7 &+ sample) / 8)
    } else {
      smoothed = TimeSpan(nanoseconds: sample)
      variation = TimeSpan(nanoseconds: sample / 2)
    }
    let wanted = (smoothed ?? .zero) + variation * 4
    value = min(max(wanted, minimum), maximum)
  }

  /// Doubles the timeout after it passed (section 6.3.3, E2).
  mutating func backOff() { value = min(value * 2, maximum) }
}
