import Basics
import RTC

/// Measures one participant's connection from one judgement of its quality to the next, which are about a second apart.
///
/// Each direction is judged by what its own path does. Of what a participant sends that is what the server measures on
/// its streams, and which of the layers that somebody watches arrive. Of what it receives that is what it reports, less
/// what its publishers' paths had lost and delayed before, and how much of what it wants, and its publishers send, its
/// path takes and it acknowledges. So nobody is blamed for somebody else's network.
struct ConnectionMeasurements: Sendable {
  /// A measurement that comes later than this after the one before says nothing: it was the server that was late.
  private static let late = TimeSpan.milliseconds(2_500)
  /// Jitter and round trips reported so long ago don't count: audio reports come every five seconds or so.
  private static let reportAge = TimeSpan.seconds(10)

  private var incoming = LossAverage()
  private var outgoing = LossAverage()
  private var incomingJitter = TimeSpan.zero
  private var outgoingJitter = TimeSpan.zero
  private var lastReport = Instant.zero
  private var unsent = UndeliveredShare()
  private var withheld = UndeliveredShare()
  /// Number of packets sent to it with transport-wide numbers, which it reports on one by one.
  private var numbered: UInt32 = 0
  /// Number of judgements in a row without a report although packets were sent, and their beginning.
  private var unacknowledged = 0
  private var unacknowledgedSince: Instant?
  private var last: Instant?

  /// The measurement since the last call; nil when too little was seen.
  mutating func sample(_ ingress: Ingress, _ egress: Egress, now: Instant) -> ConnectionQualityMeter.Sample? {
    let isLate = last.map { now - $0 > Self.late } ?? false
    last = now
    let arrived = measure(ingress, now)
    let delivered = measure(egress, now)
    let isReporting = noteAcknowledgement(egress, now)
    egress.feedback.reset()
    var silence = now - ingress.lastArrival
    if let unacknowledgedSince { silence = max(silence, now - unacknowledgedSince) }
    guard !isLate else { return nil }
    return ConnectionQualityMeter.Sample(
      loss: max(incoming.share, outgoing.share),
      roundTrip: now - egress.roundTripMeasured > Self.reportAge ? nil : egress.roundTrip,
      jitter: max(incomingJitter, outgoingJitter),
      silence: silence, isBusy: isReporting || ingress.wasSending,
      share: min(unsent.lasting(arrived, now: now), withheld.lasting(delivered, now: now)))
  }

  /// Measures what it sends; returns the share of the requested media that arrives.
  private mutating func measure(_ ingress: Ingress, _ now: Instant) -> Double {
    var counted = (expected: 0, lost: 0)
    var jitter = MediaJitter()
    var share = 1.0
    for publication in ingress.publications {
      share = min(share, publication.shareArrived(now: now))
      for stream in publication.streams {
        guard let new = stream.takeCounts() else { continue }
        counted.expected += new.expected
        counted.lost += new.lost
        jitter.add(stream.jitter, of: publication)
      }
    }
    incoming.add(expected: counted.expected, lost: counted.lost)
    incomingJitter = incomingJitter.halfway(to: jitter.value)
    return share
  }

  /// Measures what it receives; returns the share of the available media it wants that its path takes and that it
  /// acknowledges.
  private mutating func measure(_ egress: Egress, _ now: Instant) -> Double {
    var counted = (expected: 0, lost: 0)
    var jitter = MediaJitter()
    var hasReport = false
    for subscription in egress.subscriptions where subscription.hasNewReport {
      subscription.hasNewReport = false
      let new = subscription.reportedLoss.take()
      counted.expected += new.expected
      counted.lost += new.lost
      guard let stream = subscription.stream, let publication = subscription.publication, stream.clockRate > 0 else {
        continue
      }
      hasReport = true
      let reported = TimeSpan.microseconds(Int64(subscription.jitter) &* 1_000_000 / Int64(stream.clockRate))
      jitter.add(max(reported - stream.jitter, .zero), of: publication)
    }
    // A receiver's reports include losses on its publishers' paths; feedback on each packet covers its own path only.
    if egress.feedback.reported > 0 {
      counted.expected = Int(egress.feedback.reported)
      counted.lost = counted.expected - Int(min(egress.feedback.received, egress.feedback.reported))
    }
    outgoing.add(expected: counted.expected, lost: counted.lost)
    if hasReport {
      outgoingJitter = outgoingJitter.halfway(to: jitter.value)
      lastReport = now
    } else if now - lastReport > Self.reportAge {
      outgoingJitter = .zero
    }
    return egress.writer.bandwidth.shareForwarded * (1 - outgoing.share)
  }

