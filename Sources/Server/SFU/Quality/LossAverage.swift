import RTC

/// The share of packets lost over the last few seconds. Most of its weight lies in the last three, so that one burst
/// isn't a bad connection and a bad one is noticed within two.
struct LossAverage: Sendable {
  /// The weight of a second after one more.
  private static let fading = 0.6
  /// For fewer packets no share is reported: of three in a second, which is what silence takes, one lost is chance.
  private static let least = 10.0

  private var expected = 0.0
  private var lost = 0.0

  /// Takes what was expected and lost in about a second; `lost` is negative when more came late than was lost.
  mutating func add(expected: Int, lost: Int) {
    self.expected = self.expected * Self.fading + Double(max(expected, 0))
    self.lost = self.lost * Self.fading + Double(min(lost, expected))
  }

  /// The share, 0 to 1.
  var share: Double { expected < Self.least ? 0 : min(max(lost / expected, 0), 1) }
}

/// What a receiver's reports tell of the packets that its own path lost, where it sends no feedback on each of them:
/// what had been lost on the publisher's way to the server is taken off.
struct ReportedLoss: Sendable {
  private(set) var expected = 0
  private(set) var lost = 0
  private var source: (ssrc: UInt32, expected: Int, lost: Int)?

  /// Takes what a report counts since the one before; `stream` is what was forwarded.
  mutating func add(expected: Int, lost: Int, _ stream: SourceStream?) {
    var before = 0.0
    if let stream {
      let now = (
        ssrc: stream.ssrc.rawValue, expected: stream.statistics.expected, lost: Int(stream.statistics.cumulativeLost)
      )
      if let source, source.ssrc == now.ssrc, now.expected > source.expected {
        before = min(max(Double(now.lost - source.lost) / Double(now.expected - source.expected), 0), 1)
      }
      source = now
    }
    self.expected += expected
    let own = lost - Int((before * Double(expected)).rounded(.up))
    self.lost += before > 0 ? max(own, 0) : own
  }

  /// The counts since the last call.
  mutating func take() -> (expected: Int, lost: Int) {
    defer { (expected, lost) = (0, 0) }
    return (expected, lost)
  }
}

extension ReceiveStatistics {
  /// Packets that should have come since the start.
  var expected: Int { Int(receivedCount) + Int(cumulativeLost) }
}
