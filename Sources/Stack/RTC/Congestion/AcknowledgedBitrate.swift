public import Basics

/// The rate at which the receiver gets packets, from the arrival times in its feedback.
///
/// Samples over 150 ms (the first over 500 ms) are weighed by their distance from the estimate so far. So one odd
/// sample moves little, and a lasting change is followed within about half a second. A plain value.
public struct AcknowledgedBitrate: Sendable {
  private static let firstWindow: Int64 = 500_000_000
  private static let window: Int64 = 150_000_000
  /// Without arrivals for this long there is no rate to measure.
  private static let pause: Int64 = 1_000_000_000

  private var last: Int64?
  private var elapsed: Int64 = 0
  private var bytes: Int64 = 0
  private var estimate: Double?
  private var variance = 50.0

  public init() {}

  /// nil until enough packets have arrived.
  public var rate: DataRate? { estimate.map { DataRate(bitsPerSecond: Int64(min(max($0, 0), 1e8) * 1_000)) } }

  /// Takes a packet that arrived. `isLimited`: the application sent less than it may, so low samples say little.
  public mutating func add(_ result: PacketResult, isLimited: Bool) {
    let received = result.received.nanoseconds
    defer { last = max(last ?? received, received) }
    let window = estimate == nil ? Self.firstWindow : Self.window
    if let last {
      let step = received &- last
      if step < -2_000_000_000 || step > Self.pause {
        // The receiver's clock jumped, nothing was sent for long, or the path stood still: start again, with the
        // estimate so far.
        self.last = received
        elapsed = 0
        bytes = 0
        return
      }
      elapsed &+= max(step, 0)
    }
    if elapsed >= window {
      sample(Double(bytes) * 8 / (Double(elapsed) / 1e6), isLimited: isLimited)
      elapsed = 0
      bytes = 0
    }
    bytes &+= Int64(result.packet.size)
  }

  /// A change is to be expected: the next samples count more.
  public mutating func expectChange() { variance += 200 }

  /// Bayes: two normal distributions, what is believed and what is seen, are multiplied. In kb/s.
  private mutating func sample(_ seen: Double, isLimited: Bool) {
    guard let believed = estimate else {
      estimate = seen
      return
    }
    let scale = isLimited && seen < believed ? 20.0 : 10.0
    let uncertainty = scale * abs(believed - seen) / max(believed + min(seen, 1_000), 1)
    let seenVariance = uncertainty * uncertainty
    let predicted = variance + 5
    let sum = max(seenVariance + predicted, 1e-9)
    estimate = max((seenVariance * believed + predicted * seen) / sum, 0)
    variance = min(seenVariance * predicted / sum, 1e6)
  }
}