  /// Notes whether it acknowledges sent packets; returns whether it would, if they arrived.
  private mutating func noteAcknowledgement(_ egress: Egress, _ now: Instant) -> Bool {
    var count: UInt32 = 0
    for subscription in egress.subscriptions where subscription.isNumbered { count &+= subscription.packetCount }
    let hasSent = count != numbered
    numbered = count
    let tells = egress.writer.bandwidth.feedback == .transportWide && egress.writer.bandwidth.isKnown && egress.isOpen
    if tells, egress.feedback.received == 0, hasSent {
      // The second that has just passed.
      if unacknowledged == 0 { unacknowledgedSince = now - .seconds(1) }
      unacknowledged += 1
    } else if !tells || egress.feedback.received > 0 || unacknowledged < 2 {
      // Of the last packets before a pause the report may have been lost; a pause that the silence itself has led to
      // ends nothing.
      unacknowledged = 0
      unacknowledgedSince = nil
    }
    return tells && (hasSent || unacknowledged > 0)
  }
}

extension TimeSpan {
  fileprivate func halfway(to other: TimeSpan) -> TimeSpan { TimeSpan(nanoseconds: (self + other).nanoseconds / 2) }
}

/// The jitter of several streams: of audio, whose packets leave at even times; of video only without audio, since its
/// packets leave as the encoder and its pacing let them; of screens never.
private struct MediaJitter {
  private var sound: TimeSpan?
  private var picture = TimeSpan.zero

  var value: TimeSpan { sound ?? picture }

  mutating func add(_ jitter: TimeSpan, of publication: Publication) {
    if publication.media.kind == .audio {
      sound = max(sound ?? .zero, jitter)
    } else if !publication.isScreenShare {
      picture = max(picture, jitter)
    }
  }
}

/// Less than was asked for counts once it has lasted: encoders and estimates need seconds to come to a layer that is
/// new, or wanted again.
struct UndeliveredShare: Sendable {
  static let patience = TimeSpan.seconds(5)
  private var since: Instant?

  /// The share that is to be judged.
  mutating func lasting(_ share: Double, now: Instant) -> Double {
    guard share < 0.95 else {
      since = nil
      return share
    }
    let start = since ?? now
    since = start
    return now - start >= Self.patience ? share : 1
  }
}

extension SourceStream {
  /// The interarrival jitter of what came from the publisher.
  var jitter: TimeSpan {
    clockRate == 0 ? .zero : .microseconds(Int64(statistics.jitter) &* 1_000_000 / Int64(clockRate))
  }

  /// Expected and lost packets since the last call, negative when packets came late; nil when none came.
  func takeCounts() -> (expected: Int, lost: Int)? {
    let now = (expected: statistics.expected, lost: Int(statistics.cumulativeLost), received: statistics.receivedCount)
    let before = judged
    judged = now
    guard now.received != before.received, now.expected >= before.expected else { return nil }
    return (now.expected - before.expected, now.lost - before.lost)
  }
}

extension Ingress {
  /// Whether audio or video came from it until it was last heard, so that more should have come since.
  var wasSending: Bool {
    publications.contains { publication in
      !publication.isMuted && (publication.media.kind == .audio || publication.demand.announced.layers > 0)
        && publication.streams.contains { $0.packets > 0 && $0.lastArrival + .seconds(1) >= lastArrival }
    }
  }
}
