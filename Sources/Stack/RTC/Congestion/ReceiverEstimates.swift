import Basics

/// The estimates of one receiver (REMB), and the rate for the whole path that follows from them.
///
/// draft-alvestrand-rmcat-remb-03 means one estimate for all media of the session, which lists the streams that it was
/// made from. Receivers of libwebrtc send that. Others (aiortc, applications of Pion) run an estimator for each stream,
/// and send a message for each of them. The lists tell them apart:
///
/// - An estimate replaces the former ones with which it shares a stream.
/// - Estimates of different streams add up, while each is fresh: no estimator knows of the others' streams.
/// - Without a list, the estimate is about everything.
/// - With none but unknown streams, it is about everything as well, unless there is a fresh one about known streams. It
///   may be the last word about a stream that has ended.
///
/// The result holds until the next message, however late that comes, as in libwebrtc. The memory is bounded by the
/// number of streams that are sent.
struct ReceiverEstimates: Sendable {
  private struct Estimate {
    var sources: [SSRC]
    var rate: DataRate
    var arrival: Instant
  }

  /// Estimators report at least once a second while packets arrive, applications every few seconds.
  static let lifetime = TimeSpan.seconds(5)

  private var estimates: [Estimate] = []

  /// Takes the estimate `rate` that lists `sources`.
  /// - Parameter isSent: Whether this side sends a stream, or retransmissions, under an SSRC.
  /// - Returns: The rate that may be sent in all; nil where the message says nothing about it.
  mutating func add(_ rate: DataRate, of sources: [SSRC], now: Instant, isSent: (SSRC) -> Bool) -> DataRate? {
    let known = sources.filter(isSent)
    estimates.removeAll { estimate in
      let hasEnded = !estimate.sources.isEmpty && !estimate.sources.contains(where: isSent)
      return hasEnded || now - estimate.arrival > Self.lifetime
    }
    if known.isEmpty {
      guard sources.isEmpty || estimates.allSatisfy(\.sources.isEmpty) else { return nil }
      estimates.removeAll()
    } else {
      estimates.removeAll { $0.sources.isEmpty || $0.sources.contains(where: known.contains) }
    }
    estimates.append(Estimate(sources: known, rate: rate, arrival: now))
    return DataRate(
      bitsPerSecond: estimates.reduce(0) { total, estimate in
        let sum = total.addingReportingOverflow(estimate.rate.bitsPerSecond)
        return sum.overflow ? .max : sum.partialValue
      })
  }

  mutating func removeAll() { estimates.removeAll() }
}
