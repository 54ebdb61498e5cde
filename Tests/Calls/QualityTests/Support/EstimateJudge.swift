/// Compares the estimate for one receiver with the truth, ten times a second: how near it is in each second, and for
/// how long it is above.
///
/// The truth of a path that several share is the rest that the others leave this receiver at their present rates, and
/// never less than its equal share. So estimates may add up to more than the path takes and none be wrong: a receiver
/// that gets little leaves the rest to each of the others, and each may have it, if not all at once. An estimate is
/// wrong if even one receiver alone could not be served with it.
struct EstimateJudge {
  /// The estimate's share of the truth in each second that was judged.
  private(set) var shares: [Double] = []
  /// The longest time in a row that the estimate lay above the truth, in seconds.
  private(set) var above = 0.0

  private var since: Double?
  private var sum = 0.0
  private var count = 0

  /// Takes one moment, in kb/s.
  /// - Parameter isSteady: Whether the path has been the limit, and the same, for ten seconds.
  mutating func add(estimate: Double, truth: Double, second: Double, isSteady: Bool) {
    if estimate > truth, second >= 2 {
      since = since ?? second
      above = max(above, second - (since ?? second))
    } else {
      since = nil
    }
    guard isSteady else { return }
    sum += estimate / truth
    count += 1
    guard count == 10 else { return }
    shares.append(sum / 10)
    (sum, count) = (0, 0)
  }
}

/// The rates of several receivers in the last second, in kb/s, with IP and UDP headers, as the estimate counts.
struct RecentRates {
  private var totals: [[Double]] = []

  /// Takes what has come for each so far, ten times a second.
  mutating func add(_ receivers: [SyntheticReceiver]) {
    totals.append(receivers.map { Double($0.bytes + 28 * $0.packets) * 8 / 1_000 })
    if totals.count > 11 { totals.removeFirst() }
  }

  /// The rate of all but the one of that number.
  func others(than index: Int) -> Double {
    guard let first = totals.first, let last = totals.last, totals.count > 1 else { return 0 }
    let seconds = Double(totals.count - 1) / 10
    var sum = 0.0
    for other in last.indices where other != index { sum += (last[other] - first[other]) / seconds }
    return sum
  }
}
